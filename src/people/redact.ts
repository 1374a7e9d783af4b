import { ERASED_NAME, ERASED_TEXT } from '../kernel/erased.ts'

/** A person as the records know them: the address, and what stands beside it. All of it is compared without regard to case. */
export interface Person {
  readonly email: string
  /** Names, phone numbers, lines of postal addresses and what they wrote in disputes, longest first. */
  readonly details: readonly string[]
  /** The disputes that they are the buyer of. */
  readonly disputes: ReadonlySet<string>
}

type Json = unknown
type JsonObject = Readonly<Record<string, Json>>

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mapFields = (object: JsonObject, change: (field: string, value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([field, value]) => [field, change(field, value)]))

const isAddressOf = (value: Json, email: string) => typeof value === 'string' && value.toLowerCase() === email

/** An object that describes the person: a recipient, a buyer, an account. */
const describes = (object: JsonObject, email: string): boolean =>
  isAddressOf(object['email_address'], email) || isAddressOf(object['email'], email)

/** Fields that describe a person, besides the address. */
const personal = new Set([
  ...['name', 'given_name', 'surname', 'full_name', 'business_name', 'prefix', 'suffix', 'middle_name'],
  ...['address', 'addresses', 'phone', 'phones', 'additional_info', 'tax_id', 'website'],
])

/**
 * Fields whose text tells who somebody is even elsewhere: a whole name, a number or a street, but not a town or a single word.
 */
const isTelling = (key: string) =>
  /^(name|full_name|business_name|national_number|address_line_\d|additional_info|tax_id|website)$/.test(key)
const DETAIL_LENGTH_MIN = 3
/** How many details are looked for with one pattern. */
const DETAILS_AT_ONCE = 20

/** The names, numbers and places that stand beside the address in this document. */
export function detailsIn(value: Json, email: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => detailsIn(item, email))
  if (!isObject(value)) return []
  const found = Object.values(value).flatMap((item) => detailsIn(item, email))
  if (describes(value, email)) found.push(...detailsOf(value))
  // The address that things were sent to belongs to whoever was billed.
  if (isObject(value['billing_info']) && describes(value['billing_info'], email) && isObject(value['shipping_info']))
    found.push(...detailsOf(value['shipping_info']))
  return found
}

function detailsOf(object: JsonObject): string[] {
  const parts = Object.entries(object).flatMap(([key, value]) => (personal.has(key) ? texts(value, key) : []))
  const name = isObject(object['name']) ? object['name'] : object
  const [given, surname] = [name['given_name'], name['surname']]
  const full =
    typeof given === 'string' && typeof surname === 'string' ? [`${given} ${surname}`, `${surname}, ${given}`] : []
  return [...parts, ...full].filter((text) => text.trim().length >= DETAIL_LENGTH_MIN)
}

function texts(value: Json, key: string): string[] {
  if (typeof value === 'string') return isTelling(key) ? [value] : []
  if (Array.isArray(value)) return value.flatMap((item) => texts(item, key))
  return isObject(value) ? Object.entries(value).flatMap(([name, item]) => texts(item, name)) : []
}

/** Whether a stored dispute is one of theirs, as the buyer. */
export const isBuyerOf = (dispute: Json, email: string): boolean =>
  isObject(dispute) && isObject(dispute['buyer']) && describes(dispute['buyer'], email)

/** What the buyer of this dispute wrote. A single word is left out: it tells nobody who wrote it, and it stands elsewhere too. */
export function wordsIn(value: Json, isTheirs = false): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => wordsIn(item, isTheirs))
  if (!isObject(value)) return []
  const isOwn = isTheirs || isOfBuyer(value)
  return Object.entries(value).flatMap(([key, item]) => {
    if (typeof item === 'string') return isOwn && wordFields.has(key) && /\S\s+\S/.test(item) ? [item] : []
    return wordsIn(item, isOwn || toldByBuyer.has(key))
  })
}

/** Whether an entry says of itself that it is the buyer's. */
const isOfBuyer = (value: JsonObject) =>
  value['posted_by'] === 'BUYER' ||
  value['source'] === 'SUBMITTED_BY_BUYER' ||
  value['actor'] === 'BUYER' ||
  value['by'] === 'buyer'

/** Parts of a dispute whose words are the buyer's. */
const toldByBuyer = new Set(['items', 'extensions', 'cancellation', 'compensation'])
/** The fields that hold words. */
const wordFields = new Set(['content', 'notes', 'note', 'description'])

/** Each detail once, longest first, so that no part of a detail is taken out before the whole. */
export const sorted = (details: readonly string[]): string[] =>
  [...new Set(details.map((detail) => detail.trim().toLowerCase()))].sort((a, b) => b.length - a.length)

const quoted = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/**
 * Matches an address where it stands by itself; inside a longer one it is part of somebody else's. In a text that is quoted in
 * JSON, the letter behind a backslash means a line break and is part of nothing.
 */
export const addressAlone = (email: string): RegExp =>
  new RegExp(`(?<!(?<!\\\\)[\\p{L}\\p{N}_][.'+_-]*)${quoted(email)}(?![\\p{L}\\p{N}_]|[.-]+[\\p{L}\\p{N}])`, 'giu')

