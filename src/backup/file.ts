import { createHash, type Hash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { syncFolder } from '../database/embedded/folders.ts'
import type { Contents, Facts, Table, TableRows } from './contents.ts'
import { PIECE_BYTES } from './copy.ts'
import { BackupError } from './error.ts'

// A backup is a compressed file that `zcat` shows: lines that are JSON, and between them the rows of each table as
// COPY writes them, in pieces with their length in bytes before each. A length of 0 ends a table. The last line has a
// digest of everything before it.
const HEADING = 'quittance backup 1'
/** Rows compress well even at this level. A stronger one would take three times as long to save another tenth. */
const LEVEL = 3
const LINE_MAX = 10 * 1024 * 1024
/** No row of PostgreSQL is larger than this, and a large row is a piece by itself. */
const ROW_MAX = 1024 ** 3

interface TableEnd {
  readonly rows: number
}
interface FileEnd {
  readonly tables: number
  readonly rows: number
  readonly sha256: string
}

export interface Written extends FileEnd {
  /** The size of the file. */
  readonly bytes: number
}

/** Writes a backup. The file gets its name only when it is complete and on the disk, and only we may read it. */
export async function writeBackup(path: string, contents: Contents, signal?: AbortSignal): Promise<Written> {
  const unfinished = `${path}.unfinished`
  const end = { tables: 0, rows: 0, sha256: '' }
  try {
    // The file must be new: nobody else has it open, or has made it for others to read.
    const file = await open(unfinished, 'wx', 0o600)
    // From here on, whoever wrote to this name at the same time is done with it, or comes after us.
    if (existsSync(path)) {
      await file.close()
      throw new BackupError(`${path} exists: name a file that does not, or remove it.`)
    }
    const target = file.createWriteStream({ flush: true })
    await pipeline(Readable.from(partsOf(contents, end)), createGzip({ level: LEVEL }), target, { signal })
    await rename(unfinished, path)
    syncFolder(dirname(path))
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'EEXIST')
      throw new BackupError(
        `${unfinished} exists: another backup is being written there, or was killed; then remove it.`,
      )
    await rm(unfinished, { force: true })
    if (signal?.aborted) throw new BackupError('The backup was interrupted, and there is no file.')
    if (typeof code === 'string' && ['open', 'write', 'rename', 'fsync'].includes(syscall ?? ''))
      throw new BackupError(`${path} cannot be written (${code}): name a file in a folder that can, with enough room.`)
    throw error
  }
  return { ...end, bytes: (await stat(path)).size }
}

async function* partsOf({ facts, tables }: Contents, end: { tables: number; rows: number; sha256: string }) {
  const digest = createHash('sha256')
  const part = (bytes: Buffer | string) => {
    digest.update(bytes)
    return Buffer.from(bytes)
  }
  const line = (value: object) => part(`${JSON.stringify(value)}\n`)
  yield part(`${HEADING}\n`)
  yield line(facts)
  for await (const { table, pieces, rows } of tables()) {
    yield line(table)
    for await (const piece of pieces) {
      yield part(`${piece.length}\n`)
      yield part(piece)
    }
    yield part('0\n')
    yield line({ rows: rows() } satisfies TableEnd)
    end.tables += 1
    end.rows += rows()
  }
  end.sha256 = digest.digest('hex')
  yield Buffer.from(`${JSON.stringify(end)}\n`)
}

/** A backup that was read once from beginning to end, and is what was written. */
export interface ReadBackup extends Contents {
  readonly end: FileEnd
}

/** Reads a backup without doing anything with it, and refuses one that is not whole. */
export async function checkBackup(path: string, onPiece: (bytes: number) => void = () => {}): Promise<ReadBackup> {
  const reader = new BackupReader(path)
  try {
    const facts = await reader.facts()
    for await (const { pieces } of reader.tables()) for await (const piece of pieces) onPiece(piece.length)
    const end = await reader.end()
    return { facts, end, tables: () => readAgain(path) }
  } finally {
    await reader.close()
  }
}

async function* readAgain(path: string): AsyncGenerator<TableRows> {
  const reader = new BackupReader(path)
  try {
    await reader.facts()
    yield* reader.tables()
    await reader.end()
  } finally {
    await reader.close()
  }
}

class BackupReader {
  readonly #path: string
  readonly #source: AsyncIterator<Buffer>
  readonly #digest: Hash = createHash('sha256')
  #bytes: Buffer = Buffer.alloc(0)
  #tables = 0
  #facts: Facts | undefined

