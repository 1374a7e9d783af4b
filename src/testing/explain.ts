import type { Client } from '../client/index.ts'

const REQUESTS_SHOWN = 12
const EVENTS_SHOWN = 12
const DUE_SHOWN = 8

/** What a sandbox was asked, what happened in it, and what lies ahead, for whoever looks at a test that failed. */
export async function explain(owner: Client): Promise<string> {
  const { now } = await owner.sandbox.showClock()
  const requests = (await owner.sandbox.listRequests({ page_size: REQUESTS_SHOWN })).requests
    .filter(({ path }) => !path.startsWith('/sandbox/requests') && !path.startsWith('/v1/oauth2'))
    .map(({ time, method, path, status, client_id, problem }) =>
      [time, String(status), method, path, client_id && `by ${client_id}`, problem && `- ${sayProblem(problem)}`]
        .filter(Boolean)
        .join(' '),
    )
  const { events = [] } = await owner.webhooks.listEvents({ page_size: EVENTS_SHOWN })
  const happened = events.map(({ create_time, event_type, summary }) => `${create_time} ${event_type} ${summary}`)
  const { due } = await owner.sandbox.listDue({ limit: DUE_SHOWN })
  const ahead = due.map(({ at, what }) => `${at} ${what}`)
  const section = (title: string, lines: readonly string[]) =>
    `${title}\n${lines.length === 0 ? '  none' : lines.map((line) => `  ${line.trim()}`).join('\n')}`
  return [
    `It is ${now} in the sandbox.`,
    section('Last requests, newest first:', requests),
    section('Last events of the merchant, newest first:', happened),
    section('Due next:', ahead),
  ].join('\n')
}

function sayProblem(problem: object): string {
  const { name, details } = problem as { name?: string; details?: { issue?: string; description?: string }[] }
  return [name, ...(details ?? []).map(({ issue, description }) => `${issue ?? ''} ${description ?? ''}`)].join(' ')
}
