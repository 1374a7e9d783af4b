import { setTimeout as pause } from 'node:timers/promises'
import { eventTypes } from '../../kernel/event-types.ts'
import { didYouMean } from '../../kernel/spelling.ts'
import type { Scenario } from '../../scenarios/scenario.ts'
import { isEventType, NoSuchOverride, overridden, recipeFor } from '../../scenarios/triggers.ts'
import { type Command, CommandError, type CommandInput, type SandboxInput, UsageError } from '../command.ts'
import { tellStory } from './scenario.ts'

const merchant = { client_id: 'sandbox-merchant' }
const webhooksPath = '/v1/notifications/webhooks'

export const triggerCommand: Command = {
  kind: 'sandbox',
  name: 'trigger',
  summary: 'Make an event happen with real calls, and print what was made',
  starts: true,
  arguments: ['event'],
  choices: [() => Object.keys(eventTypes)],
  options: {
    override: {
      type: 'string',
      multiple: true,
      value: '<step.path=value>',
      description: 'Send something else in a step; may be given several times',
    },
  },
  examples: [
    ['trigger CUSTOMER.DISPUTE.CREATED', 'a payment, and a dispute about it'],
    ['trigger CUSTOMER.DISPUTE.CREATED --override open.dispute_amount.value=12.00', 'a dispute about 12 dollars'],
    ['trigger INVOICING.INVOICE.PAID --json', 'for a program to read'],
  ],
  check: readCall,
  async run(input) {
    const { event, scenario } = readCall(input)
    if (!scenario) return simulate(input, event)
    const story = await tellStory(input, scenario, {})
    const isTold = story.some(({ events }) => events.some(({ event_type }) => event_type === event))
    if (!isTold && !(await followsSoon(input, event, story[0]!.now)))
      throw new CommandError(`Every call succeeded, but ${event} did not happen: an override led elsewhere.`)
    return undefined
  },
}

/** The event, and the story that makes it, if it can happen by itself. */
function readCall({ arguments: [event = ''], options }: CommandInput): { event: string; scenario?: Scenario } {
  if (!isEventType(event))
    throw new UsageError(
      `${event} is not an event.${didYouMean(event, Object.keys(eventTypes))} There are ${Object.keys(eventTypes).join(', ')}.`,
    )
  const overrides = [options['override'] ?? []].flat().map(String)
  const recipe = recipeFor(event)
  if (!recipe && overrides.length > 0)
    throw new UsageError(`${event} never happens by itself: a sample of it is sent, in which nothing is overridden.`)
  return recipe ? { event, scenario: refusing(() => overridden(recipe, overrides)) } : { event }
}

/** A worker may still be at what the last step started: only calls of the sandbox itself answer when that is done. */
const SOON_MS = 2_000
const LOOK_EVERY_MS = 100

async function followsSoon({ sandbox }: SandboxInput, event: string, since: string): Promise<boolean> {
  const path = `/v1/notifications/webhooks-events?start_time=${since}&event_type=${event}`
  for (let waited = 0; waited < SOON_MS; waited += LOOK_EVERY_MS) {
    const { events } = await sandbox.ask<{ events: object[] }>('GET', path, { as: merchant })
    if (events.length > 0) return true
    await pause(LOOK_EVERY_MS)
  }
  return false
}

function refusing<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof NoSuchOverride ? new UsageError(error.message) : error
  }
}

/** What never happens has no state behind it; whoever subscribed to it gets a sample. */
async function simulate({ sandbox, tell }: SandboxInput, event: string): Promise<undefined> {
  interface Webhook {
    readonly id: string
    readonly url: string
    readonly event_types: readonly { readonly name: string }[]
  }
  const { webhooks } = await sandbox.ask<{ webhooks: Webhook[] }>('GET', webhooksPath, { as: merchant })
  const subscribed = webhooks.filter(({ event_types }) =>
    event_types.some(({ name }) => name === '*' || name === event),
  )
  if (subscribed.length === 0)
    throw new CommandError(
      `${event} can only be simulated, for webhooks that subscribed to it, and there is none: start "quittance listen" in another terminal first.`,
    )
  for (const { id, url } of subscribed) {
    const body = { webhook_id: id, event_type: event }
    const made = await sandbox.ask<{ id: string }>('POST', '/v1/notifications/simulate-event', { as: merchant, body })
    tell(
      { simulated: event, event_id: made.id, webhook_id: id, url },
      `${event} never happens by itself; simulated as ${made.id} for ${url}`,
    )
  }
}