  constructor(path: string) {
    this.#path = path
    const file = createReadStream(path)
    const plain = createGunzip({ chunkSize: PIECE_BYTES })
    // `pipe` does not pass errors on; whoever reads the unpacked bytes must get this one.
    file.on('error', (error) => plain.destroy(error))
    this.#source = file.pipe(plain)[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  async facts(): Promise<Facts> {
    const heading = await this.#line().catch((error: unknown) => {
      throw error instanceof BackupError && (error.cause as NodeJS.ErrnoException)?.syscall === undefined
        ? new BackupError(`${this.#path} is no backup of Quittance.`)
        : error
    })
    if (heading !== HEADING)
      throw new BackupError(
        /^quittance backup \d+$/.test(heading)
          ? `${this.#path} was written by a newer version of Quittance: restore it with that one.`
          : `${this.#path} is no backup of Quittance.`,
      )
    this.#facts = await this.#json<Facts>()
    const { tables } = this.#facts
    if (!Array.isArray(tables) || tables.some((table) => table === null)) throw this.#damaged()
    return this.#facts
  }

  async *tables(): AsyncGenerator<TableRows> {
    for (const { name } of this.#facts!.tables) {
      const table = await this.#json<Table>()
      if (table.name !== name) throw this.#damaged()
      let rows = 0
      const reader = this
      const pieces = async function* () {
        for (;;) {
          const length = Number(await reader.#line())
          if (!(length >= 0 && length <= ROW_MAX)) throw reader.#damaged()
          if (length === 0) break
          yield await reader.#take(length)
        }
        rows = (await reader.#json<TableEnd>()).rows
      }
      yield { table, pieces: pieces(), rows: () => rows }
      this.#tables += 1
    }
  }

  /** Reads the end, and refuses the file unless all that was read is what was written. */
  async end(): Promise<FileEnd> {
    const found = this.#digest.digest('hex')
    const end = await this.#json<FileEnd>(false)
    if (end.sha256 !== found || end.tables !== this.#tables) throw this.#damaged()
    // The checksum of the compression comes last, so it is checked only by reading on.
    if (!(await this.#next()).done) throw this.#damaged()
    return end
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }

  async #json<Value>(counts = true): Promise<Value> {
    const line = await this.#line(counts)
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      throw this.#damaged()
    }
    if (typeof value !== 'object' || value === null) throw this.#damaged()
    // It was written by this file, and the digest at the end tells whether it is unchanged.
    return value as Value
  }

  async #line(counts = true): Promise<string> {
    let searched = 0
    for (;;) {
      const at = this.#bytes.indexOf(10, searched)
      if (at >= 0) {
        const line = this.#bytes.subarray(0, at + 1)
        this.#bytes = this.#bytes.subarray(at + 1)
        if (counts) this.#digest.update(line)
        return line.toString('utf8', 0, at)
      }
      searched = this.#bytes.length
      if (searched > LINE_MAX) throw this.#damaged()
      await this.#more(searched + 1)
    }
  }

  async #take(length: number): Promise<Buffer> {
    if (this.#bytes.length < length) await this.#more(length)
    const taken = this.#bytes.subarray(0, length)
    this.#bytes = this.#bytes.subarray(length)
    this.#digest.update(taken)
    return taken
  }

  /** Reads on until this many bytes are there. */
  async #more(wanted: number): Promise<void> {
    const parts = [this.#bytes]
    for (let size = this.#bytes.length; size < wanted; ) {
      const { done, value } = await this.#next()
      if (done) throw this.#cutOff()
      parts.push(value)
      size += value.length
    }
    this.#bytes = Buffer.concat(parts)
  }

  async #next(): Promise<IteratorResult<Buffer, unknown>> {
    try {
      return await this.#source.next()
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException
      if (syscall !== undefined) throw new BackupError(`${this.#path} cannot be read (${code}).`, { cause: error })
      throw code === 'Z_BUF_ERROR' ? this.#cutOff() : this.#damaged()
    }
  }

  #cutOff(): BackupError {
    return new BackupError(`${this.#path} ends too early: use a copy that is whole. Nothing was changed.`)
  }

  #damaged(): BackupError {
    return new BackupError(`${this.#path} is damaged: use another copy. Nothing was changed.`)
  }
}
