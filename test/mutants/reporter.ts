import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** A test or a hook that failed. One that only ran out of time may as well have met a slow machine. */
export interface Failure {
  readonly name: string
  readonly file: string
  readonly message: string
  readonly isTimeout: boolean
}

/** How a run of tests went: the failures in their order, and the names of what passed by file. */
export interface Report {
  readonly failures: readonly Failure[]
  readonly passed: Readonly<Record<string, readonly string[]>>
}

interface Thrown {
  readonly message: string
}

/** Writes what `run.ts` wants to know of a run into the file it names. */
export default class MutantReporter implements Reporter {
  readonly #failures: Failure[] = []
  readonly #passed: Record<string, string[]> = {}

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result()
    const { relativeModuleId: file } = test.module
    if (state === 'passed') this.#passed[file] = [...(this.#passed[file] ?? []), test.fullName]
    if (state === 'failed') this.#note(test.fullName, file, errors)
  }

  /** What fails in hooks, the invariants of a world among them, belongs to no test. */
  onTestModuleEnd(module: TestModule): void {
    const { relativeModuleId: file } = module
    for (const suite of module.children.allSuites())
      if (suite.errors().length > 0) this.#note(`a hook of "${suite.fullName}"`, file, suite.errors())
    if (module.errors().length > 0) this.#note('a hook of the file', file, module.errors())
  }

  onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly Thrown[]): void {
    if (unhandled.length > 0) this.#note('an error that nobody handled', '', unhandled)
    const report: Report = { failures: this.#failures, passed: this.#passed }
    writeFileSync(process.env['MUTANTS_REPORT']!, JSON.stringify(report))
  }

  #note(name: string, file: string, errors: readonly Thrown[]): void {
    const isTimeout = errors.every(({ message }) => /^(Test|Hook) timed out in \d+ms/.test(message))
    this.#failures.push({ name, file, message: errors[0]?.message ?? '', isTimeout })
  }
}
