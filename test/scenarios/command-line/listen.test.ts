import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../src/cli/run.ts'
import { after, systemClock } from '../../../src/kernel/clock.ts'
import { issueCertificate } from '../../../src/webhooks/signing/certificate.ts'
import { run } from '../../support/command.ts'
import { commandLine } from '../../support/process.ts'
import { badHandler, goodHandler, HANDLER_SECRET } from '../../support/shop-handler.ts'
import { newWorld, type World } from '../../support/world.ts'

let world: World
let variables: Record<string, string>
beforeAll(async () => {
  world = await newWorld()
  variables = { QUITTANCE_URL: await world.app.listen() }
})
afterAll(() => world.close())

/** A command that runs until it is stopped, and what it has written. */
function running(...words: string[]) {
  const stop = new AbortController()
  const told: { out: string[]; err: string[] } = { out: [], err: [] }
  const written = {
    get out() {
      return told.out.join('')
    },
    get err() {
      return told.err.join('')
    },
  }
  const output = {
    out: (text: string) => void told.out.push(text),
    err: (text: string) => void told.err.push(text),
    interrupted: stop.signal,
  }
  const ended = runCommand(words, variables, output)
  return { written, stop: () => stop.abort(), ended }
}
const until = (condition: () => boolean) => expect.poll(condition, { interval: 10 }).toBe(true)
const webhooks = async () =>
  (await world.merchant.get<{ webhooks: { id: string; url: string }[] }>('/v1/notifications/webhooks')).body.webhooks

