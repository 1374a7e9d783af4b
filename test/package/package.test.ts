import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Sandbox } from '../../src/testing/index.ts'
import { type Finished, runProgram, temporaryFolder } from '../support/process.ts'
import { times } from '../support/size.ts'
import { installTarball } from '../support/tarball.ts'
import { usd } from '../support/world.ts'

/** How long a keeper may take to notice that it is alone, and to end. */
const GONE = { timeout: 15_000, interval: 50 }

const project = temporaryFolder()
const tmp = temporaryFolder()
const { TMPDIR } = process.env
// Now, because the tests of the example are among those of this file.
const installed = installTarball(project.path, 'shop')
let testing: typeof import('../../src/testing/index.ts')
let sandbox: Sandbox

beforeAll(async () => {
  // A server of this file's own, so that what becomes of it can be seen. It runs from the first use to the last.
  process.env['TMPDIR'] = tmp.path
  testing = await module('testing')
  sandbox = await testing.startSandbox({ at: '2026-03-02T09:00:00Z', frozen: true })
})
afterAll(async () => {
  await sandbox.stop()
  if (TMPDIR === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = TMPDIR
  project.remove()
  tmp.remove()
})

const importFile = (...path: string[]) => import(pathToFileURL(join(...path)).href)
const module = (name: string) => importFile(installed, 'dist', name, 'index.js')
const inProject = (...words: string[]): Promise<Finished> =>
  runProgram([process.execPath, words], { TMPDIR: tmp.path, NO_COLOR: '1' }, { cwd: project.path, within: 60_000 })

/** The folders of servers that run. */
const running = () =>
  readdirSync(tmp.path)
    .filter((name) => name.startsWith('quittance-testing-'))
    .filter((name) =>
      ['keeper.sock', 'server/cluster/postmaster.pid'].some((file) => existsSync(join(tmp.path, name, file))),
    )
const nothingRuns = () => vi.waitFor(() => expect(running()).toEqual([]), GONE)

describe('The package', () => {
  it('has what it needs and nothing else, and runs nothing when it is installed', () => {
    const {
      private: isPrivate,
      scripts,
      exports,
      bin,
    } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(isPrivate).toBeUndefined()
    expect(Object.keys(scripts)).not.toContain(expect.stringMatching(/^(pre|post)?install$|^prepare$/))
    for (const { types, default: code } of [exports['.'], exports['./testing'], exports['./client']])
      for (const path of [types, code, bin.quittance]) expect(existsSync(join(installed, path)), path).toBe(true)
    expect(readdirSync(installed).sort()).toEqual(
      expect.arrayContaining([
        ...['LICENSE', 'README.md', 'dist', 'invariants.sql', 'migrations', 'openapi.json', 'package.json'],
      ]),
    )
    for (const name of ['src', 'test', 'bench', 'docs', 'examples']) expect(readdirSync(installed)).not.toContain(name)
  })

  it('is made of a program that can be run as it is, as npx does in a clone', () => {
    expect(statSync(new URL('../../dist/main.js', import.meta.url)).mode & 0o111).toBe(0o111)
  })

  it('has types that a strict project compiles against', async () => {
    writeFileSync(
      join(project.path, 'consumer.ts'),
      `import { start } from 'quittance'
       import { createClient, ProblemError, type Client } from 'quittance/client'
       import { startSandbox, type Sandbox } from 'quittance/testing'

       export async function story(sandbox: Sandbox): Promise<string> {
         const { merchant } = sandbox.people
         const { id } = await merchant.invoices.create({ detail: { currency_code: 'USD' } })
         // @ts-expect-error an invoice has a currency
         await merchant.invoices.create({ detail: {} })
         for await (const { dispute_id } of merchant.disputes.list({ page_size: 2 })) if (dispute_id) return dispute_id
         return id ?? ''
       }
       export const client: Client = createClient({ url: 'http://127.0.0.1', clientId: 'a', clientSecret: 'b' })
       export const wrong = (error: unknown) => error instanceof ProblemError && error.issues[0]?.issue
       export const parts = { start, startSandbox }`,
    )
    const compilerOptions = {
      strict: true,
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023'],
      noEmit: true,
      types: ['node'],
    }
    writeFileSync(join(project.path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
    expect(await inProject('node_modules/typescript/bin/tsc', '-p', '.')).toMatchObject({ code: 0, stdout: '' })
  })

  it('lets the example shop test itself, in runners of its own on the server of this process', async () => {
    // The tests of the second run in this process too, so that only a long run starts it.
    const runners = [['shop.test.js'], ['node_modules/vitest/vitest.mjs', 'run']].slice(0, times(1, 2))
    const [node, vitest] = await Promise.all(runners.map((words) => inProject(...words)))

    expect(node, node?.stdout).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass 1\n. fail 0/) })
    if (vitest)
      expect(vitest, vitest.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/Tests\s+2 passed/) })
    expect(running()).toHaveLength(1)
  })
})

