/** Carriers whose code is also what people write. */
const codes = new Set(['DHL', 'FEDEX', 'PARCELFORCE', 'ROYAL_MAIL', 'TNT', 'UPS', 'USPS'])

interface Carrier {
  readonly carrier_name: string
  readonly carrier_name_other?: string
}

/** The carrier in the words of the contract, from what somebody calls it. */
export function carrierCalled(name: string): Carrier {
  const code = name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
  return codes.has(code) ? { carrier_name: code } : { carrier_name: 'OTHER', carrier_name_other: name }
}
