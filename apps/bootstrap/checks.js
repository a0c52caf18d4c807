// @ts-check
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { compiling, lintChanged, shown, types } from "./check.js"
import { memoryFolder } from "./memoryFolder.js"
import { versionOf } from "./node.js"
import { compiled, root, withNode } from "./run.js"
import { otherRuntimes } from "./runtimes.js"
import { say } from "./say.js"
import { memoryOf, ranFiles } from "./unchanged.js"
import { vitest } from "./vitest.js"

/** The rooms of core whose unit tests run under Deno: what programs on other runtimes embed first. All do in a night. */
const underDeno = ["window", "run", "schedule"]

/** What else `npm test` checks, by what each depends on. The linter keeps what it has accepted itself. */
const otherChecks = {
  types: { on: ["core/", "adapters/", "apps/", "test/", "tsconfig.json"], starts: [] },
  denoTypes: { on: ["core/", "test/kit/", "deno.json", "test/runtimes/"], starts: [] },
  denoTests: { on: ["test/*", "deno.json", "test/runtimes/"], starts: ["test/unit/testing/anyRuntime.ts"] }
}

/**
 * Runs the checks and tests, and prints `N passed, M failed` at the end. Each test of the runner counts, and each of the
 * other checks. Returns the exit code. The other checks run at a lower priority beside the tests, which spend part of their
 * time waiting for browsers and databases.
 *
 * What passed before and depends on nothing that has changed is not run again, and counts as passed.
 *
 * @param {string} node
 * @param {NodeJS.ProcessEnv} env
 * @param {object} [options]
 * @param {boolean} [options.isAll] Whether everything runs at the size of a night: see `test/support/scale.ts`.
 * @param {boolean} [options.isAgain] Whether what is unchanged runs again.
 * @param {ReadonlyArray<string>} [options.only] Parts of the paths of test files, of which the others are left out.
 */
export const runChecks = async (node, env, { isAgain = false, isAll = false, only = [] } = {}) => {
  const temporary = memoryFolder()
  const environment = {
    ...compiling,
    ...withNode(node),
    ...env,
    ...(isAll ? { SLUICE_TEST_ALL: "1" } : {}),
    ...(temporary === null ? {} : { TMPDIR: temporary })
  }
  const memory = memoryOf(root, { node: versionOf(node), env: environment })
  const unchanged = (/** @type {string} */ name) => (isAgain ? null : memory.unchanged(name))
  let passed = 0
  let failed = 0
  /** @type {import("./unchanged.js").Ran[]} */
  const ran = []
  const count = (/** @type {boolean} */ isPassed) => {
    if (isPassed) passed++
    else failed++
  }
  const options = (/** @type {string} */ name) => ({
    title: `\n— ${name}`,
    priority: constants.priority.PRIORITY_BELOW_NORMAL
  })
  const check = async (
    /** @type {string} */ name,
    /** @type {{ on: string[], starts: string[] }} */ depends,
    /** @type {string} */ program,
    /** @type {string[]} */ args
  ) => {
    if (unchanged(name) !== null) return count(true)
    // A program that cannot be run at all is a check that failed.
    const isPassed = (await shown(program, args, environment, options(name)).catch(() => null)) === 0
    ran.push({ name, isPassed, tests: 1, ...depends })
    count(isPassed)
  }

  const { deno } = otherRuntimes()
  const core = ["core", "test/kit"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(folder, name))
  )
  const rooms = (memory.files ?? []).filter((path) => underDeno.some((room) => path.startsWith(`test/unit/${room}/`)))
  const denoTests = { ...otherChecks.denoTests, starts: [...otherChecks.denoTests.starts, ...rooms] }
  const others = Promise.all([
    check("types", otherChecks.types, node, types),
    lintChanged(node, { ...options("format and lint"), isAgain }).then((code) => count(code === 0)),
    check("the core under Deno: types", otherChecks.denoTypes, deno, ["check", "--quiet", ...core]).then(() =>
      check("the core under Deno: unit tests", denoTests, deno, [
        ...["task", "--quiet", "test"],
        ...(isAll ? [] : [`--rooms=${underDeno}`])
      ])
    )
  ])

  const files = memory.files?.filter((path) => only.length === 0 || only.some((part) => path.includes(part)))
  const left = files?.filter((path) => unchanged(path) !== null) ?? []
  const before = left.reduce((sum, path) => sum + (unchanged(path) ?? 0), 0)
  if (left.length > 0) {
    say(`${left.length} of ${files?.length} test files are unchanged since they passed; run all: npm test -- --all`)
  }
  if (left.length === 0 || left.length !== files?.length) {
    const counts = await runTests(node, environment, only, left)
    passed += counts.passed
    failed += counts.failed
    await others
    // A night is another size than that of the record.
    if (!isAll) memory.keep([...ran, ...counts.ran], counts.loading)
  } else {
    await others
    memory.keep(ran)
  }
  if (before > 0) say(`${before} of the tests that passed did so before`)
  process.stdout.write(`\n${passed + before} passed, ${failed} failed\n`)
  return failed === 0 ? 0 : 1
}

/**
 * @param {string} node
 * @param {NodeJS.ProcessEnv} environment
 * @param {ReadonlyArray<string>} only
 * @param {ReadonlyArray<string>} left The test files that are left out.
 */
const runTests = async (node, environment, only, left) => {
  say(`\n— tests, on Node ${versionOf(node)}`)
  const folder = mkdtempSync(join(tmpdir(), "sluice-tests-"))
  const report = join(folder, "report.json")
  const unchanged = join(folder, "unchanged.json")
  writeFileSync(unchanged, JSON.stringify(left))
  const clean = await succeeded(
    node,
    vitest(["--reporter=default", `--reporter=${join(root, "test", "support", "Report.ts")}`, ...only]),
    {
      ...environment,
      SLUICE_TEST_REPORT: report,
      SLUICE_TEST_COSTS: folder,
      SLUICE_TEST_UNCHANGED: unchanged,
      SLUICE_TEST_WHOLE: "1"
    }
  )
  // The report decides, not the exit code alone: code under test may change the exit code of the runner's process.
  const counts = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : { passed: 0, failed: 1, files: {} }
  const { loading, ran } = ranFiles(folder, counts.files)
  rmSync(folder, { recursive: true, force: true })
  const failed = clean ? counts.failed : Math.max(counts.failed, 1)
  return { passed: counts.passed, failed, loading, ran: clean || counts.failed > 0 ? ran : [] }
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
