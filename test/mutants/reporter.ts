import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/** A test or a hook that failed. One that only ran out of time may as well have met a slow machine. */
export interface Failure {
  readonly name: string
  readonly file: string
  readonly message: string
  readonly isTimeout: boolean
}

/** How a run of tests went: the failures, and the names of what passed by file. */
export interface Report {
  readonly failures: readonly Failure[]
  readonly passed: Readonly<Record<string, readonly string[]>>
  /** Whether any test came to its end; where none did, what failed says nothing about a guard. */
  readonly hasRun: boolean
}

interface Thrown {
  readonly message: string
}

function failure(name: string, file: string, errors: readonly Thrown[]): Failure {
  const isTimeout = errors.every(({ message }) => /^(Test|Hook) timed out in \d+ms/.test(message))
  return { name, file, message: errors[0]?.message ?? '', isTimeout }
}

/** What failed in a file. What fails in hooks, the invariants of a world among them, belongs to no test. */
function failuresOf(module: TestModule): Failure[] {
  const { relativeModuleId: file, children } = module
  const failed = (name: string, errors: readonly Thrown[]) => (errors.length > 0 ? [failure(name, file, errors)] : [])
  return [
    ...[...children.allTests('failed')].map((test) => failure(test.fullName, file, test.result().errors ?? [])),
    ...[...children.allSuites()].flatMap((suite) => failed(`a hook of "${suite.fullName}"`, suite.errors())),
    ...failed('a hook of the file', module.errors()),
  ]
}

/** Writes what `run.ts` wants to know of a run into the file it names. */
export default class MutantReporter implements Reporter {
  #end = () => {}

  onInit(vitest: Vitest): void {
    if (process.env['MUTANTS_FIRST'] === 'true') this.#end = () => void vitest.cancelCurrentRun('test-failure')
  }

  /** Ends the run, once: `--bail` would at every failure, and a second time kills the worker with all it has to tell. */
  onTestCaseResult(test: TestCase): void {
    if (test.result().state !== 'failed') return
    this.#end()
    this.#end = () => {}
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly Thrown[]): void {
    const failures = modules.flatMap(failuresOf)
    if (unhandled.length > 0) failures.push(failure('an error that nobody handled', '', unhandled))
    const passed = modules.map(
      ({ relativeModuleId: file, children }) =>
        [file, [...children.allTests('passed')].map(({ fullName }) => fullName)] as const,
    )
    const hasRun = modules.some(({ children }) => [...children.allTests()].some(hasEnded))
    const report: Report = { failures, passed: Object.fromEntries(passed), hasRun }
    writeFileSync(process.env['MUTANTS_REPORT']!, JSON.stringify(report))
  }
}

const hasEnded = (test: TestCase) => test.result().state === 'passed' || test.result().state === 'failed'
