import { readFileSync } from 'node:fs'
import { didYouMean } from '../../kernel/spelling.ts'
import { libraryScenario, scenarioNames } from '../../scenarios/library.ts'
import { type Played, type PlayOptions, play } from '../../scenarios/play.ts'
import { readScenario, ScenarioError } from '../../scenarios/read.ts'
import type { Scenario } from '../../scenarios/scenario.ts'
import { type Command, CommandError, type CommandInput, type SandboxInput, UsageError } from '../command.ts'
import { makePaint } from '../paint.ts'
import { statesOf, storyLines } from '../story.ts'

/** A scenario of the library by its name, or the user's own by its path. */
function scenarioOf(word: string): Scenario {
  try {
    if (scenarioNames().includes(word)) return libraryScenario(word)
    if (!/[./\\]/.test(word))
      throw new CommandError(
        `There is no scenario ${word}.${didYouMean(word, scenarioNames())} "quittance scenario list" lists them; a file of your own is named with its path.`,
      )
    return readScenario(readFileSync(word, 'utf8'), word)
  } catch (error) {
    if (error instanceof ScenarioError) throw new CommandError(error.message)
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new CommandError(`There is no file ${word}.`)
    if (syscall !== undefined) throw new CommandError(`${word} cannot be read as a file (${code}).`)
    throw error
  }
}

/** Plays and tells each step as it is done. What does not come out as expected ends the command. */
export async function tellStory(
  { sandbox, tell, output }: SandboxInput,
  scenario: Scenario,
  options: PlayOptions,
): Promise<Played[]> {
  const paint = makePaint(output)
  const story: Played[] = []
  let states: Record<string, string> = {}
  // A webhook that forwards must go when the story ends, also before its end.
  const signal = options.forwardTo === undefined ? undefined : output.interrupted
  try {
    for await (const played of play(scenario, sandbox, { ...options, ...(signal && { signal }) })) {
      story.push(played)
      tell(played, storyLines(played, story.length, states, paint))
      states = { ...states, ...statesOf(played) }
      if (played.failures.length > 0) throw new CommandError(played.failures.join('\n'))
    }
  } catch (error) {
    if (!signal?.aborted || error instanceof CommandError) throw error
    throw new CommandError(`Stopped ${story.length === 0 ? 'before the first step' : `after ${story.at(-1)!.step}`}.`)
  }
  return story
}

function optionsOf({ options, output }: CommandInput, scenario: Scenario): PlayOptions {
  const { until, speed, 'forward-to': forwardTo } = options
  if (until !== undefined && !scenario.steps.some(({ step }) => step === until))
    throw new UsageError(
      `${scenario.name} has no step ${String(until)}; it has ${scenario.steps.map(({ step }) => step).join(', ')}.`,
    )
  if (speed !== undefined && !/^\d{1,3}(\.\d+)?$/.test(String(speed)))
    throw new UsageError('--speed is the number of seconds between two steps, such as 1.5.')
  return {
    ...(until !== undefined && { until: String(until) }),
    ...(speed !== undefined && { pauseMs: Number(speed) * 1000 }),
    ...(forwardTo !== undefined && { forwardTo: String(forwardTo) }),
    onForward: ({ id, signing_secret }) => output.err(`Forwarding as webhook ${id}, signed with ${signing_secret}\n`),
  }
}

/** By the arguments that named them: a file may be a pipe, which can be read only once. */
const scenariosRead = new WeakMap<readonly string[], Scenario>()

function readCall(input: CommandInput) {
  const { arguments: words } = input
  const scenario = scenariosRead.get(words) ?? scenarioOf(words[0] ?? '')
  scenariosRead.set(words, scenario)
  return { scenario, options: optionsOf(input, scenario) }
}

export const scenarioCommands: readonly Command[] = [
  {
    kind: 'free',
    name: 'scenario list',
    summary: 'List the stories that can be played',
    examples: [['scenario list', 'their names, and what they are about']],
    async run({ output, options }) {
      const rows = scenarioNames().map((name) => ({ name, title: libraryScenario(name).title }))
      const { print } = await import('../print.ts')
      output.out(`${print(rows, options['json'] === true)}\n`)
    },
  },
  {
    kind: 'free',
    name: 'scenario show',
    summary: 'Show the steps of a story, or what is wrong in a file of your own',
    arguments: ['name or file'],
    choices: [scenarioNames],
    examples: [
      ['scenario show seller-wins', 'who does what, step by step'],
      ['scenario show ./my-story.yaml', 'check a file: line, column and what was expected'],
    ],
    async run({ arguments: [word = ''], output, options }) {
      const scenario = scenarioOf(word)
      if (options['json'] === true) return output.out(`${JSON.stringify(scenario, null, 2)}\n`)
      const paint = makePaint(output)
      const steps = scenario.steps.map(
        ({ step, says, as, call, wait, wait_until }, i) =>
          `${paint('bold', `${i + 1}. ${step}`)}  ${says}\n   ${paint('dim', [as, call ?? wait ?? wait_until ?? 'receiver'].filter(Boolean).join(': '))}`,
      )
      output.out(`${paint('bold', scenario.title)}\n${scenario.about}\n\n${steps.join('\n')}\n`)
    },
  },
  {
    kind: 'sandbox',
    name: 'scenario run',
    summary: 'Play a story with real calls, and print what each step does: state, events, money, mail, clock',
    starts: true,
    arguments: ['name or file'],
    choices: [scenarioNames],
    options: {
      'forward-to': { type: 'string', value: '<url>', description: 'Deliver its events there as well, signed' },
      until: {
        type: 'string',
        value: '<step>',
        description: 'Stop after this step, and leave things as they then are',
      },
      speed: { type: 'string', value: '<seconds>', description: 'Wait between two steps; 0 by default' },
      reset: {
        type: 'boolean',
        description: 'Empty the sandbox first, webhooks aside, so that nothing else happens meanwhile',
      },
    },
    examples: [
      ['scenario run seller-wins', 'a dispute from payment to decision'],
      ['scenario run deadline-missed --until escalate', 'stop where the seller is to answer, and go on yourself'],
      ['scenario run offer-accepted --forward-to http://127.0.0.1:3000/hook --speed 2', 'watch your handler at it'],
      ['scenario run ./my-story.yaml --reset --json', 'one of your own, for a program to read'],
    ],
    check: readCall,
    async run(input) {
      const { scenario, options } = readCall(input)
      // Whoever listens in the terminal beside would not hear of the story.
      if (input.options['reset'] === true)
        await input.sandbox.ask('POST', '/sandbox/reset', { body: { keep: ['webhooks'] } })
      await tellStory(input, scenario, options)
      return undefined
    },
  },
]