describe('quittance listen', () => {
  it('shows each event as it comes, forwards it with a signature that verifies, and leaves nothing behind', async () => {
    const handler = await goodHandler()
    const { written, stop, ended } = running(
      ...[
        'listen',
        '--events',
        'CUSTOMER.DISPUTE.*',
        '--forward-to',
        handler.url(),
        '--signing-secret',
        HANDLER_SECRET,
      ],
    )
    await until(() => written.err.includes('Listening'))
    expect(await webhooks()).toHaveLength(1)

    const { code } = await run(['trigger', 'CUSTOMER.DISPUTE.CREATED'], variables)
    expect(code).toBe(0)
    // On a busy machine an attempt may run out of patience; the next one is due within seconds.
    await expect
      .poll(async () => {
        await world.pass('PT10S')
        return ['CREATED', 'UPDATED'].every((what) => written.out.includes(`CUSTOMER.DISPUTE.${what}`))
      })
      .toBe(true)
    expect(written.out).toMatch(/^\d\d:\d\d:\d\d {2}CUSTOMER\.DISPUTE\.CREATED {2}PP-\S+ {2}204 {2}\d+ ms$/m)

    // What the service itself signed goes along: with the secret of the webhook, and with the certificate.
    const [first] = handler.received
    const secret = /signed with (whsec_\S+)\./.exec(written.err)?.[1] ?? ''
    new Webhook(secret).verify(first!.body, first!.headers as Record<string, string>)
    const { body } = await world.merchant.post<{ verification_status: string }>(
      '/v1/notifications/verify-webhook-signature',
      {
        ...Object.fromEntries(
          ['auth_algo', 'cert_url', 'transmission_id', 'transmission_sig', 'transmission_time'].map((name) => [
            name,
            first!.headers[`service-${name.replace('_', '-')}`],
          ]),
        ),
        webhook_id: (await webhooks())[0]!.id,
        webhook_event: JSON.parse(first!.body) as object,
      },
    )
    expect(body.verification_status).toBe('SUCCESS')

    stop()
    expect(await ended).toBe(0)
    expect(await webhooks()).toEqual([])
    await handler.close()
  })

  it('ends without a word when the sandbox has ended before it', async () => {
    const other = await newWorld({ isOwn: true })
    const { written, stop, ended } = running('listen', '--url', await other.app.listen())
    await until(() => written.err.includes('Listening'))
    await other.close()

    stop()
    expect(await ended).toBe(0)
    expect(written.err.trim().split('\n')).toHaveLength(1)
  })

  it.each([
    ['a reset', ['reset']],
    ['a snapshot of before is loaded', ['snapshot', 'load', 'before']],
  ])('goes on after %s, which takes its webhook along', async (_, words) => {
    await run(['snapshot', 'save', 'before'], variables)
    const { written, stop, ended } = running('listen')
    await until(() => written.err.includes('Listening'))
    // What is told of what was done since is not told any more afterwards.
    await run(['trigger', 'INVOICING.INVOICE.CANCELLED'], variables)

    expect(await run(words, variables)).toMatchObject({ code: 0 })
    await until(() => written.err.split('Listening').length === 3)
    expect((await run(['trigger', 'INVOICING.INVOICE.CREATED'], variables)).code).toBe(0)
    await expect
      .poll(async () => {
        await world.pass('PT10S')
        return written.out
      })
      .toContain('INVOICING.INVOICE.CREATED')

    stop()
    expect(await ended).toBe(0)
    expect(await webhooks()).toEqual([])
    await run(['snapshot', 'delete', 'before'], variables)
  })

  it('prints whole events as JSON, and tells the service of a handler that does not answer', async () => {
    const { written, stop, ended } = running('listen', '--print', '--json', '--forward-to', 'http://127.0.0.1:9/hook')
    await until(() => written.err.includes('Listening'))
    const trigger = await run(['trigger', 'INVOICING.INVOICE.CREATED'], variables)
    expect(trigger.code).toBe(0)
    await until(() => written.out.includes('\n'))
    const [told] = written.out.trim().split('\n')
    expect(JSON.parse(told!)).toMatchObject({
      type: 'INVOICING.INVOICE.CREATED',
      error: 'ECONNREFUSED',
      event: { resource_type: 'invoices' },
    })
    const { body } = await world.merchant.get<{ transmissions: { status: string }[] }>(
      '/v1/notifications/webhooks-transmissions',
    )
    expect(body.transmissions.some(({ status }) => status === 'PENDING')).toBe(true)
    stop()
    expect(await ended).toBe(0)
  })

  it('refuses events and addresses that are none', async () => {
    for (const words of [
      ['--events', 'CUSTOMER.DISPUT'],
      ['--forward-to', 'here'],
      ['--signing-secret', 'mine', '--forward-to', 'http://127.0.0.1:9'],
      ['--reached-at', '::1'],
    ]) {
      const { code, stderr } = await run(['listen', ...words], variables)
      expect([code, stderr.trim().split('\n').length]).toEqual([2, 1])
    }
  })

  it('forwards to a handler with a certificate of its own making, when it is told to', async () => {
    const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const cert = issueCertificate({
      ...{ publicKey: keys.publicKey, name: 'localhost', by: { name: 'nobody', privateKey: keys.privateKey } },
      ...{ serial: Buffer.from([1]), from: after(systemClock.now(), -60), until: after(systemClock.now(), 3_600) },
    })
    const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' })
    const got: string[] = []
    const handler = createServer({ key, cert }, (request, response) => {
      got.push(String(request.url))
      request.resume().on('end', () => response.writeHead(204).end())
    })
    await new Promise<void>((resolve) => handler.listen(0, '127.0.0.1', resolve))
    const url = `https://127.0.0.1:${(handler.address() as AddressInfo).port}/hook`
    const heard = async (...more: string[]) => {
      const { written, stop, ended } = running('listen', '--forward-to', url, ...more)
      await until(() => written.err.includes('Listening'))
      await world.merchant.post('/sandbox/transactions', { amount: { currency_code: 'USD', value: '5.00' } })
      await world.settle()
      await until(() => written.out.includes('PAYMENT.CAPTURE.COMPLETED'))
      stop()
      await ended
      return written.out
    }

    expect(await heard()).toMatch(/PAYMENT\.CAPTURE\.COMPLETED +\S+ +no answer \(UNABLE_TO_VERIFY/)
    expect(got).toEqual([])
    expect(await heard('--skip-verify')).toMatch(/PAYMENT\.CAPTURE\.COMPLETED +\S+ +204/)
    expect(got).toContain('/hook')
    handler.closeAllConnections()
    handler.close()
  })

  it('ends when whoever read what it shows is gone, and leaves nothing behind', async () => {
    const [program, words] = commandLine(['listen'])
    const child = spawn(program, words, { env: { ...process.env, ...variables } })
    const ended = once(child, 'exit')
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    await until(() => said.includes('Listening'))

    child.stdout.destroy()
    await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
    await world.settle()

    expect([(await ended)[0], said.trim().split('\n').length]).toEqual([0, 1])
    expect(await webhooks()).toEqual([])
  })

  it('hears of a story that empties the sandbox first', async () => {
    const { written, stop, ended } = running('listen', '--events', 'INVOICING.INVOICE.CREATED')
    await until(() => written.err.includes('Listening'))

    const words = ['scenario', 'run', 'scheduled-invoice', '--until', 'draft', '--reset']
    expect(await run(words, variables)).toMatchObject({ code: 0 })
    await world.settle()

    expect(written.out).toContain('INVOICING.INVOICE.CREATED')
    stop()
    await ended
  })

  it('takes away the webhook that one leaves behind which is killed', async () => {
    const first = running('listen')
    await until(() => first.written.err.includes('Listening'))
    const { url } = (await webhooks())[0]!
    first.stop()
    await first.ended
    // Then it is there, and nobody answers at its address.
    await world.merchant.post('/v1/notifications/webhooks', { url, event_types: [{ name: '*' }] })
    const [left] = await webhooks()

    const { written, stop, ended } = running('listen')
    await until(() => written.err.includes('Listening'))
    expect((await webhooks()).map(({ id }) => id)).not.toContain(left!.id)
    stop()
    await ended
  })

  it('leaves that of another machine alone, of which it cannot see whether somebody listens there', async () => {
    const url = 'http://127.0.0.1:9100/quittance-listen'
    const types = { event_types: [{ name: '*' }] }
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', { url, ...types })
    const { written, stop, ended } = running('listen', '--reached-at', 'localhost')
    await until(() => written.err.includes('Listening'))

    expect((await webhooks()).map(({ id }) => id)).toContain(body.id)
    stop()
    expect(await ended).toBe(0)
    await world.merchant.delete(`/v1/notifications/webhooks/${body.id}`)
  })
})

describe('quittance requests --follow', () => {
  it('shows each request as it is answered, until it is stopped', async () => {
    const { written, stop, ended } = running('requests', '--follow', '--limit', '1')
    await world.merchant.get('/v2/invoicing/invoices')
    await until(() => written.out.includes('200  GET /v2/invoicing/invoices'))

    await world.merchant.get('/v2/invoicing/invoices/INV2-0000-0000-0000-0000')
    await until(() => written.out.includes('404  GET /v2/invoicing/invoices/INV2-0000-0000-0000-0000'))
    stop()
    await world.merchant.get('/v2/invoicing/templates')

    expect(await ended).toBe(0)
    expect(written.out.match(/INV2-0000-0000-0000-0000 /g)).toHaveLength(1)
  })
})

describe('quittance requests --follow that waits', () => {
  it('ends when it is stopped, and not when something comes', async () => {
    // Stands for a sandbox in which nothing ever happens.
    const waits: string[] = []
    const still = createHttpServer((request, response) => {
      if (request.url!.includes('wait=')) return void waits.push(request.url!)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ now: 'then', seq: 0, requests: [] }))
    })
    await new Promise<void>((resolve) => still.listen(0, '127.0.0.1', resolve))
    const { port } = still.address() as AddressInfo
    const { stop, ended } = running('requests', '--follow', '--url', `http://127.0.0.1:${port}`)
    await until(() => waits.length === 1)

    stop()

    expect(await ended).toBe(0)
    still.closeAllConnections()
    await new Promise((resolve) => still.close(resolve))
  })
})

