/**
 * The reporter that writes what became of each test file to the file `SLUICE_TEST_OUTCOMES`.
 */
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter, SerializedError, TestModule } from "vitest/node"
import { root } from "./Source.ts"

export interface Failure {
  /** The name of the test; the path of the file for an error outside of its tests. */
  readonly name: string
  readonly message: string
}

export interface FileOutcome {
  /** Relative to the checkout, with forward slashes. */
  readonly path: string
  readonly passed: number
  readonly skipped: number
  readonly failures: ReadonlyArray<Failure>
}

export interface Outcomes {
  readonly files: ReadonlyArray<FileOutcome>
  /** Of no file that is known. */
  readonly errors: ReadonlyArray<string>
}

const outcomeOf = (module: TestModule): FileOutcome => {
  const path = relative(root, module.moduleId).replaceAll("\\", "/")
  const tests = [...module.children.allTests()]
  const suites = [...module.children.allSuites()]
  const failures = [
    ...tests.flatMap((test) => (test.result().errors ?? []).map(({ message }) => ({ name: test.fullName, message }))),
    ...suites.flatMap((suite) => suite.errors().map(({ message }) => ({ name: suite.fullName, message }))),
    ...module.errors().map(({ message }) => ({ name: path, message }))
  ]
  return {
    path,
    passed: tests.filter((test) => test.result().state === "passed").length,
    skipped: tests.filter((test) => ["skipped", "pending"].includes(test.result().state)).length,
    failures: failures.length > 0 || module.ok() ? failures : [{ name: path, message: "It did not end" }]
  }
}

export default class OutcomesReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): void {
    const path = process.env.SLUICE_TEST_OUTCOMES
    if (path === undefined) throw new Error("Set SLUICE_TEST_OUTCOMES to the path of the outcomes")
    const outcomes: Outcomes = { files: modules.map(outcomeOf), errors: errors.map(({ message }) => message) }
    writeFileSync(path, JSON.stringify(outcomes))
  }
}
