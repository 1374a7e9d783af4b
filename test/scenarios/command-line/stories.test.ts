import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../src/cli/run.ts'
import { after } from '../../../src/kernel/clock.ts'
import type { Played } from '../../../src/scenarios/play.ts'
import type { Run } from '../../../src/scenarios/runs.ts'
import { run } from '../../support/command.ts'
import { newDatabase } from '../../support/database.ts'
import { commandLine, runProgram } from '../../support/process.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, type World } from '../../support/world.ts'

let world: World
let receiver: Receiver
let variables: Record<string, string>
beforeAll(async () => {
  world = await newWorld()
  receiver = await Receiver.open()
  variables = { QUITTANCE_URL: await world.app.listen() }
})
afterAll(async () => {
  await receiver.close()
  await world.close()
})

const lines = <Line>(text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

describe('quittance scenario', () => {
  it('lists and shows stories', async () => {
    expect((await run(['scenario', 'list'], {})).stdout).toMatch(/seller-wins +The seller wins/)
    expect((await run(['scenario', 'show', 'seller-wins'], {})).stdout).toContain('5. decide  The agent decides')
    const { code, stderr } = await run(['scenario', 'show', 'seller-win'], {})
    expect([code, stderr]).toEqual([1, expect.stringContaining('Did you mean seller-wins?')])
  })

  it('plays one up to a step, prints what each did, and delivers its events signed', async () => {
    const words = ['scenario', 'run', 'seller-wins', '--until', 'open', '--forward-to', receiver.url()]
    const { code, stdout, stderr } = await run(words, variables)

    expect(code).toBe(0)
    expect(stdout).toContain('2. open  ')
    expect(stdout).toMatch(/dispute +PP-\S+ +INQUIRY +WAITING_FOR_SELLER_RESPONSE/)
    expect(stdout).toMatch(/event +CUSTOMER\.DISPUTE\.CREATED/)
    expect(stdout).toMatch(/money +withheld \+50\.00 USD/)
    expect(stdout).toMatch(/mail +merchant@example\.com: Dispute/)
    expect(stdout).not.toContain('3. escalate')
    expect(stderr).toMatch(/signed with whsec_/)
    expect(receiver.types).toContain('CUSTOMER.DISPUTE.CREATED')
    const { body } = await world.merchant.get<{ webhooks: object[] }>('/v1/notifications/webhooks')
    expect(body.webhooks).toEqual([])
  })

  it.skipIf(process.platform === 'win32')(
    'plays one that comes through a pipe, which gives its text only once',
    async () => {
      const story = fileURLToPath(new URL('../../../scenarios/seller-wins.yaml', import.meta.url))
      const [node, words] = commandLine(['scenario', 'run', '/dev/stdin', '--until', 'open'])
      const piped: [string, string[]] = [
        'sh',
        ['-c', 'file=$1; shift; cat "$file" | "$@"', 'sh', story, node, ...words],
      ]

      const { code, stdout, stderr } = await runProgram(piped, variables)

      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('2. open  ')
    },
  )

  it('plays a file of one’s own, and ends with 1 where it comes out otherwise', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quittance-story-'))
    const file = join(folder, 'mine.yaml')
    const mine = (change: string) => `title: Mine
about: A payment.
people: { shop: sandbox-merchant }
steps:
  - step: pay
    says: Somebody pays.
    call: createSandboxTransaction
    as: shop
    body: { amount: { currency_code: USD, value: '7.00' } }
    expect: { money: { available: ${change} } }
`
    writeFileSync(file, mine('+7.00 USD'))
    const good = await run(['scenario', 'run', file, '--json', '--reset'], variables)
    expect(lines<Played>(good.stdout)).toMatchObject([{ step: 'pay', money: { available: '+7.00 USD' } }])
    writeFileSync(file, mine('+8.00 USD'))
    const bad = await run(['scenario', 'run', file], variables)
    rmSync(folder, { recursive: true })
    expect(bad.code).toBe(1)
    expect(bad.stderr).toContain('mine.yaml:5:5: step pay: money.available should be +8.00 USD and is "+7.00 USD"')
  })

  it('refuses a file that its aliases make many times as large, in one sentence', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quittance-story-'))
    const file = join(folder, 'bomb.yaml')
    const tenfold = (name: string, of: string) => `${name}: &${name} [${Array(10).fill(of).join(', ')}]`
    writeFileSync(file, [tenfold('a', 'x'), tenfold('b', '*a'), tenfold('c', '*b'), tenfold('d', '*c')].join('\n'))

    const { code, stdout, stderr } = await run(['scenario', 'show', file], {})
    rmSync(folder, { recursive: true })

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^quittance: .*bomb\.yaml:1:1: expected every & to be repeated at most 100 times, .*\n$/)
  })

  it('takes its webhook away when it is stopped on the way', async () => {
    const interrupted = AbortSignal.abort()
    const output = { out: () => {}, err: () => {}, interrupted }
    const words = ['scenario', 'run', 'seller-wins', '--forward-to', receiver.url('/stopped')]
    expect(await runCommand(words, variables, output)).toBe(1)
    const { body } = await world.merchant.get<{ webhooks: object[] }>('/v1/notifications/webhooks')
    expect(body.webhooks).toEqual([])
  })

  it('takes its webhook away when it is stopped while it rests between two steps', async () => {
    const stop = new AbortController()
    const output = {
      out: (text: string) => void (text.includes('1. pay') && setImmediate(() => stop.abort())),
      err: () => {},
    }
    const words = ['scenario', 'run', 'seller-wins', '--speed', '900', '--forward-to', receiver.url('/resting')]
    expect(await runCommand(words, variables, { ...output, interrupted: stop.signal })).toBe(1)
    const { body } = await world.merchant.get<{ webhooks: object[] }>('/v1/notifications/webhooks')
    expect(body.webhooks).toEqual([])
  })

  it.each([
    [['scenario', 'run', 'seller-wins', '--forward-to', 'ftp://127.0.0.1/hook'], 'cannot be forwarded to ftp:'],
    [['scenario', 'show', './'], './ cannot be read as a file (EISDIR)'],
    [['listen', '--as', 'nobody'], 'There is no app nobody with this secret'],
  ])('says in one sentence what it cannot do: %j', async (words, sentence) => {
    const { code, stderr } = await run(words, variables)
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1])
    expect(stderr).toContain(sentence)
  })

  it('says in one sentence that no sandbox is there', async () => {
    const { code, stderr } = await run(['scenario', 'run', 'seller-wins'], { QUITTANCE_URL: 'http://127.0.0.1:9' })
    expect(code).toBe(1)
    expect(stderr).toBe(
      'quittance: No sandbox answers at http://127.0.0.1:9: start one with "quittance start", or say where it is with --url or QUITTANCE_URL.\n',
    )
  })
})

