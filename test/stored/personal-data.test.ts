import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import pg from 'pg'
import { pino } from 'pino'
import { SMTPServer } from 'smtp-server'
import { describe, expect, it } from 'vitest'
import { logOptions } from '../../src/cli/log.ts'
import { errorText, loggedError, withoutAddresses } from '../../src/kernel/error-text.ts'
import { PUBLIC_URL, sentInvoice } from '../support/payer.ts'
import { recipient } from '../support/shop.ts'
import { newWorld } from '../support/world.ts'

describe('Personal data', () => {
  it('of a recipient whom the mail server refuses stands in no log and on no job', async () => {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onRcptTo: ({ address }, _session, done) =>
        done(Object.assign(new Error(`<${address}>: no mailbox of ${address} here`), { responseCode: 550 })),
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.server.address() as AddressInfo
    let logged = ''
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        logged += chunk.toString()
        done()
      },
    })
    const world = await newWorld({
      settings: { PUBLIC_URL, SMTP_URL: `smtp://127.0.0.1:${port}`, LOG_LEVEL: 'info' },
      log: pino(logOptions('info'), stream),
    })

    await sentInvoice(world, { primary_recipients: [recipient('jane.doe+shop@customer.test')] })
    await world.settle()

    const { rows } = await world.app.database.query<{ last_error: string }>('select last_error from jobs')
    expect(rows[0]!.last_error).toContain('550')
    expect(rows[0]!.last_error).toContain('no mailbox of (address) here')
    expect(logged).toContain('a job failed')
    expect(logged + rows[0]!.last_error).not.toMatch(/jane|customer\.test/)
    await world.close()
    await new Promise<void>((resolve) => server.close(resolve))
  })

  it('that the database quotes when it refuses a row is left out', () => {
    const error = Object.assign(new pg.DatabaseError('duplicate key', 1, 'error'), {
      code: '23505',
      constraint: 'accounts_email',
      detail: 'Key (email)=(jane@customer.test) already exists.',
      where: 'row with Jane Doe',
    })

    expect(loggedError(error)).toMatchObject({ message: 'duplicate key', code: '23505', constraint: 'accounts_email' })
    expect(JSON.stringify(loggedError(new Error('failed', { cause: error })))).not.toMatch(/jane/i)
  })

  it('is told from paths of packages, which an error must keep', () => {
    const trace = 'at run (file:///srv/node_modules/@fastify/send/index.js:12:3)'

    expect(withoutAddresses(trace)).toBe(trace)
    expect(withoutAddresses('to "jane@customer.test", cc <müller@bücher.test>;')).toBe(
      'to "(address)", cc <(address)>;',
    )
    expect(errorText('550 jane@customer.test', 100)).toBe('550 (address)')
  })
})
