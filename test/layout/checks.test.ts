import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { root } from "./Source.ts"

it("the report of the runner says that a test failed, whatever the exit code", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-checks-"))
  try {
    writeFileSync(
      join(folder, "red.test.ts"),
      'import { test } from "vitest"\ntest("red", () => { throw new Error("red") })\n'
    )
    execFileSync("ln", ["-s", join(root, "node_modules"), join(folder, "node_modules")])
    const report = join(folder, "report.json")
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
    spawnSync(process.execPath, [vitest, "run", "--root", folder, "--reporter=json", `--outputFile.json=${report}`])
    const { numFailedTests, success } = JSON.parse(readFileSync(report, "utf8")) as Record<string, unknown>
    assert.deepStrictEqual({ success, numFailedTests }, { success: false, numFailedTests: 1 })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
