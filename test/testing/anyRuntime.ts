/**
 * Runs the unit tests of the core on the runtime that runs this file, in one process. `deno task test` runs all of them,
 * `deno task test FILES…` some, and with `--short` those that take little time, as `npm test` does.
 *
 * It fails when a test fails, when a file has no tests, and when no test has passed.
 */
import process from "node:process"
import { importsOf, root, sources } from "../layout/Source.ts"
import { projectOf } from "../projects.ts"
import { type Results, runFile } from "./TestRun.ts"

/** They compare with snapshots, which only the processes of Vitest keep. */
const withSnapshots: ReadonlySet<string> = new Set(["test/event/eventJson.test.ts"])

/** Those that take more than half a second of processor time. */
const long: ReadonlySet<string> = new Set([
  "test/agent/credentials.test.ts",
  "test/agent/dataActions.test.ts",
  "test/agent/secrets.test.ts",
  "test/agent/tfa.test.ts",
  "test/builder/host.test.ts",
  "test/cli/views.test.ts",
  "test/docs/examples.test.ts",
  "test/event/eventBounds.test.ts",
  "test/mail/parser.test.ts",
  "test/run/executors.test.ts",
  "test/run/worker.test.ts",
  "test/schedule/timing.test.ts",
  "test/simulation/simulation.test.ts",
  "test/testing/contracts.test.ts",
  "test/testing/crypto.test.ts",
  "test/testing/generators.test.ts",
  "test/testing/kit.test.ts",
  "test/testing/starts.test.ts",
  "test/vault/masterRotation.test.ts",
  "test/vault/rotation.test.ts",
  "test/webhook/rules.test.ts",
  "test/webhook/sender.test.ts",
  "test/window/exchange.test.ts",
  "test/window/properties.test.ts",
  "test/workflow/expression.test.ts",
  "test/workflow/saving.test.ts"
])

const ofCore = sources("test")
  .filter((source) => source.path.endsWith(".test.ts") && projectOf(source.path) === "unit")
  .filter((source) => importsOf(source).some((module) => module.startsWith("core/")))
  .map(({ path }) => path)
  .filter((path) => !withSnapshots.has(path))
  .toSorted()

const args = process.argv.slice(2)
const named = args.filter((arg) => !arg.startsWith("--"))
const short = args.includes("--short")
const files = named.length > 0 ? named : ofCore.filter((path) => !short || !long.has(path))

const all: Array<Results> = []
for (const path of files) {
  const results = await runFile(root, path)
  for (const { reason, title } of results.failures) process.stdout.write(`FAILED ${title}\n${reason}\n`)
  all.push(results)
}
const total = (count: (results: Results) => number) => all.reduce((sum, results) => sum + count(results), 0)
const passed = total((results) => results.passed)
const skipped = total((results) => results.skipped)
const failed = total(({ failures }) => failures.length)
process.stdout.write(`${files.length} files: ${passed} passed, ${skipped} skipped, ${failed} failed\n`)
// What a test has left behind, such as a timer, must not keep the process.
process.exit(failed === 0 && passed > 0 ? 0 : 1)
