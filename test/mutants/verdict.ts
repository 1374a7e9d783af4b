import type { Ran } from './trial.ts'

/** What became of it when a guard was gone: noticed by a test, or not and why. */
export interface Verdict {
  readonly isNoticed: boolean
  readonly text: string
}

export function judge({ report, isOver, output }: Ran): Verdict {
  const missed = (text: string): Verdict => ({ isNoticed: false, text })
  if (isOver) return missed('the run did not end')
  if (!report?.hasRun)
    return missed(`no test could be run: ${report?.failures[0]?.message ?? output.trim().slice(-500)}`)
  const { failures } = report
  const first = failures.find(({ isTimeout }) => !isTimeout)
  if (first) return { isNoticed: true, text: `${first.name} (\`${first.file}\`)` }
  const passed = Object.values(report.passed).flat().length
  return missed(failures.length === 0 ? `all ${passed} tests pass` : `only out of time: ${failures[0]!.name}`)
}
