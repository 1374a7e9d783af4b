import type { Command } from '../command.ts'

/** Whole states of a running sandbox: kept, brought back, doubled, emptied. */
export const worldCommands: readonly Command[] = [
  {
    kind: 'sandbox',
    name: 'snapshot save',
    summary: 'Keep the present state of the sandbox under a name, in place of one of the same name',
    arguments: ['name'],
    examples: [['snapshot save before-dispute', 'keeps everything as it is now, the clock included']],
    run: ({ sandbox, arguments: [name] }) => sandbox.ask('POST', '/sandbox/snapshots', { body: { name } }),
  },
  {
    kind: 'sandbox',
    name: 'snapshot load',
    summary: 'Go back to a state that was kept, its clock included',
    arguments: ['name'],
    examples: [['snapshot load before-dispute', 'makes everything since then undone']],
    run: ({ sandbox, arguments: [name] }) => sandbox.ask('POST', `${pathOf(name!)}/load`),
  },
  {
    kind: 'sandbox',
    name: 'snapshot list',
    summary: 'List the states that were kept, oldest first',
    examples: [['snapshot list', 'shows names, when they were kept, and what the clock said']],
    run: async ({ sandbox }) => (await sandbox.ask<{ snapshots: object[] }>('GET', '/sandbox/snapshots')).snapshots,
  },
  {
    kind: 'sandbox',
    name: 'snapshot delete',
    summary: 'Delete a state that was kept',
    arguments: ['name'],
    examples: [['snapshot delete before-dispute', 'forgets it']],
    async run({ sandbox, arguments: [name] }) {
      await sandbox.ask('DELETE', pathOf(name!))
      return { name, status: 'DELETED' }
    },
  },
  {
    kind: 'sandbox',
    name: 'fork',
    summary: 'Copy the sandbox and run the copy at an address of its own, for as long as the sandbox runs',
    options: {
      list: { type: 'boolean', description: 'List the forks that run instead' },
      end: { type: 'string', value: '<name>', description: 'End this fork instead' },
    },
    examples: [
      ['fork', 'prints the address of the same world, twice'],
      ['fork --end f_1b2c3d4e', 'ends that one'],
    ],
    async run({ sandbox, options }) {
      const { list, end } = options
      if (list) return (await sandbox.ask<{ forks: object[] }>('GET', '/sandbox/forks')).forks
      if (typeof end !== 'string') return sandbox.ask('POST', '/sandbox/forks')
      await sandbox.ask('DELETE', `/sandbox/forks/${encodeURIComponent(end)}`)
      return { name: end, status: 'ENDED' }
    },
  },
  {
    kind: 'sandbox',
    name: 'reset',
    summary: 'Forget everything but access tokens and keys, and start again with the seeded people',
    options: { 'keep-webhooks': { type: 'boolean', description: 'Leave webhooks as they are' } },
    examples: [['reset --keep-webhooks', 'starts over, and your handler still hears of what happens']],
    run: ({ sandbox, options }) =>
      sandbox.ask('POST', '/sandbox/reset', { body: { keep: options['keep-webhooks'] ? ['webhooks'] : [] } }),
  },
]

const pathOf = (name: string) => `/sandbox/snapshots/${encodeURIComponent(name)}`
