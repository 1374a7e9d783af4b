import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

/** By the name of each way in: what it exports, given how to import a package, which a script cannot. */
type Loaded = Readonly<Record<string, (importPackage: (name: string) => Promise<unknown>) => object>>

/** Of which four are used: what comes behind them lies where the engine can read it without a copy. */
const SUM_BYTES = 8
/** What Node puts around a module. */
const AROUND = ['(function (exports, require, module, __filename, __dirname) {', '\n})'].map((text) =>
  Buffer.from(text),
)
/** Every way in leads to the same modules. */
const loadedBefore = new Map<string, Loaded>()

/**
 * Loads a module that everything was put together into, with what the engine made of it the last time: half of a start
 * would be compiling. From version 22 on Node itself keeps that. Before, it is kept beside the module, so that whoever could
 * change it could as well change the module.
 */
export function loadKept(path: string, use: string): Loaded {
  const loaded = loadedBefore.get(path) ?? load(path, use)
  loadedBefore.set(path, loaded)
  return loaded
}

function load(path: string, use: string): Loaded {
  const require = createRequire(path)
  const { enableCompileCache } = module as { enableCompileCache?: () => void }
  if (enableCompileCache) {
    enableCompileCache()
    return require(path)
  }
  const source = readFileSync(path)
  const kept = new Kept(`${path}.${process.version}-${process.arch}-${use}.kept`, source)
  const cachedData = kept.read()
  // All of it is ASCII, which stays one byte a letter.
  const script = new Script(Buffer.concat([AROUND[0]!, source, AROUND[1]!]).toString('latin1'), {
    filename: path,
    ...(cachedData && { cachedData }),
  })
  // At the end it holds all that was needed, and nobody waits for it.
  if (!cachedData || script.cachedDataRejected) process.once('exit', () => kept.write(script.createCachedData()))
  const loaded = { exports: {} }
  script.runInThisContext()(loaded.exports, require, loaded, path, dirname(path))
  return loaded.exports
}

/**
 * A file with what the engine made of a source. The engine believes what it is given, so it begins with a sum over both: it has
 * to find damage, not malice, and a digest would take a twentieth of a start.
 */
class Kept {
  readonly #path: string
  readonly #source: Buffer

  constructor(path: string, source: Buffer) {
    this.#path = path
    this.#source = source
  }

  read(): Buffer | undefined {
    try {
      const kept = readFileSync(this.#path)
      const data = kept.subarray(SUM_BYTES)
      return this.#sum(data).equals(kept.subarray(0, SUM_BYTES)) ? data : undefined
    } catch {
      return undefined
    }
  }

  write(data: Buffer): void {
    const own = `${this.#path}.${process.pid}`
    try {
      writeFileSync(own, Buffer.concat([this.#sum(data), data]))
      renameSync(own, this.#path)
    } catch {
      // Not everywhere may a program write beside itself; then the next start compiles again.
      rmSync(own, { force: true })
    }
  }

  #sum(data: Buffer): Buffer {
    const sum = Buffer.alloc(SUM_BYTES)
    sum.writeUInt32BE(crc32(data, crc32(this.#source)))
    return sum
  }
}