describe('POST /sandbox/scenarios/{name}/run', () => {
  it('plays a story whose steps can be watched one by one', async () => {
    const started = await world.call<Run>('POST', '/sandbox/scenarios/offer-accepted/run', { until: 'offer' })
    expect(started.status).toBe(201)
    const seen: string[] = []
    let run: Run = started.body
    while (run.status === 'RUNNING') {
      run = (await world.call<Run>('GET', `/sandbox/scenario-runs/${run.id}?after=${run.steps.length}`)).body
      for (const { step } of run.steps.slice(seen.length)) seen.push(step)
    }
    expect(run.status).toBe('DONE')
    expect(seen).toEqual(['pay', 'open', 'talk', 'offer'])
  })

  it('refuses what it does not know, and a second story while one is played', async () => {
    expect((await world.call('POST', '/sandbox/scenarios/nothing/run', {})).status).toBe(404)
    expect((await world.call('POST', '/sandbox/scenarios/seller-wins/run', { until: 'nothing' })).status).toBe(400)
    const first = await world.call<Run>('POST', '/sandbox/scenarios/seller-wins/run', { until: 'pay' })
    const second = await world.call('POST', '/sandbox/scenarios/seller-wins/run', {})
    expect([second.status, second.text]).toEqual([422, expect.stringContaining('SCENARIO_RUNNING')])
    await expect
      .poll(async () => (await world.call<Run>('GET', `/sandbox/scenario-runs/${first.body.id}?after=0`)).body.status)
      .toBe('DONE')
    const { body } = await world.call<{ scenarios: { name: string }[] }>('GET', '/sandbox/scenarios')
    expect(body.scenarios.map(({ name }) => name)).toContain('webhook-down')
  })
})

