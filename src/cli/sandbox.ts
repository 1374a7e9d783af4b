import { addressOf } from '../http/address.ts'
import { NoAnswer, openClient, problemText } from '../scenarios/client.ts'
import type { Settings } from '../settings.ts'
import { CommandError, type Sandbox } from './command.ts'

/** Where commands look for a sandbox: where they are told, or where one listens that was started with the same settings. */
export const sandboxUrl = ({ sandboxUrl, host, port }: Settings): string => sandboxUrl ?? addressOf(host, port)

/** The sandbox at the address, or undefined when nothing answers there. Anything else that answers is refused. */
export async function findSandbox(url: string, signal?: AbortSignal): Promise<Sandbox | undefined> {
  const client = openClient(url, signal)
  const answer = await client.call({ method: 'GET', path: '/sandbox/clock' }).catch((error: unknown) => {
    if (error instanceof NoAnswer) return undefined
    throw error
  })
  if (answer === undefined) return undefined
  if (answer.status !== 200 || typeof (answer.body as { now?: unknown }).now !== 'string')
    throw new CommandError(`The server at ${url} is not a Quittance sandbox (${answer.status} for /sandbox/clock).`)
  const ask: Sandbox['ask'] = async (method, path, parts = {}) => {
    const given = await client.call({ method, path, ...parts }).catch((error: unknown) => {
      throw error instanceof NoAnswer ? new CommandError(error.message) : error
    })
    if (given.status >= 400) throw new CommandError(`${method} ${path} was refused with ${problemText(given)}`)
    // Commands know what the operations answer; the contract tests hold that they do.
    return given.body as never
  }
  return { ...client, ask, now: async () => (await ask<{ now: string }>('GET', '/sandbox/clock')).now }
}

export const noSandbox = (url: string) =>
  new CommandError(
    `No sandbox answers at ${url}: start one with "quittance start", or say where it is with --url or QUITTANCE_URL.`,
  )
