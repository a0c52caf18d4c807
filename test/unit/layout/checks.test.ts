import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { root } from "../../support/Source.ts"

const files = {
  "green.test.ts": 'test("green", () => {})',
  "red.test.ts": 'test("red", () => { throw new Error("red") })',
  "stray.test.ts": 'test("stray", () => { void Promise.reject(new Error("stray")) })',
  "unloaded.test.ts": 'throw new Error("unloaded")'
}

it("the report counts tests that failed, errors outside of tests, and files that cannot be loaded", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-checks-"))
  try {
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), `import { test } from "vitest"\n${text}\n`)
    }
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    const report = join(folder, "report.json")
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
    const reporter = join(root, "test", "support", "Report.ts")
    spawnSync(process.execPath, [vitest, "run", "--root", folder, `--reporter=${reporter}`], {
      env: { ...process.env, SLUICE_TEST_REPORT: report, SLUICE_TEST_COSTS: folder }
    })
    const { failed, files: outcomes, passed } = JSON.parse(readFileSync(report, "utf8"))
    assert.deepStrictEqual({ passed, failed }, { passed: 2, failed: 3 })
    // Which file the error outside of a test is of is not certain, so none counts as passed.
    assert.deepStrictEqual(
      Object.values(outcomes).filter((outcome) => Object(outcome).isPassed),
      []
    )
    assert.lengthOf(Object.keys(outcomes), 4)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
