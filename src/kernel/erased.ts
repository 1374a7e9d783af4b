/** What is written in the place of erased personal data. */
export const ERASED_NAME = 'Erased person'
export const ERASED_TEXT = '(erased)'
const ERASED_DOMAIN = '@erased.invalid'

/** An address that nobody has. There is one for each person, so that what belonged together still does. */
export const erasedAddress = (code: string): string => `erased-${code.toLowerCase()}${ERASED_DOMAIN}`

export const isErasedAddress = (address: string): boolean => address.toLowerCase().endsWith(ERASED_DOMAIN)
