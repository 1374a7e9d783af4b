import type { PublicAction } from '../../disputes/machine/actions/index.ts'
import { carrierCalled } from '../../disputes/machine/carriers.ts'
import type { UploadedFile } from '../../http/body/multipart.ts'
import type { Typed } from './fields.ts'

const CARRIER = '/evidences/0/evidence_info/tracking_info/0/carrier_name'
const COUNTRY = '/return_shipping_address/country_code'

/** Turns what was typed into the codes of the contract: a carrier by its name, and a country in small letters. */
export function inCodes(typed: Typed): Typed {
  const [carrier = '', country = ''] = [typed[CARRIER]?.trim(), typed[COUNTRY]]
  const carried = /^[0-9A-Z_]*$/.test(carrier) ? { carrier_name: carrier } : carrierCalled(carrier)
  const at = CARRIER.slice(0, CARRIER.lastIndexOf('/') + 1)
  return {
    ...typed,
    ...Object.fromEntries(Object.entries(carried).map(([name, value]) => [at + name, value])),
    [COUNTRY]: country.toUpperCase(),
  }
}

/** Names the files of evidence within the evidence they belong to. */
export function withDocuments(
  body: Record<string, unknown>,
  action: PublicAction,
  files: readonly UploadedFile[],
): unknown {
  if (files.length === 0 || (action !== 'provide-evidence' && action !== 'appeal')) return body
  const [first = {}] = (body['evidences'] ?? []) as Record<string, unknown>[]
  return { ...body, evidences: [{ ...first, documents: files.map(({ fileName }) => ({ name: fileName })) }] }
}
