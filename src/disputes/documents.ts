import { sql } from '../database/sql.ts'
import type { Reader, Tx } from '../database/transaction.ts'
import type { UploadedFile } from '../http/body/multipart.ts'
import { Problem } from '../kernel/problem.ts'
import { sizeInWords } from '../kernel/size.ts'
import { limits } from './machine/limits.ts'
import type { Dispute, StoredDocument } from './schema/dispute.ts'

/** Files that were checked and have an id, but are not attached to anything yet. */
export interface Uploads {
  readonly stored: readonly StoredDocument[]
  readonly files: readonly UploadedFile[]
  readonly types: readonly string[]
}

/** The kinds of files that may be uploaded. A kind is known by its first bytes, and the file's name must end accordingly. */
// biome-ignore format: a table reads best as a table
const kinds = [
  { type: 'image/png',       extensions: ['png'],         starts: [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')] },
  { type: 'image/jpeg',      extensions: ['jpg', 'jpeg'], starts: [Buffer.from('\xff\xd8\xff', 'latin1')] },
  { type: 'image/gif',       extensions: ['gif'],         starts: [Buffer.from('GIF87a'), Buffer.from('GIF89a')] },
  { type: 'application/pdf', extensions: ['pdf'],         starts: [Buffer.from('%PDF-')] },
]
const kindOf = (bytes: Buffer) =>
  kinds.find(({ starts }) => starts.some((start) => bytes.subarray(0, start.length).equals(start)))

const namePattern = /^[A-Za-z0-9\-_,\s]+[.][A-Za-z]+$/
const nothing: Uploads = { stored: [], files: [], types: [] }

/** Checks every file by its name and by its bytes. All breaches are reported at once. */
export function receiveFiles(tx: Tx, uploaded: readonly UploadedFile[]): Uploads {
  if (uploaded.length === 0) return nothing
  const files = named(uploaded)
  const checked = files.map((file) => ({ file, ...checkedType(file) }))
  const issues = checked.flatMap(({ file, problem }) =>
    problem === undefined
      ? []
      : {
          issue: 'INVALID_EVIDENCE_FILE',
          field: file.partName || 'file',
          value: file.fileName.slice(0, 255),
          description: problem,
        },
  )
  if (issues.length > 0) throw new Problem(400, 'VALIDATION_ERROR', issues)
  const document_id = tx.newId('document')
  return {
    stored: files.map(({ fileName }, i) => ({ name: fileName, document_id, n: i + 1 })),
    files,
    types: checked.map(({ type }) => type ?? ''),
  }
}

/** Refuses more files than an operation takes. */
export function refuseTooMany(files: readonly UploadedFile[], most: number): void {
  if (files.length <= most) return
  const description = most === 0 ? 'This operation takes no files.' : `This operation takes at most ${most} files.`
  throw new Problem(400, 'VALIDATION_ERROR', [{ issue: 'INVALID_EVIDENCE_FILE', description }])
}

/** Gives a name to files that came without one, after their part. Libraries send `blob` or repeat the part's name instead. */
function named(files: readonly UploadedFile[]): UploadedFile[] {
  const taken = new Set(files.map(({ fileName }) => fileName))
  return files.map((file) => {
    const { fileName, partName, bytes } = file
    const extension = kindOf(bytes)?.extensions[0]
    if ((fileName !== '' && fileName !== 'blob' && fileName !== partName) || extension === undefined) return file
    const stem = partName.slice(0, 100).replace(/[^A-Za-z0-9\-_,\s]/g, '_') || 'document'
    let made = `${stem}.${extension}`
    for (let n = 2; taken.has(made); n++) made = `${stem}-${n}.${extension}`
    taken.add(made)
    return { ...file, fileName: made }
  })
}

/**
 * Makes names that the contract allows. Clients of the API must use only its few characters, but people call their files as
 * they like, in every script and with the wrong ending. A file whose name is all that is wrong with it gets a name that fits
 * its kind.
 */
export const plainlyNamed = (files: readonly UploadedFile[]): UploadedFile[] =>
  named(
    files.map((file) => {
      if (checkedType(file).type !== undefined) return file
      const stem = file.fileName
        .replace(/\.[^.]*$/, '')
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .replace(/[^A-Za-z0-9\-_, ]+/g, '_')
      const partName = /[A-Za-z0-9]/.test(stem) ? stem : 'document'
      return kindOf(file.bytes) ? { ...file, fileName: '', partName } : file
    }),
  )

function checkedType({ fileName, bytes }: UploadedFile): { type?: string; problem?: string } {
  if (bytes.length === 0) return { problem: 'The file is empty.' }
  if (bytes.length >= limits.fileBytes)
    return { problem: `A file must be smaller than ${sizeInWords(limits.fileBytes)}.` }
  const kind = kindOf(bytes)
  if (!kind) return { problem: 'Only jpg, gif, png and pdf files are taken, and this begins like none of them.' }
  if (fileName.length > 2000 || !namePattern.test(fileName))
    return { problem: 'A file name has letters, digits, blanks, - _ and , then one dot and an extension.' }
  const extension = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase()
  if (!kind.extensions.includes(extension))
    return { problem: `The file is a ${kind.extensions[0]} and its name must end so.` }
  return { type: kind.type }
}

// All files of a request travel as one value, and the database cuts it apart. So one statement will do for any number of files.
const insertFiles = sql`
  insert into dispute_documents (account_id, document_id, n, dispute_id, name, content_type, bytes, create_time)
  select $1::text, $2::text, n, $3::text, name, content_type, substring($4::bytea from start for length), $9::text
    from unnest($5::text[], $6::text[], $7::int[], $8::int[]) with ordinality as file (name, content_type, start, length, n)`
const disputeOfFile = sql`select dispute_id from dispute_documents where document_id = $1 and n = $2`
const fileById = sql`
  select name, content_type, bytes from dispute_documents where account_id = $1 and document_id = $2 and n = $3`

/** Stores the bytes of the files under the dispute that names them. */
export function keepDocuments(tx: Tx, { seller, dispute_id }: Dispute, { stored, files, types }: Uploads): void {
  if (stored.length === 0) return
  let at = 1
  const starts = files.map(({ bytes }) => {
    const start = at
    at += bytes.length
    return start
  })
  tx.write(insertFiles, [
    seller.account_id,
    stored[0]!.document_id,
    dispute_id,
    Buffer.concat(files.map(({ bytes }) => bytes)),
    stored.map(({ name }) => name),
    types,
    starts,
    files.map(({ bytes }) => bytes.length),
    tx.now,
  ])
}

export interface StoredFile {
  readonly name: string
  readonly content_type: string
  readonly bytes: Buffer
}

/** The dispute to which a file belongs, whoever asks. The caller of this function checks who may see it. */
export const findDisputeOfFile = async (db: Reader, documentId: string, n: number): Promise<string | undefined> =>
  (await db.row<{ dispute_id: string }>(disputeOfFile, [documentId, n]))?.dispute_id

export const findFile = (db: Reader, { seller }: Dispute, documentId: string, n: number) =>
  db.row<StoredFile>(fileById, [seller.account_id, documentId, n])

/** Headers that make every browser save a file instead of showing it, and keep it out of caches. */
export function attachmentHeaders({ name, content_type }: Pick<StoredFile, 'name' | 'content_type'>) {
  const plain = name.replace(/[^A-Za-z0-9\-_.]/g, '_')
  return {
    'content-type': content_type,
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-store',
  }
}
