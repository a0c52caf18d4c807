/**
 * Runs the unit tests of the core on the runtime that runs this file, in one process. `deno task test` runs all of them,
 * `deno task test FILES…` some, and with `--rooms=window,run` those of these rooms of core, as `npm test` does.
 *
 * It fails when a test fails, when a file has no tests, and when no test has passed.
 */
import process from "node:process"
import { projectOf } from "../../projects.ts"
import { importsOf, root, sources } from "../../support/Source.ts"
import { type Results, runFile } from "./TestRun.ts"

/** They compare with snapshots, which only the processes of Vitest keep. */
const withSnapshots: ReadonlySet<string> = new Set(["test/unit/event/eventJson.test.ts"])

const ofCore = sources("test")
  .filter((source) => source.path.endsWith(".test.ts") && projectOf(source.path) === "unit")
  .filter((source) => importsOf(source).some((module) => /^(core|test\/kit)\//.test(module)))
  .map(({ path }) => path)
  .filter((path) => !withSnapshots.has(path))
  .toSorted()

const args = process.argv.slice(2)
const named = args.filter((arg) => !arg.startsWith("--"))
const rooms = args.flatMap((arg) => (arg.startsWith("--rooms=") ? arg.slice("--rooms=".length).split(",") : []))
const isIn = (path: string) => rooms.length === 0 || rooms.some((room) => path.startsWith(`test/unit/${room}/`))
const files = named.length > 0 ? named : ofCore.filter(isIn)

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
