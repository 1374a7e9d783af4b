import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json, run } from '../../support/command.ts'
import { newDatabase, type TestDatabase } from '../../support/database.ts'
import { live } from '../../support/live.ts'
import { temporaryFolder } from '../../support/process.ts'

describe('A setting that nobody else may read', () => {
  const folder = temporaryFolder()
  let database: TestDatabase
  const file = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text)
    return join(folder.path, name)
  }
  beforeAll(async () => {
    database = await newDatabase()
  })
  afterAll(async () => {
    await database.drop()
    folder.remove()
  })

  it('may stand in a file, with a line end behind it', async () => {
    const { QUITTANCE_ENVIRONMENT, QUITTANCE_SECRET } = live
    const variables = {
      QUITTANCE_ENVIRONMENT,
      QUITTANCE_SECRET_FILE: file('secret', `${QUITTANCE_SECRET}\n`),
      DATABASE_URL_FILE: file('database', `${database.url}\r\n`),
    }
    const words = ['accounts', 'create', '--email', 'shop@example.com', '--name', 'A shop', '--time-zone', 'UTC']
    const { id } = await json<{ id: string }>([...words, '--currency', 'EUR'], variables)
    const { client_secret: secret } = await json<{ client_secret: string }>(
      ['apps', 'create', id, '--name', 'Till', '--features', 'invoicing'],
      variables,
    )
    expect(secret).toMatch(/^E/)
    // What the file says is what the variable would have said.
    const found = await json<{ id: string }[]>(['accounts', 'list'], { ...live, DATABASE_URL: database.url })
    expect(found.map((account) => account.id)).toEqual([id])
    expect((await run(['accounts', 'list'], variables)).stderr).toBe('')
  })

  it.each<[string, () => Record<string, string>, RegExp]>([
    [
      'is named twice',
      () => ({ DATABASE_URL_FILE: file('database', database.url) }),
      /^quittance: DATABASE_URL and DATABASE_URL_FILE are both set: set one of them\.\n$/,
    ],
    [
      'is not there',
      () => ({ GATEWAY_SECRET_FILE: join(folder.path, 'none') }),
      /^quittance: GATEWAY_SECRET_FILE names a file that cannot be read: ENOENT.*none.*\n$/,
    ],
    [
      'is a folder',
      () => ({ SMTP_URL_FILE: folder.path }),
      /^quittance: SMTP_URL_FILE names a file that cannot be read: EISDIR.*\n$/,
    ],
    [
      'is empty',
      () => ({ CONSOLE_OIDC_CLIENT_SECRET_FILE: file('empty', '\n') }),
      /^quittance: CONSOLE_OIDC_CLIENT_SECRET_FILE names a file with nothing in it: .*empty\.\n$/,
    ],
  ])('is refused when it %s', async (_, variables, sentence) => {
    const { code, stderr } = await run(['accounts', 'list'], { ...live, DATABASE_URL: database.url, ...variables() })
    expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)])
  })

  it('is not looked for in a file where everybody may read it', async () => {
    const variables = { ...live, DATABASE_URL: database.url }
    const { code, stderr } = await run(['accounts', 'list'], { ...variables, QUITTANCE_DIALECT_FILE: '/nowhere' })
    expect([code, stderr]).toEqual([0, 'quittance: QUITTANCE_DIALECT_FILE is not a setting and has no effect.\n'])
  })
})