describe('quittance gauntlet', () => {
  interface Verdict {
    readonly exam: string
    readonly passed: boolean
  }
  const verdicts = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Verdict)

  it('passes a good handler, and says what a bad one fails and what would be expected', async () => {
    const [good, bad] = [await goodHandler(), await badHandler()]
    const take = (url: string, ...more: string[]) =>
      run(['gauntlet', url, '--signing-secret', HANDLER_SECRET, ...more], variables)
    const [passed, failed] = await Promise.all([take(good.url(), '--json'), take(bad.url())])
    await Promise.all([good.close(), bad.close()])

    expect(verdicts(passed.stdout).filter((verdict) => !verdict.passed)).toEqual([])
    expect(verdicts(passed.stdout).map(({ exam }) => exam)).toEqual([
      'valid',
      'duplicate',
      'out of order',
      'late',
      'wrong signature',
      'old timestamp',
      'unknown event',
      'large',
      'slow to read',
      'retried after 500',
    ])
    expect(passed.code).toBe(0)
    expect([...failed.stdout.matchAll(/^fails {4,}(\w[\w ]*?) {2,}/gm)].map(([, name]) => name)).toEqual([
      'duplicate',
      'wrong signature',
      'old timestamp',
      'unknown event',
      'large',
      'retried after 500',
    ])
    expect(failed.stdout).toContain('Refuses with 4xx what is signed with another secret')
    expect([failed.code, failed.stderr]).toEqual([1, 'quittance: The handler fails 6 of 10.\n'])
  })

  it('knows the secret of a handler that is subscribed, and says so when nobody is', async () => {
    const { code, stderr } = await run(['gauntlet', 'http://127.0.0.1:9/hook'], variables)
    expect([code, stderr]).toEqual([2, expect.stringContaining('--signing-secret')])
    const gone = await run(['gauntlet', 'http://127.0.0.1:9/hook', '--signing-secret', HANDLER_SECRET], variables)
    expect([gone.code, gone.stderr]).toEqual([1, 'quittance: Nothing answers at http://127.0.0.1:9/hook.\n'])
  })
})
