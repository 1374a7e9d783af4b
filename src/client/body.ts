import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

/** A document to send along. A stream is read to its end first, so that a request can be repeated. */
export interface UploadFile {
  readonly name: string
  readonly content: Uint8Array | Blob | string | AsyncIterable<Uint8Array | string>
  /** Its media type; by default taken from the ending of its name. */
  readonly type?: string
}

/** What can be sent as a document: a file of the disk by its path, or a name with bytes, text or a stream. */
export type Upload = string | URL | UploadFile

const mediaTypes: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  txt: 'text/plain',
}

async function readUpload(upload: Upload): Promise<{ name: string; blob: Blob }> {
  if (typeof upload === 'string' || upload instanceof URL) {
    const name = basename(upload instanceof URL ? decodeURIComponent(upload.pathname) : upload)
    return { name, blob: new Blob([await readFile(upload)], { type: typeOf(name) }) }
  }
  const { name, content, type = typeOf(name) } = upload
  return { name, blob: new Blob(await partsOf(content), { type }) }
}

async function partsOf(content: UploadFile['content']): Promise<(Uint8Array | Blob | string)[]> {
  if (typeof content === 'string' || content instanceof Uint8Array || content instanceof Blob) return [content]
  const parts: (Uint8Array | string)[] = []
  for await (const part of content) parts.push(part)
  return parts
}

const typeOf = (name: string) => mediaTypes[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream'

export type BodyKind = 'json' | 'json and files' | 'form' | 'form and files'

/** A body that can be sent any number of times. */
export async function makeBody(
  kind: BodyKind,
  value: unknown,
  files: readonly Upload[],
): Promise<{ body: string | FormData; type?: string }> {
  const asForm = kind.startsWith('form')
  if (files.length === 0)
    return asForm
      ? { body: new URLSearchParams(fieldsOf(value)).toString(), type: 'application/x-www-form-urlencoded' }
      : { body: JSON.stringify(value ?? {}), type: 'application/json' }
  const form = new FormData()
  if (asForm) for (const [name, text] of fieldsOf(value)) form.append(name, text)
  else form.append('input', new Blob([JSON.stringify(value ?? {})], { type: 'application/json' }), 'input.json')
  for (const [i, file] of files.entries()) {
    const { name, blob } = await readUpload(file)
    form.append(`file${i + 1}`, blob, name)
  }
  return { body: form }
}

const fieldsOf = (value: unknown): [string, string][] =>
  Object.entries(value ?? {}).flatMap(([name, field]) => (field === undefined ? [] : [[name, String(field)]]))
