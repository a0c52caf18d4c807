// @ts-check
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { compiling, lint, shown, types } from "./check.js"
import { memoryFolder } from "./memoryFolder.js"
import { versionOf } from "./node.js"
import { compiled, root, withNode } from "./run.js"
import { otherRuntimes } from "./runtimes.js"
import { say } from "./say.js"
import { vitest } from "./vitest.js"

/**
 * Runs every check and test, and prints `N passed, M failed` at the end. Each test of the runner counts, and each of the
 * other checks. Returns the exit code. The other checks run at a lower priority beside the tests, which spend part of their
 * time waiting for browsers and databases.
 *
 * @param {string} node
 * @param {NodeJS.ProcessEnv} env
 * @param {{ readonly isAll: boolean }} [options] Whether everything runs at the size of a night: see `test/support/scale.ts`.
 */
export const runChecks = async (node, env, { isAll } = { isAll: false }) => {
  const temporary = memoryFolder()
  const environment = {
    ...compiling,
    ...withNode(node),
    ...env,
    ...(isAll ? { SLUICE_TEST_ALL: "1" } : {}),
    ...(temporary === null ? {} : { TMPDIR: temporary })
  }
  let passed = 0
  let failed = 0
  const check = async (/** @type {string} */ name, /** @type {string} */ program, /** @type {string[]} */ args) => {
    // A program that cannot be run at all is a check that failed.
    const options = { title: `\n— ${name}`, priority: constants.priority.PRIORITY_BELOW_NORMAL }
    const code = await shown(program, args, environment, options).catch(() => null)
    if (code === 0) passed++
    else failed++
  }

  const { deno } = otherRuntimes()
  const core = readdirSync(join(root, "core"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join("core", name))
  const others = Promise.all([
    check("types", node, types),
    check("format and lint", node, lint),
    check("the core under Deno: types", deno, ["check", "--quiet", ...core]).then(() =>
      check("the core under Deno: unit tests", deno, ["task", "--quiet", "test", ...(isAll ? [] : ["--short"])])
    )
  ])

  say(`\n— tests, on Node ${versionOf(node)}`)
  const folder = mkdtempSync(join(tmpdir(), "sluice-tests-"))
  const report = join(folder, "report.json")
  const clean = await succeeded(
    node,
    vitest(["--reporter=default", `--reporter=${join(root, "test", "support", "Report.ts")}`]),
    { ...environment, SLUICE_TEST_REPORT: report, SLUICE_TEST_COSTS: folder, SLUICE_TEST_WHOLE: "1" }
  )
  await others
  // The report decides, not the exit code alone: code under test may change the exit code of the runner's process.
  const counts = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : { passed: 0, failed: 1 }
  passed += counts.passed
  failed += clean ? counts.failed : Math.max(counts.failed, 1)
  rmSync(folder, { recursive: true, force: true })

  process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
  return failed === 0 ? 0 : 1
}

/**
 * Runs a program to its end, shows its output at once, and returns whether it succeeded.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<boolean>}
 */
const succeeded = (program, args, env) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, env: { ...compiled, ...env }, stdio: ["ignore", 2, 2] })
    child.on("error", () => resolve(false))
    child.on("exit", (code) => resolve(code === 0))
  })
