/**
 * The reporter that writes the counts of passed and failed tests to the file that `npm test` reads. An error outside of a
 * test and a file that could not be loaded count as a failure each. The exit code of the runner is not reliable: code under
 * test may change it.
 */
import { writeFileSync } from "node:fs"
import type { Reporter, SerializedError, TestModule } from "vitest/node"

export interface Counts {
  readonly passed: number
  readonly failed: number
}

const countsOf = (modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): Counts => {
  const counts = { passed: 0, failed: errors.length }
  for (const module of modules) {
    const results = [...module.children.allTests()].map((test) => test.result().state)
    const failed = results.filter((state) => state === "failed").length
    counts.passed += results.filter((state) => state === "passed").length
    counts.failed += module.ok() ? failed : Math.max(failed, 1)
  }
  return counts
}

export default class Report implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): void {
    const path = process.env.SLUICE_TEST_REPORT
    if (path === undefined) throw new Error("Set SLUICE_TEST_REPORT to the path of the report")
    writeFileSync(path, JSON.stringify(countsOf(modules, errors)))
  }
}
