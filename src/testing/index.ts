export type { Arrival, Inbox } from './inbox.ts'
export {
  type InboxOptions,
  type Mail,
  type People,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
  type TestClock,
  withSandbox,
} from './sandbox.ts'
