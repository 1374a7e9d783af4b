import { runCommand } from '../../src/cli/run.ts'

/** Runs a command as the program does, and keeps what it writes. */
export async function run(words: readonly string[], variables: Record<string, string>) {
  const stdout: string[] = []
  const stderr: string[] = []
  const output = { out: (text: string) => void stdout.push(text), err: (text: string) => void stderr.push(text) }
  const code = await runCommand(words, variables, output)
  return { code, stdout: stdout.join(''), stderr: stderr.join('') }
}

/** What a command that succeeds prints with `--json`. */
export async function json<Result>(words: readonly string[], variables: Record<string, string>): Promise<Result> {
  const { code, stdout, stderr } = await run([...words, '--json'], variables)
  if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
  return JSON.parse(stdout) as Result
}
