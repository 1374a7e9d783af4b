import { Answer, type AnyRoute, route, sandboxOnly } from '../http/route.ts'
import { invalid, notFound } from '../kernel/problem.ts'
import { Type } from '../kernel/type.ts'
import { libraryScenario, scenarioNames } from './library.ts'
import type { ScenarioRuns } from './runs.ts'
import type { Scenario } from './scenario.ts'

const STEPS_MAX = 1_000
const PAUSE_SECONDS_MAX = 60

const Listed = Type.Object({
  name: Type.String(),
  title: Type.String(),
  about: Type.String(),
  steps: Type.Array(Type.Object({ step: Type.String(), says: Type.String() })),
})
const RunOut = Type.Object(
  {
    id: Type.String(),
    scenario: Type.String(),
    status: Type.Enum(['RUNNING', 'DONE', 'FAILED']),
    error: Type.Optional(Type.String({ description: 'Why it could not go on, where its last step does not tell.' })),
    steps: Type.Array(
      Type.Object(
        {
          step: Type.String(),
          says: Type.String(),
          now: Type.String({ description: 'What the clock said after it.' }),
          failures: Type.Array(Type.String(), { description: 'What did not come out as the story expects.' }),
        },
        {
          additionalProperties: true,
          description: 'Also who called what, the answer, events, money, mail, and things as they then were.',
        },
      ),
    ),
  },
  { $id: 'ScenarioRun' },
)

const listed = ({ name, title, about, steps }: Scenario) => ({
  name,
  title,
  about,
  steps: steps.map(({ step, says }) => ({ step, says })),
})

/** Stories that a sandbox plays by itself, for whoever wants to watch, such as the console or a script. */
export function scenarioRoutes(runs: ScenarioRuns): AnyRoute[] {
  const shared = { ...sandboxOnly, reads: 'free' } as const
  return [
    route({
      ...shared,
      method: 'GET',
      url: '/sandbox/scenarios',
      operation: 'listScenarios',
      summary: 'List the stories that can be played',
      success: { 200: Type.Object({ scenarios: Type.Array(Listed) }) },
      handle: async () => ({ scenarios: scenarioNames().map((name) => listed(libraryScenario(name))) }),
    }),
    route({
      ...shared,
      method: 'POST',
      url: '/sandbox/scenarios/:name/run',
      operation: 'runScenario',
      summary: 'Play a story; its steps are read with the run',
      params: Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
      body: Type.Object({
        until: Type.Optional(Type.String({ maxLength: 100, description: 'The last step to play.' })),
        pause_seconds: Type.Optional(
          Type.Integer({ minimum: 0, maximum: PAUSE_SECONDS_MAX, description: 'How long to rest between two steps.' }),
        ),
        forward_to: Type.Optional(
          Type.String({ maxLength: 2048, description: 'Where its events are delivered as well while it is played.' }),
        ),
      }),
      bodyOptional: true,
      success: { 201: RunOut },
      async handle({ params, body: { until, pause_seconds, forward_to } }) {
        if (!scenarioNames().includes(params.name)) throw notFound('The scenario')
        const scenario = libraryScenario(params.name)
        if (until !== undefined && !scenario.steps.some(({ step }) => step === until))
          throw invalid('/until', `Name one of its steps: ${scenario.steps.map(({ step }) => step).join(', ')}.`)
        const run = runs.start(scenario, {
          ...(until !== undefined && { until }),
          ...(pause_seconds !== undefined && { pauseMs: pause_seconds * 1000 }),
          ...(forward_to !== undefined && { forwardTo: forward_to }),
        })
        return new Answer(201, run)
      },
    }),
    route({
      ...shared,
      method: 'GET',
      url: '/sandbox/scenario-runs/:id',
      operation: 'showScenarioRun',
      summary: 'Show how far a story got; with `after`, as soon as it got further',
      params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) }),
      query: Type.Object({
        after: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: STEPS_MAX,
            description:
              'Answers when there are more steps than this or the story has ended, after ten seconds anyway.',
          }),
        ),
      }),
      success: { 200: RunOut },
      async handle({ params, query: { after } }) {
        const run = after === undefined ? runs.find(params.id) : await runs.after(params.id, after)
        if (!run) throw notFound('The run')
        return run
      },
    }),
  ]
}
