import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, startProgram, temporaryFolder } from '../support/process.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

interface Step {
  readonly command: string
  readonly printed: string
}

/**
 * Every command of the start and the tutorial, in order, with what the README says the command prints. The blocks of a
 * `console` are sessions with commands that stay, which test/scenarios/command-line tries.
 */
function stepsOf(text: string): Step[] {
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, kind, block]) =>
    kind === '' ? block! : [],
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
    .replace(/"[0-9A-Z]{17}"/g, '"(id)"')

const START = 'npm ci && npm start'
/** The run that this test is part of. */
const TESTS = 'npm ci && npm test'
const PORTS = { service: '8080', handler: '9000' }
const LISTENS_MS_MAX = 10_000

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
  })

describe('The README, followed word by word', () => {
  const steps = stepsOf(readme)
  const folder = temporaryFolder()
  const shell = spawn('bash', [], { cwd: folder.path, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
  let service: RunningService
  let handlerPort: number
  beforeAll(async () => {
    const data = { QUITTANCE_DATA_DIR: `${folder.path}/data` }
    ;[service, handlerPort] = await Promise.all([startProgram(['npm', ['start']], data), freePort()])
  }, 60_000)
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
  }, 60_000)
})