describe('The example shop', () => importFile(project.path, 'shop.vitest.test.js'))

describe('quittance/testing', () => {
  const anInvoice = {
    detail: { currency_code: 'USD' },
    items: [{ name: 'A', quantity: '1', unit_amount: usd('1.00') }],
  }
  const count = async (of: Sandbox) => (await of.people.merchant.invoices.list().all()).length
  const newDispute = async () => {
    const { merchant, buyer } = sandbox.people
    const { buyer_transaction_id } = await merchant.sandbox.createTransaction({ amount: usd('50.00') })
    await buyer.disputes.create({
      disputed_transactions: [{ buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('50.00'),
    })
  }

  it('tells a story: people, an inbox, time that passes, a decision', async () => {
    const { merchant, agent } = sandbox.people
    const inbox = await sandbox.inbox('CUSTOMER.DISPUTE.*')
    await newDispute()

    const { resource } = await inbox.next('CUSTOMER.DISPUTE.CREATED')
    const id = String(resource['dispute_id'])
    await merchant.disputes.escalate(id, { note: 'Let somebody decide.' })
    await merchant.disputes.provideEvidence(id, { evidences: [{ evidence_type: 'OTHER', notes: 'It was delivered.' }] })
    await agent.disputes.adjudicate(id, { adjudication_outcome: 'SELLER_FAVOR' })
    const resolved = await inbox.next('CUSTOMER.DISPUTE.RESOLVED')

    expect(resolved.resource).toMatchObject({ dispute_id: id })
    expect((await merchant.disputes.show(id)).dispute_outcome).toMatchObject({ outcome_code: 'RESOLVED_SELLER_FAVOUR' })
    expect(await sandbox.clock.now()).toBe('2026-03-02T09:00:00.000Z')
  })

  it('throws what its reader catches by the classes of quittance/client', async () => {
    const client: typeof import('../../src/client/index.ts') = await module('client')
    const error = await sandbox.people.merchant.invoices
      .show('INV2-AAAA-AAAA-AAAA-AAAA')
      .catch((error: unknown) => error)

    expect(error).toBeInstanceOf(client.ProblemError)
    expect(error).not.toBeInstanceOf(client.ConnectionError)
    expect(error).not.toBeInstanceOf(class extends client.ProblemError {})
    expect(new Error('another')).not.toBeInstanceOf(client.ProblemError)
  })

  it('shares a server among worlds that never see each other', async () => {
    await using other = await testing.startSandbox({ dialect: 'paypal' })
    await other.people.merchant.invoices.create(anInvoice)

    expect(await count(other)).toBe(1)
    expect(await count(sandbox)).toBe(0)
  })

  it('forks and restores a world', async () => {
    await sandbox.people.merchant.invoices.create(anInvoice)
    await sandbox.snapshot('one')
    const copy = await sandbox.fork()
    await copy.people.merchant.invoices.create(anInvoice)
    await copy.clock.advance('P1D')
    await sandbox.people.merchant.invoices.create(anInvoice)
    await sandbox.people.merchant.invoices.create(anInvoice)

    expect([await count(sandbox), await count(copy)]).toEqual([3, 2])
    expect(await sandbox.clock.now()).toBe('2026-03-02T09:00:00.000Z')
    await sandbox.restore('one')
    expect([await count(sandbox), await count(copy)]).toEqual([1, 2])
    await copy.stop()
  })

  it('hears in an inbox of its own world alone, also when that was forked', async () => {
    const inbox = await sandbox.inbox('INVOICING.INVOICE.CREATED')
    await using copy = await sandbox.fork()
    const inCopy = await copy.inbox('INVOICING.INVOICE.CREATED')
    const there = await copy.people.merchant.invoices.create(anInvoice)
    await copy.settle()
    const here = await sandbox.people.merchant.invoices.create(anInvoice)

    expect((await inbox.next()).resource).toMatchObject({ id: here.id })
    expect((await inCopy.next()).resource).toMatchObject({ id: there.id })
    expect(inbox.events).toHaveLength(1)
    await inbox.close()
  })

  it('answers where it listens, whatever its links say, and so does its fork', async () => {
    await using named = await testing.startSandbox({ settings: { PUBLIC_URL: 'https://pay.example.test' } })
    await using copy = await named.fork()
    const { merchant } = named.people
    const inbox = await named.inbox('INVOICING.INVOICE.CREATED')
    const { id } = await merchant.invoices.create(anInvoice)

    expect((await inbox.next()).resource).toMatchObject({ id })
    const { links } = await merchant.invoices.show(id!)
    expect(links![0]!.href).toBe(`https://pay.example.test/v2/invoicing/invoices/${id}`)
    expect([named.url, copy.url]).toEqual(Array(2).fill(expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)))
  })

  it('takes every setting by its name, the port and the dialect too, and a fork a port of its own', async () => {
    const { port } = new URL(await testing.withSandbox(async ({ url }) => url))
    const settings = { PORT: port, QUITTANCE_DIALECT: 'paypal' }
    await using own = await testing.startSandbox({ settings })
    await using copy = await own.fork()
    const answer = await fetch(`${own.url}/v2/invoicing/invoices`)

    expect([own.url, answer.headers.has('paypal-debug-id')]).toEqual([`http://127.0.0.1:${port}`, true])
    expect(await count(copy)).toBe(0)
    await own.people.partner.invoices.create(anInvoice)
    expect(await count(own)).toBe(1)
  })

  it('explains a failure: the last requests, the events, and what was due', async () => {
    const { merchant } = sandbox.people
    await merchant.invoices.show('INV2-NOPE').catch(() => {})
    await newDispute()
    const inbox = await sandbox.inbox('INVOICING.INVOICE.PAID')

    const failure = await inbox.next('INVOICING.INVOICE.PAID', { within: 50 }).catch((error: Error) => error.message)

    expect(failure).toContain('No INVOICING.INVOICE.PAID within 50 ms; what arrived: nothing.')
    expect(failure).toMatch(/404 GET \/v2\/invoicing\/invoices\/INV2-NOPE by sandbox-merchant/)
    expect(failure).toContain('CUSTOMER.DISPUTE.CREATED')
    expect(failure).toMatch(/Due next:\n {2}2026-/)
  })
})

describe('quittance/testing, where something goes wrong', () => {
  it('tells of the failure of a test, also where the sandbox has nothing to add', async () => {
    const failed = testing.withSandbox(async (own) => {
      await own.stop()
      throw new Error('what the test found')
    })
    await expect(failed).rejects.toThrow('what the test found')
  })

  it.runIf(process.platform === 'linux')('waits for a server that a busy machine keeps from answering', async () => {
    const [folder] = readdirSync(tmp.path).filter((name) => name.startsWith('quittance-testing-'))
    const [pid] = readFileSync(join(tmp.path, folder!, 'server/cluster/postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), 'SIGSTOP')
    try {
      const starting = testing.startSandbox()
      // For longer than whoever calls a service is kept waiting for a connection.
      await Promise.race([starting, new Promise((resolve) => setTimeout(resolve, 3_000))])
      process.kill(Number(pid), 'SIGCONT')
      await using late = await starting
      expect(await late.clock.now()).toMatch(/^20/)
    } finally {
      process.kill(Number(pid), 'SIGCONT')
    }
  })

  it.each([
    [{ STRICT_FIELD: 'true' }, 'STRICT_FIELD is not a setting and has no effect. Did you mean STRICT_FIELDS?'],
    [{ DATABASE_URL: 'postgres://127.0.0.1/shop' }, 'has a world of its own: leave DATABASE_URL out of its settings'],
    [{ QUITTANCE_SECRET: 'a secret of a shop, long enough' }, 'leave QUITTANCE_SECRET out of its settings'],
  ])('refuses a setting that would change nothing: %j', async (settings, says) => {
    await expect(testing.startSandbox({ settings })).rejects.toThrow(says)
  })

  it('says which folder would do where the path of a socket is too long', async () => {
    const script = `import { startSandbox } from 'quittance/testing'
      process.env.TMPDIR = '/tmp/${'x'.repeat(90)}'
      await startSandbox().catch(({ message }) => console.log(message))`
    const { stdout } = await inProject('--input-type=module', '-e', script)
    expect(stdout).toMatch(/would have too long a path: set TMPDIR to a folder with a shorter one\.\n$/)
  })

  it('prints no documents, for which it takes a clone', async () => {
    const { code, stderr } = await inProject(join(installed, 'dist/main.js'), 'docs')
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^quittance: The documents are printed in a clone.*\n$/)])
  })

  it('leaves nothing behind that keeps the process when a sandbox cannot listen', async () => {
    const script = `import { startSandbox } from 'quittance/testing'
      await startSandbox({ settings: { HOST: '192.0.2.1' } }).catch(({ code }) => console.log(code))`
    expect(await inProject('--input-type=module', '-e', script)).toMatchObject({ code: 0, stdout: 'EADDRNOTAVAIL\n' })
  })
})

