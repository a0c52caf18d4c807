// @ts-check
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { root, succeeds } from "./run.js"
import { say } from "./say.js"

/**
 * Runs every check and test, and prints `N passed, M failed` at the end: each test of the runner counts, and each of the
 * other checks. Answers the exit code.
 *
 * @param {string} node
 * @param {NodeJS.ProcessEnv} env
 */
export const runChecks = (node, env) => {
  const bin = (/** @type {string} */ name) => join(root, "node_modules", ".bin", name)
  const environment = {
    ...env,
    ...temporalNode(),
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`
  }
  let passed = 0
  let failed = 0
  const check = (/** @type {string} */ name, /** @type {string} */ program, /** @type {string[]} */ args) => {
    say(`\n— ${name}`)
    if (succeeds(program, args, environment)) passed++
    else failed++
  }

  check("types", node, [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", root])
  check("format and lint", bin("biome"), ["check", "--error-on-warnings", root])

  say("\n— tests")
  const folder = mkdtempSync(join(tmpdir(), "sluice-tests-"))
  const report = join(folder, "report.json")
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const clean = succeeds(
    node,
    [
      vitest,
      "run",
      "--root",
      root,
      "--config",
      "test/vitest.config.ts",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`
    ],
    environment
  )
  // The report decides, not the exit code alone: what runs in the runner's process may end it with a code of its own.
  const counts = existsSync(report)
    ? JSON.parse(readFileSync(report, "utf8"))
    : { success: false, numPassedTests: 0, numFailedTests: 0 }
  passed += counts.numPassedTests
  // A file that could not even be loaded has no tests that failed.
  failed += clean && counts.success ? 0 : Math.max(counts.numFailedTests, 1)
  rmSync(folder, { recursive: true, force: true })

  check("the core under Deno: types", bin("deno"), [
    "check",
    "core/window/RunWindow.ts",
    "core/gate/Gate.ts",
    "core/run/Run.ts"
  ])
  check("the core under Deno: window cases", bin("deno"), [
    "run",
    "--allow-read",
    "--allow-env",
    "test/window/digest.ts",
    "--check"
  ])

  process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
  return failed === 0 ? 0 : 1
}

/** A Node with a native Temporal, for the tests that compare runtimes; it is installed where there is a package of it. */
const temporalNode = () => {
  const program = join(root, "node_modules", "node-temporal", "bin", "node")
  return existsSync(program) ? { SLUICE_TEST_NODE_TEMPORAL: program } : {}
}
