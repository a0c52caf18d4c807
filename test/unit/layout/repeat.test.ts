import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, watch, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { readRepeat, repeat } from "../../../apps/bootstrap/repeat.js"
import { root } from "../../support/Source.ts"

describe("the command that repeats a test file", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-repeat-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))

  it("takes a test file, a number of runs, a load and options of the runner", () => {
    const path = "test/unit/layout/repeat.test.ts"
    assert.deepStrictEqual(readRepeat([path]), { path, runs: 10, load: 0, options: [] })
    assert.deepStrictEqual(readRepeat([`./${path}`, "50", "--load", "8", "-t", "name"]), {
      path,
      runs: 50,
      load: 8,
      options: ["-t", "name"]
    })
    assert.throws(() => readRepeat(["test/support/Source.ts"]), /"test\/support\/Source.ts" is not a test file/)
    assert.throws(() => readRepeat([path, "0"]), /RUNS is "0"/)
    assert.throws(() => readRepeat([path, "--load"]), /PROCESSES is ""/)
  })

  it("finds a flake, says how often and by which message, and keeps the output of the failed runs", async () => {
    // It fails in the first and the third run, by the same message with another number.
    const count = join(folder, "count")
    writeFileSync(count, "0")
    writeFileSync(
      join(folder, "flake.test.ts"),
      `import { readFileSync, writeFileSync } from "node:fs"
      import { test } from "vitest"
      test("holds", () => {
        const run = 1 + Number(readFileSync(${JSON.stringify(count)}, "utf8"))
        writeFileSync(${JSON.stringify(count)}, String(run))
        if (run % 2 === 1) throw new Error("Port " + run + "000 is taken\\nseed " + run)
      })`
    )
    const lines: Array<string> = []
    const code = await repeat({
      node: process.execPath,
      args: [
        join(root, "node_modules", "vitest", "vitest.mjs"),
        ...["run", "--root", folder, "--no-color", "--reporter=default"],
        `--reporter=${join(root, "test", "support", "Outcomes.ts")}`
      ],
      env: process.env,
      runs: 3,
      load: 0,
      folder: join(folder, "kept"),
      say: (line) => lines.push(line)
    })
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(
      lines.slice(0, 3).map((line) => line.replace(/[\d.]+ s$/, "… s")),
      ["run 1 of 3: FAILED, … s", "run 2 of 3: passed, … s", "run 3 of 3: FAILED, … s"]
    )
    assert.include(lines[3], "2 of 3 runs failed\n2 times, in 1, 3: holds: Port 1000 is taken\n")
    assert.sameMembers(readdirSync(join(folder, "kept")), ["1.log", "3.log", "summary.txt"])
    assert.include(readFileSync(join(folder, "kept", "3.log"), "utf8"), "seed 3")
  })

  it("counts a runner that dies, and one that runs no test, as a failed run", async () => {
    const lines: Array<string> = []
    const outcomes = '{ "files": [{ "passed": 0, "failures": [] }], "errors": [] }'
    const write = `require("fs").writeFileSync(process.env.SLUICE_TEST_OUTCOMES, ${JSON.stringify(outcomes)})`
    for (const script of ["process.exit(3)", write]) {
      const code = await repeat({
        node: process.execPath,
        args: ["-e", script],
        env: process.env,
        runs: 1,
        load: 0,
        folder: join(folder, "dead"),
        say: (line) => lines.push(line)
      })
      assert.strictEqual(code, 1)
    }
    assert.include(lines[1], "The test runner ended with 3 before its report")
    assert.include(lines[3], "No test ran")
  })

  it("ends its busy processes when it is interrupted, and says what had failed by then", async () => {
    const started = join(folder, "started")
    const watcher = watch(folder)
    const begun = new Promise<void>((resolve) => watcher.on("change", (_type, name) => name === "started" && resolve()))
    const script = `
      import { repeat } from ${JSON.stringify(join(root, "apps/bootstrap/repeat.js"))}
      process.exitCode = await repeat({
        node: process.execPath,
        args: ["-e", ${JSON.stringify(`require("fs").writeFileSync(${JSON.stringify(started)}, ""); setInterval(() => {}, 1000)`)}],
        env: process.env, runs: 5, load: 2, folder: ${JSON.stringify(join(folder, "interrupted"))}
      })`
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const ended = new Promise((resolve) => child.on("close", resolve))
    let said = ""
    child.stdout.on("data", (piece) => (said += piece))
    const children = () =>
      execFileSync("ps", ["-eo", "pid,ppid"], { encoding: "utf8" })
        .split("\n")
        .flatMap((line) => {
          const [pid, parent] = line.trim().split(/\s+/).map(Number)
          return parent === child.pid && pid !== undefined ? [pid] : []
        })
    await begun
    watcher.close()
    const pids = children()
    assert.lengthOf(pids, 3, "two busy processes and the runner")
    child.kill("SIGTERM")
    assert.strictEqual(await ended, 130)
    assert.include(said, "0 of 0 runs failed, interrupted")
    for (const pid of pids) assert.throws(() => process.kill(pid, 0), /ESRCH/)
  })
})
