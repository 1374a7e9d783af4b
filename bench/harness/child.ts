import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const STOP_WITHIN_MS = 10_000

/** A process of ours that is told to stop, and made to when it does not. */
export interface Child {
  readonly process: ChildProcess
  stop(): Promise<void>
}

/** Starts a Node process with a channel for messages. Its errors go to ours. */
export function startChild(args: readonly string[], env: NodeJS.ProcessEnv = {}): Child {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  // A message to one that was stopped meanwhile must not end us, with others still to be stopped.
  child.on('error', () => {})
  return {
    process: child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
      await ended
      clearTimeout(timer)
    },
  }
}

/** A file of the harness as arguments for Node. */
export const harnessFile = (name: string): string[] => [
  '--import',
  'tsx',
  fileURLToPath(new URL(name, import.meta.url)),
]

/** The next message of a child, or an error when it ends first. */
export function nextMessage<Message>({ process: child }: Child): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      child.off('exit', onExit)
      resolve(message as Message)
    }
    const onExit = (code: number | null) => {
      child.off('message', onMessage)
      reject(new Error(`A process of the bench ended early with ${code ?? 'a signal'}.`))
    }
    child.once('message', onMessage)
    child.once('exit', onExit)
  })
}