describe('quittance trigger', () => {
  it('makes the state behind an event, or sends a sample of one that never happens', async () => {
    await world.merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
    const samples = ['CHECKOUT.ORDER.COMPLETED', 'PAYMENT.CAPTURE.DECLINED', 'RISK.DISPUTE.CREATED']
    // The stories behind all the others are played in test/scenarios/stories/library.test.ts.
    for (const event of ['CUSTOMER.DISPUTE.CREATED', ...samples]) {
      receiver.forget()
      const { code, stderr } = await run(['trigger', event], variables)
      await world.settle()
      expect([code, stderr], event).toEqual([0, ''])
      expect(receiver.types, event).toContain(event)
    }
  })

  it('takes other values, and says which there are', async () => {
    const words = ['trigger', 'CUSTOMER.DISPUTE.CREATED', '--override', 'open.dispute_amount.value=12.00', '--json']
    const [, opened] = lines<Played>((await run(words, variables)).stdout)
    expect(opened?.things.dispute).toMatchObject({ dispute_amount: { value: '12.00' } })

    const wrong = await run(['trigger', 'CUSTOMER.DISPUTE.CREATED', '--override', 'amount=1'], variables)
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('the steps are pay, open')])
    const sample = await run(['trigger', 'RISK.DISPUTE.CREATED', '--override', 'open.reason=OTHER'], variables)
    expect([sample.code, sample.stderr]).toEqual([2, expect.stringContaining('nothing is overridden')])
    const unknown = await run(['trigger', 'CUSTOMER.DISPUTE.CREATE'], variables)
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('Did you mean CUSTOMER.DISPUTE.CREATED?'),
    ])
  })
})

describe('quittance due', () => {
  it('says that there is more than it lists', async () => {
    await world.app.transact(async (tx) => {
      for (let n = 0; n < 201; n++)
        tx.enqueue({ name: 'no-such-job', payload: { account_id: 'A' }, runAt: after(tx.now, 60), key: `due ${n}` })
    })
    const { code, stdout, stderr } = await run(['due', '--json'], variables)
    await world.pass('PT2M')

    expect([code, JSON.parse(stdout).length]).toEqual([0, 200])
    expect(stderr).toBe('quittance: these are the first 200, and there are more.\n')
  })
})

describe('quittance audit', () => {
  it('counts back from the time that the sandbox goes by', async () => {
    await world.pass('P30D')
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
    })
    const since = async (time: string) => {
      const { stdout } = await run(['audit', '--since', time, '--json'], { DATABASE_URL: world.databaseUrl })
      return (JSON.parse(stdout) as { resource_id?: string; time: string }[]).map(({ resource_id }) => resource_id)
    }
    expect(await since('PT1H')).toContain(body.id)
    await world.pass('PT2H')
    expect(await since('PT1H')).not.toContain(body.id)
  })
})

describe('A sandbox for a command alone', () => {
  it('is found where it listens, whatever address it has outside', async () => {
    const own = await newDatabase()
    const { code, stderr } = await run(['trigger', 'INVOICING.INVOICE.CREATED'], {
      DATABASE_URL: own.url,
      PORT: '0',
      PUBLIC_URL: 'https://pay.example',
      SHUTDOWN_GRACE_SECONDS: '0',
    })
    expect([code, stderr]).toEqual([0, expect.stringContaining('one runs until this command ends')])
    await own.drop()
  })
})