/** Fields that people fill in as they like. */
const filledIn = new Set([
  ...['name', 'given_name', 'surname', 'full_name', 'business_name', 'buyer_name', 'item_name', 'additional_info'],
  ...['note', 'notes', 'note_to_payer', 'memo', 'reference', 'custom', 'custom_id', 'title', 'subject', 'text'],
  ...['content', 'message', 'description', 'item_description', 'terms_and_conditions', 'about', 'summary', 'html'],
])
/** Fields whose contents the service reads again, whatever they are: ids, links, numbers, settings. */
const reliedOn = new Set([
  ...['id', 'ids', 'ref', 'thread', 'key', 'path', 'operation', 'action', 'actor', 'cause', 'from_node', 'to_node'],
  ...['url', 'href', 'rel', 'method', 'number', 'invoice_number', 'number_key', 'time_zone', 'locale', 'content-type'],
])
const isReliedOn = (key: string) => reliedOn.has(key) || /_(?:ids?|code|date|state|status|time|type)$/.test(key)
/** Amounts, days, instants, ids, codes and addresses, as the service writes them. It reads them again. */
const coded = /^(?:-?[A-Z\d._:-]+|[a-z\d]+(?:[-_/.:~][a-z\d]+)*|https?:\/\/\S+)$/

/**
 * Whether somebody may have written this text. A name, a street or a complaint can be any word, even one that currencies,
 * amounts or states are written with. If it were taken out of those too, money and decisions would be lost.
 */
const isWritten = (text: string, key: string): boolean => filledIn.has(key) || !(isReliedOn(key) || coded.test(text))

/** Takes the person out of texts and documents. `address` is what stands for theirs from now on. */
export function makeRedaction({ email, details, disputes }: Person, address: string) {
  const anyAddress = addressAlone(email)
  // A name is taken out as a word; inside another word it is somebody else's.
  const anyOf = (found: readonly string[]) =>
    new RegExp(`(?<![\\p{L}\\p{N}])(?:${found.map(quoted).join('|')})(?![\\p{L}\\p{N}])`, 'giu')

  /**
   * Looks only for details that stand in this text: a pattern of all that there are of somebody takes minutes to make when
   * there are hundreds.
   */
  function withoutDetails(value: string): string {
    const letters = value.toLowerCase()
    const found = details.filter((detail) => letters.includes(detail))
    let written = value
    for (let i = 0; i < found.length; i += DETAILS_AT_ONCE)
      written = written.replace(anyOf(found.slice(i, i + DETAILS_AT_ONCE)), ERASED_TEXT)
    return written
  }

  /** `key` is the field that the text stands in. */
  function text(value: string, key: string): string {
    return (isWritten(value, key) ? withoutDetails(value) : value).replace(anyAddress, address)
  }

  /** The ids of the documents that the person handed in; gathered while redacting. */
  const documents = new Set<string>()

  /** `ofPerson` says that the value stands in a dispute of which they are the buyer. */
  function json(value: Json, key: string, ofPerson = false): Json {
    if (typeof value === 'string') return text(value, key)
    if (Array.isArray(value)) return value.map((item) => json(item, key, ofPerson))
    if (!isObject(value)) return value
    if (describes(value, email)) return party(value)
    const isBuyer = ofPerson || isBuyerOf(value, email) || disputes.has(String(value['dispute_id']).toLowerCase())
    if (isBuyer && isOfBuyer(value)) return words(value, key)
    const isBilled = isObject(value['billing_info']) && describes(value['billing_info'], email)
    return mapFields(value, (field, item) => {
      // The address that things were sent to belongs to whoever was billed.
      if (isBilled && field === 'shipping_info' && isObject(item)) return without(item)
      return isBuyer && toldByBuyer.has(field) ? words(item, field) : json(item, field, isBuyer)
    })
  }

  /** An object that describes the person: nobody, under a name that says so. */
  function party(value: JsonObject): JsonObject {
    const kept = without(value)
    return typeof value['name'] === 'string' ? { ...kept, name: ERASED_NAME } : kept
  }

  /** Without the fields that describe the person, and with all others redacted. */
  function without(value: JsonObject): JsonObject {
    const kept = Object.fromEntries(Object.entries(value).filter(([field]) => !personal.has(field)))
    return mapFields(kept, (field, item) => json(item, field))
  }

  /** What the person wrote or handed in. It stays known that it was there, and when; what it said goes. */
  function words(value: Json, at: string): Json {
    if (Array.isArray(value)) return value.map((item) => words(item, at))
    if (!isObject(value) || describes(value, email)) return json(value, at)
    return mapFields(value, (field, item) => {
      if (wordFields.has(field) && typeof item === 'string') return ERASED_TEXT
      if (field === 'documents' && Array.isArray(item)) return item.map(document)
      return words(item, field)
    })
  }

  function document(value: Json): Json {
    if (!isObject(value)) return value
    if (typeof value['document_id'] === 'string') documents.add(value['document_id'])
    return { ...value, ...('name' in value && { name: ERASED_TEXT }) }
  }

  return { text, json, documents }
}

export type Redaction = ReturnType<typeof makeRedaction>
