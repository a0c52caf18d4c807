// @ts-check
import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { compiled, root, withNode } from "./run.js"
import { BootstrapError } from "./say.js"
import { needsChromium, vitest } from "./vitest.js"

const usage = "expected npm run test:repeat FILE -- [RUNS] [--load PROCESSES] [options of Vitest]"

/**
 * What the command line asks for.
 *
 * @param {ReadonlyArray<string>} args
 */
export const readRepeat = (args) => {
  const rest = [...args]
  const at = rest.indexOf("--load")
  const load = at < 0 ? "0" : (rest.splice(at, 2)[1] ?? "")
  const [file = "", ...more] = rest
  const runs = /^\d+$/.test(more[0] ?? "") ? String(more.shift()) : "10"
  const path = relative(root, join(root, file)).split(sep).join("/")
  if (!/^test\/.+\.test\.ts$/.test(path) || !existsSync(join(root, path))) {
    throw new BootstrapError(`"${file}" is not a test file: ${usage}`)
  }
  for (const [name, number] of Object.entries({ RUNS: runs, PROCESSES: load })) {
    if (!/^\d{1,4}$/.test(number) || (name === "RUNS" && Number(number) === 0)) {
      throw new BootstrapError(`${name} is "${number}": ${usage}`)
    }
  }
  return { path, runs: Number(runs), load: Number(load), options: more }
}

/** Keeps a processor busy until it is ended, or until its parent is gone. */
const busy = "const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e7; i++);"

/**
 * Runs a test file again and again beside busy processes, shows a line for each run, and in the end what failed how often.
 * The output of each failed run is kept. An interrupt ends it early, with the same end. Returns the exit code.
 *
 * @param {object} options
 * @param {string} options.node
 * @param {ReadonlyArray<string>} options.args of the test runner
 * @param {NodeJS.ProcessEnv} options.env
 * @param {number} options.runs
 * @param {number} options.load
 * @param {string} options.folder where the outputs of failed runs are kept
 * @param {(line: string) => void} [options.say]
 */
export const repeat = async ({ args, env, folder, load, node, runs, say = (line) => console.log(line) }) => {
  mkdirSync(folder, { recursive: true })
  const neighbours = Array.from({ length: load }, () => spawn(node, ["-e", busy], { stdio: "ignore" }))
  const alone = Promise.all(neighbours.map((neighbour) => once(neighbour, "exit")))
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let running
  let interrupted = false
  const interrupt = (/** @type {NodeJS.Signals} */ signal) => {
    interrupted = true
    // A terminal sends its interrupt to both processes.
    if (signal !== "SIGINT" || !process.stdin.isTTY) running?.kill(signal)
  }
  const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])
  for (const signal of signals) process.on(signal, interrupt)

  let done = 0
  let red = 0
  /** @type {Map<string, { first: string, runs: Set<number> }>} */
  const groups = new Map()
  try {
    for (let run = 1; run <= runs && !interrupted; run++) {
      const log = join(folder, `${String(run).padStart(String(runs).length, "0")}.log`)
      const outcomes = join(folder, "outcomes.json")
      rmSync(outcomes, { force: true })
      const began = performance.now()
      const output = openSync(log, "w")
      const code = await new Promise((resolve) => {
        running = spawn(node, args, {
          cwd: root,
          env: { ...env, SLUICE_TEST_OUTCOMES: outcomes },
          stdio: ["ignore", output, output]
        })
        running.on("error", () => resolve(null))
        running.on("exit", resolve)
      })
      closeSync(output)
      // Its end says nothing of the test.
      if (interrupted) {
        rmSync(log)
        break
      }
      const seconds = `${((performance.now() - began) / 1_000).toFixed(1)} s`
      const failures = failuresOf(outcomes, code)
      done++
      if (failures.length === 0) rmSync(log)
      else red++
      say(`run ${run} of ${runs}: ${failures[0] === undefined ? "passed" : "FAILED"}, ${seconds}`)
      for (const failure of failures) {
        // Ports, times and identifiers differ from run to run.
        const group = failure.replace(/[0-9a-f]*[0-9][0-9a-f]*/gi, "#")
        const known = groups.get(group) ?? { first: failure, runs: new Set() }
        groups.set(group, { ...known, runs: known.runs.add(run) })
      }
      rmSync(outcomes, { force: true })
    }
  } finally {
    for (const neighbour of neighbours) neighbour.kill("SIGKILL")
    await alone
    for (const signal of signals) process.off(signal, interrupt)
  }

  const summary = [
    `${red} of ${done} runs failed${interrupted ? ", interrupted" : ""}`,
    ...[...groups.values()]
      .sort((one, other) => other.runs.size - one.runs.size)
      .map(({ first, runs }) => `${runs.size} times, in ${[...runs].join(", ")}: ${first}`),
    ...(red === 0 ? [] : [`The output of each failed run, with its seeds, is in ${relative(root, folder)}`])
  ]
  say(`\n${summary.join("\n")}`)
  if (red === 0) rmSync(folder, { recursive: true, force: true })
  else writeFileSync(join(folder, "summary.txt"), `${summary.join("\n")}\n`)
  return interrupted ? 130 : red === 0 ? 0 : 1
}

/**
 * The failures of a run, each in one line. A runner that failed without one counts as a failure.
 *
 * @param {string} outcomes
 * @param {number | null} code
 * @returns {ReadonlyArray<string>}
 */
const failuresOf = (outcomes, code) => {
  if (!existsSync(outcomes)) return [`The test runner ended with ${code ?? "a signal"} before its report`]
  /** @type {import("../../test/support/Outcomes.ts").Outcomes} */
  const { errors, files } = JSON.parse(readFileSync(outcomes, "utf8"))
  const lines = [
    ...files.flatMap(({ failures }) => failures.map(({ message, name }) => `${name}: ${message}`)),
    ...errors.map((message) => `An error outside of the tests: ${message}`)
  ].map((text) => text.split("\n", 1)[0] ?? "")
  if (lines.length > 0) return lines
  if (!files.some(({ passed }) => passed > 0)) return ["No test ran"]
  return code === 0 ? [] : [`All tests passed, and the test runner ended with ${code ?? "a signal"}`]
}

/**
 * The command `npm run test:repeat`.
 *
 * @param {string} node
 * @param {ReadonlyArray<string>} given
 * @param {() => NodeJS.ProcessEnv} browsers
 */
export const repeatFile = (node, given, browsers) => {
  const { load, options, path, runs } = readRepeat(given)
  const project = ["--project", path.split("/")[1] ?? ""]
  const reporter = join(root, "test", "support", "Outcomes.ts")
  const stamp = new Date().toISOString().replaceAll(/[-:]|\..*/g, "")
  return repeat({
    node,
    args: vitest([...project, path, "--no-color", "--reporter=default", `--reporter=${reporter}`, ...options]),
    env: { ...compiled, ...withNode(node), ...(needsChromium(project) ? browsers() : {}) },
    runs,
    load,
    folder: join(root, ".cache", "repeats", stamp)
  })
}