describe('quittance', () => {
  it('starts a service with the settings that are given, or says which is missing', async () => {
    const { start }: typeof import('../../src/index.ts') = await importFile(installed, 'dist', 'index.js')
    const common = { PORT: '0', LOG_LEVEL: 'silent', SHUTDOWN_GRACE_SECONDS: '0' }
    const service = await start({ ...common, QUITTANCE_DATA_DIR: join(tmp.path, 'data') })
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    const { port } = new URL(service.url)
    const second = start({ ...common, PORT: port, QUITTANCE_DATA_DIR: join(tmp.path, 'other') })
    await expect(second).rejects.toThrow(`Something else listens on port ${port}`)
    await service.stop()

    const live = { ...common, QUITTANCE_ENVIRONMENT: 'live', QUITTANCE_DATA_DIR: join(tmp.path, 'live') }
    await expect(start(live)).rejects.toThrow('QUITTANCE_SECRET must be set in live')
    expect(readdirSync(tmp.path).filter((name) => ['other', 'live'].includes(name))).toEqual([])
  })
})

describe('A test process that is killed', () => {
  it('leaves no world and no server behind', async () => {
    const script = `import { startSandbox } from 'quittance/testing'
      const sandbox = await startSandbox()
      console.log(sandbox.url)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: project.path })
    const url = await new Promise<string>((resolve) =>
      child.stdout.once('data', (text) => resolve(String(text).trim())),
    )
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(running()).toHaveLength(1)

    child.kill('SIGKILL')
    // The last that would keep the server.
    await sandbox.stop()

    await nothingRuns()
  })

  it.runIf(process.platform === 'linux')('does not take the server from others, whatever it was saying', async () => {
    const other = await testing.startSandbox()
    const keeper = keeperPid()
    const [folder] = readdirSync(tmp.path).filter((name) => name.startsWith('quittance-testing-'))
    const address = join(tmp.path, folder!, 'keeper.sock')
    for (const said of ['{"id":1,"do":"world"}\n', '{"id":1,"do":"wor']) {
      const socket = connect(address).pause()
      await new Promise((resolve) => socket.once('connect', resolve))
      await new Promise((resolve) => socket.write(said, resolve))
      // When this is made the answer, if there is one, lies there unread, so that the connection is reset.
      await (await other.fork()).stop()
      socket.destroy()
      await new Promise((resolve) => socket.once('close', resolve))
      const fork = await other.fork()
      expect(await fork.clock.now()).toMatch(/^20/)
      await fork.stop()
    }
    expect(keeperPid()).toBe(keeper)
    await other.stop()
    await nothingRuns()
  })
})

/** The process that keeps the server of this file. */
const keeperPid = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
        return words[1]?.endsWith('keeper.js') && words[2]?.startsWith(tmp.path)
      } catch {
        return false
      }
    })

describe('A keeper that is killed', () => {
  it.runIf(process.platform === 'linux')('leaves nobody waiting, and another takes its place', async () => {
    const first = await testing.startSandbox()
    const keeper = keeperPid()!
    process.kill(keeper, 'SIGSTOP')
    const second = testing.startSandbox()
    // Asked, and not answered.
    await new Promise(setImmediate)
    process.kill(keeper, 'SIGKILL')

    await expect(first.fork()).rejects.toThrow()
    expect(await (await second).clock.now()).toMatch(/^20/)
    await first.stop().catch(() => {})
    await (await second).stop()
    await nothingRuns()
  })
})
