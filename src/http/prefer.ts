/** Longer headers are not looked at. */
const LENGTH_MAX = 1024

/** One preference, perhaps with a value. It may be followed by parameters, which have no meaning here. */
const wishForm =
  /^([!#$%&'*+.^_`|~0-9a-z-]+)[ \t]*(?:=[ \t]*([!#$%&'*+.^_`|~0-9a-z-]*|"(?:[^"\\]|\\.)*")[ \t]*)?(?:;|$)/i
/** What lies between commas, except for commas inside quotes. */
const betweenCommas = /(?:"(?:[^"\\]|\\.)*"|[^,])+/g

const unquoted = (text: string): string => (text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text)

/**
 * Whether the header Prefer asks for this: `respond-async`, or `return=representation`. If a preference is there twice, the
 * first one counts (RFC 7240).
 */
export function prefers({ prefer }: Readonly<Record<string, string | string[] | undefined>>, wish: string): boolean {
  const header = String(prefer ?? '')
  if (header.length > LENGTH_MAX) return false
  const [name, wanted = ''] = wish.split('=')
  for (const part of header.match(betweenCommas) ?? []) {
    const [, given, value = ''] = wishForm.exec(part.trim()) ?? []
    if (given?.toLowerCase() === name) return unquoted(value).toLowerCase() === wanted
  }
  return false
}
