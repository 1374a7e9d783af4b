import type { RoomReference } from '../kernel/reference.ts'

export const serviceReference: RoomReference = {
  operations: {
    showHealth: 'Answers as long as the process runs, even without a database: restart the process when it does not.',
    showReadiness:
      'For a balancer: 200 while requests are welcome, 503 with reasons while they are not. A process that shuts down says so first.',
    showMetrics: 'Requests, jobs, deliveries, connections and memory, in the text form of Prometheus.',
    showOpenApi: 'The machine-readable form of this reference, with the address of this very service in it.',
    showReference:
      'The first page of this reference: every operation by its group. Each has a page of its own at `/docs/` and its name.',
  },
  fields: {
    status: 'A word.',
    reasons: 'Why requests should go elsewhere.',
  },
  issues: [],
}
