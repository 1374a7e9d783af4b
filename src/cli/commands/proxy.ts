import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, systemClock } from '../../kernel/clock.ts'
import { openForwardProxy } from '../../outbound/forward-proxy.ts'
import { issueCertificate } from '../../webhooks/signing/certificate.ts'
import { addressRefusal } from '../address.ts'
import { type Command, CommandError, type CommandInput, UsageError } from '../command.ts'
import { makePaint } from '../paint.ts'

const PORT = 8888
const PORT_MAX = 65_535
const FILE = 'quittance-proxy.pem'
const DAY_SECONDS = 86_400
const AUTHORITY = 'Quittance proxy of this session'

/** An authority that lives as long as the command, and what hosts prove themselves with under it. */
function newAuthority() {
  const authority = generateKeyPairSync('rsa', { modulusLength: 2048 })
  // What hosts sign with is made at once, unlike the key of the authority.
  const host = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = systemClock.now()
  const issue = (publicKey: KeyObject, name: string, isAuthority = false) =>
    issueCertificate({
      publicKey,
      name,
      isAuthority,
      by: { name: AUTHORITY, privateKey: authority.privateKey },
      serial: randomBytes(16),
      from: after(now, -DAY_SECONDS),
      until: after(now, 90 * DAY_SECONDS),
    })
  const key = host.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return {
    certificate: issue(authority.publicKey, AUTHORITY, true),
    identityOf: (name: string) => ({ key, cert: issue(host.publicKey, name) }),
  }
}

/** Whether a host is among the names; `*.shop.test` is every name below. */
const isAmong = (names: readonly string[], host: string) =>
  names.some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name))

export const proxyCommand: Command = {
  kind: 'sandbox',
  name: 'proxy',
  summary: 'Route clients with hard-coded hosts to the sandbox: an HTTPS proxy with its own certificate authority',
  starts: true,
  options: {
    hosts: {
      type: 'string',
      multiple: true,
      value: '<names>',
      description: 'The hosts whose calls go to the sandbox, separated by commas; *.shop.test is every name below',
    },
    'proxy-port': { type: 'string', value: '<port>', description: `Where the proxy listens; ${PORT} by default` },
    authority: {
      type: 'string',
      value: '<file>',
      description: `Where to write the certificate that clients must trust; ${FILE} by default`,
    },
  },
  examples: [
    ['proxy --hosts api.example.test', 'calls to https://api.example.test reach the sandbox'],
    ['proxy --hosts *.example.test,hooks.other.test --proxy-port 9999', 'several hosts, on another port'],
  ],
  check: readCall,
  async run(input) {
    const { options, sandbox, output, tell } = input
    const { names, port } = readCall(input)
    const { certificate, identityOf } = newAuthority()
    const paint = makePaint(output)
    const proxy = await openForwardProxy({
      port,
      isLed: (host) => isAmong(names, host),
      identityOf,
      target: sandbox.url,
      onCall(call) {
        const { method, url, status } = call
        const answer =
          status === undefined ? paint('red', 'refused') : paint(status < 400 ? 'green' : 'yellow', String(status))
        tell(call, `${answer}  ${method} ${url}`)
      },
    }).catch((error: unknown) => {
      throw addressRefusal(error, { host: '127.0.0.1', port })
    })
    try {
      const file = resolve(String(options['authority'] ?? FILE))
      writeAuthority(file, certificate)
      output.err(`Proxy at http://127.0.0.1:${proxy.port} for ${names.join(', ')}; everything else is refused.
Clients trust ${file} while it runs, for example:
  curl --proxy http://127.0.0.1:${proxy.port} --cacert ${file} https://${names[0]!.replace('*', 'api')}/v2/invoicing/invoices
docs/proxy.md says how in Node, Python, PHP, Java and Go. Ctrl-C ends it.
`)
      const { interrupted } = output
      await new Promise<void>((done) => {
        if (interrupted?.aborted) done()
        interrupted?.addEventListener('abort', () => done())
      })
    } finally {
      await proxy.close()
    }
    return undefined
  },
}

function readCall({ options }: CommandInput): { names: readonly string[]; port: number } {
  const names = [options['hosts'] ?? []]
    .flat()
    .flatMap((text) => String(text).split(','))
    .map((name) => name.trim().toLowerCase())
  const portText = String(options['proxy-port'] ?? PORT)
  if (names.length === 0 || names.some((name) => !/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name)))
    throw new UsageError('--hosts takes the hosts whose calls go to the sandbox, such as api.example.test.')
  if (!/^\d{1,5}$/.test(portText) || Number(portText) > PORT_MAX)
    throw new UsageError('--proxy-port is a port, such as 8888; 0 takes a free one.')
  return { names, port: Number(portText) }
}

function writeAuthority(file: string, certificate: string): void {
  try {
    writeFileSync(file, certificate)
  } catch (error) {
    throw new CommandError(`The certificate cannot be written to ${file}: ${(error as NodeJS.ErrnoException).code}.`)
  }
}
