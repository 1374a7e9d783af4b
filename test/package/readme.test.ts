import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/ports.ts'
import { isAlive, type RunningService, runProgram, startProgram, temporaryFolder } from '../support/process.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

interface Step {
  readonly command: string
  readonly printed: string
}

/**
 * Every command of the start and the tutorial, in order, with what the README says the command prints; those of `console`
 * are a session with a command that stays. `npm ci` is what .ci/run begins with, in a clean checkout, before it runs this.
 */
function stepsOf(text: string, wanted: '' | 'console'): Step[] {
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, kind, block]) =>
    kind === wanted ? block! : [],
  )
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        // A document that is typed in belongs to the command, up to its last line.
        const [command] = /^.*<<'END'\n[\s\S]*?^END$/m.exec(step) ?? /^.*$/m.exec(step)!
        return { command, printed: step.slice(command.length).trim() }
      }),
  )
}

/** Without what differs from one run to the next, and lines of events that a busy machine was told of twice. */
const alike = (text: string) =>
  [...new Set(text.split('\n'))]
    .join('\n')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, '(time)')
    .replace(/\bINV2(-[0-9A-Z]{4}){4}\b/g, '(invoice)')
    .replace(/\/invoice\/p\/#[0-9A-Z]{16}\b/g, '/invoice/p/#(code)')
    .replace(/\bPP-R-[A-Z]{3}-\d+\b/g, '(dispute)')
    .replace(/\b[0-9A-Z]{17}\b/g, '(id)')
    .replace(/\bwhsec_[\w+/]+=*/g, 'whsec_(secret)')
    .replace(/^\d\d:\d\d:\d\d {2}/gm, '(time)  ')
    .replace(/\b\d+ ms$/gm, '(ms)')

const START = 'npm ci && npm start'
/** The run that this test is part of. */
const TESTS = 'npm ci && npm test'
const PORTS = { service: '8080', handler: '9000', hook: '3000' }
const LISTENS_MS_MAX = 10_000
/** How long a sandbox may take to start beside others, and to tell of all that happened. */
const STARTS_MS_MAX = 60_000
const root = fileURLToPath(new URL('../..', import.meta.url))

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
  })

describe('The README, followed word by word', () => {
  const steps = stepsOf(readme, '')
  const folder = temporaryFolder()
  const shell = spawn('bash', [], { cwd: folder.path, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
  let service: RunningService
  let handlerPort: number
  beforeAll(async () => {
    const data = { QUITTANCE_DATA_DIR: `${folder.path}/data` }
    ;[service, handlerPort] = await Promise.all([startProgram(['npm', ['start']], data), freePort()])
  })
  afterAll(async () => {
    shell.kill()
    await service.end('SIGTERM')
    folder.remove()
  })

  /** The ports are the only thing that is not as it is written. */
  const here = (text: string) =>
    text.replaceAll(`http://127.0.0.1:${PORTS.service}`, service.url).replaceAll(PORTS.handler, String(handlerPort))
  const written = (text: string) =>
    text.replaceAll(service.url, `http://127.0.0.1:${PORTS.service}`).replaceAll(String(handlerPort), PORTS.handler)

  async function type(command: string): Promise<string> {
    shell.stdin.write(`${here(command)}\nprintf '\\n(end)\\n'\n`)
    const printed: string[] = []
    for (let line = await lines.next(); !line.done && line.value !== '(end)'; line = await lines.next())
      printed.push(line.value)
    return written(printed.join('\n').trim())
  }

  it('begins with the start, which prints what it says, and the tests', async () => {
    expect(steps.slice(0, 2).map(({ command }) => command)).toEqual([START, TESTS])
    await expect.poll(() => written(service.said())).toContain(steps[0]!.printed)
  })

  it('prints at every command what it says, up to ids and times', async () => {
    const tutorial = steps.slice(2)
    const went: Step[] = []
    const pages: (string | undefined)[] = []
    for (const { command } of tutorial) {
      const printed = await type(command)
      went.push({ command, printed })
      const code = /\/invoice\/p\/#(\w+)/.exec(printed)?.[1]
      // As the script of the page does with the part of a link that a browser keeps to itself.
      if (code) pages.push(/\$99\.00/.exec(await (await fetch(`${service.url}/invoice/p/${code}`)).text())?.[0])
      // Whoever types is never so quick.
      if (command.startsWith('node handler'))
        await expect.poll(() => answers(handlerPort), { timeout: LISTENS_MS_MAX }).toBe(true)
    }

    const comparable = (list: readonly Step[]) =>
      list.map(({ command, printed }) => ({ command, printed: alike(printed) }))
    expect(comparable(went)).toEqual(comparable(tutorial))
    expect(tutorial.length).toBeGreaterThan(20)
    expect(pages).toEqual(['$99.00'])
  })

  it('takes three commands to a signed event of a dispute at a handler', async () => {
    const [install, listen, trigger, ...more] = stepsOf(readme, 'console')
    expect([install!.command, more]).toEqual(['npm ci', []])
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    const verified: string[] = []
    const handler = createHttpServer(async (request, response) => {
      const body = (await request.toArray()).join('')
      new Webhook(secret).verify(body, request.headers as Record<string, string>)
      verified.push(JSON.parse(body).event_type)
      response.writeHead(204).end()
    }).listen(0, '127.0.0.1')
    await once(handler, 'listening')
    const hookPort = String((handler.address() as AddressInfo).port)
    const port = String(await freePort())
    // The tutorial ends where everything begins anew: npm is told to end, and the service ends with it, and its PostgreSQL.
    const postmaster = `${folder.path}/data/server/cluster/postmaster.pid`
    const postgres = Number(readFileSync(postmaster, 'utf8').split('\n')[0])
    await service.end('SIGTERM')
    await expect.poll(() => answers(Number(new URL(service.url).port))).toBe(false)
    await expect.poll(() => isAlive(postgres)).toBe(false)
    expect(existsSync(postmaster)).toBe(false)
    const variables = { PORT: port, QUITTANCE_DATA_DIR: `${folder.path}/data`, SIGNING_SECRET: secret }
    const at = ({ command }: Step) => command.replaceAll(PORTS.hook, hookPort)
    const as = (text: string) => alike(text.replaceAll(`:${port}`, `:${PORTS.service}`).trim())

    const { DATABASE_URL: _test, ...inherited } = process.env
    let said = ''
    const listening = spawn('bash', ['-c', at(listen!)], {
      cwd: root,
      env: { ...inherited, ...variables },
      detached: true,
    })
    for (const stream of [listening.stdout, listening.stderr]) stream.on('data', (text: Buffer) => (said += text))
    const ended = once(listening, 'close')
    onTestFinished(() => {
      if (listening.exitCode === null && listening.signalCode === null) process.kill(-listening.pid!, 'SIGKILL')
    })
    await expect.poll(() => said, { timeout: STARTS_MS_MAX }).toContain('Ctrl-C ends it.')
    const triggered = await runProgram(['bash', ['-c', at(trigger!)]], variables)
    const lines = (text: string) => as(text).split('\n').sort()
    // The handler is told of the payment and of the dispute at the same time.
    await expect.poll(() => lines(said), { timeout: STARTS_MS_MAX }).toEqual(lines(listen!.printed))
    // What a terminal does at Ctrl-C.
    process.kill(-listening.pid!, 'SIGINT')
    await ended

    expect(as(triggered.stdout)).toBe(as(trigger!.printed))
    expect(new Set(verified)).toEqual(new Set(listen!.printed.match(/[A-Z]+(\.[A-Z]+){2}/g)))
    handler.close()
  })
})
