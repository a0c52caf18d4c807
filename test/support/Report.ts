/**
 * The reporter of `npm test`. It writes the counts of passed and failed tests to the file that `npm test` reads, and says
 * where the time went: by project, and in the ten files that took longest, beside the run before.
 *
 * An error outside of a test and a file that could not be loaded count as a failure each. The exit code of the runner is
 * not reliable: code under test may change it.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import type { Reporter, SerializedError, TestModule } from "vitest/node"
import { projectOf } from "../projects.ts"
import { type Cost, startedBy } from "./costs.ts"
import { root } from "./Source.ts"

export interface Counts {
  readonly passed: number
  readonly failed: number
  /** What became of each test file, by its path in the checkout. */
  readonly files: Readonly<Record<string, { readonly isPassed: boolean; readonly tests: number }>>
}

const countsOf = (modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): Counts => {
  const counts = { passed: 0, failed: errors.length }
  const files: Record<string, Counts["files"][string]> = {}
  for (const module of modules) {
    const results = [...module.children.allTests()].map((test) => test.result().state)
    const failed = results.filter((state) => state === "failed").length
    const passed = results.filter((state) => state === "passed").length
    counts.passed += passed
    counts.failed += module.ok() ? failed : Math.max(failed, 1)
    // An error outside of a test may be of any file.
    const isPassed = module.ok() && failed === 0 && errors.length === 0
    files[relative(root, module.moduleId).replaceAll("\\", "/")] = { isPassed, tests: passed }
  }
  return { ...counts, files }
}

/** What a run cost: seconds by name, which is a project or the path of a test file. */
export type Costs = Readonly<Record<string, Omit<Cost, "file">>>

/** The costs that the processes of the tests have noted in a folder, by test file. */
export const notedCosts = (folder: string): Costs =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"))
      .map((line): Cost => JSON.parse(line))
      .map(({ file, ...cost }) => [relative(root, file), cost])
  )

/** The costs of files by project. Tests of one project run in several processes at once, and so their time adds up. */
export const byProject = (files: Costs): Costs => {
  const sums: Record<string, Omit<Cost, "file">> = {}
  for (const [path, { own, started, wall }] of Object.entries(files)) {
    const project = projectOf(path) ?? "other"
    const sum = sums[project] ?? { wall: 0, own: 0, started: 0 }
    sums[project] = { wall: sum.wall + wall, own: sum.own + own, started: sum.started + started }
  }
  return sums
}

const seconds = (millis: number): string => (millis / 1_000).toFixed(1).padStart(9)

const computed = ({ own, started }: Omit<Cost, "file">): number => own + started

const row = ([name, cost]: readonly [string, Omit<Cost, "file">], change: number | undefined): string =>
  [
    name.padEnd(48),
    ...[cost.wall, cost.own, cost.started, Math.max(0, cost.wall - computed(cost))].map(seconds),
    change === undefined ? "" : seconds(change)
  ].join("")

const byWall = (costs: Costs) => Object.entries(costs).toSorted(([, one], [, other]) => other.wall - one.wall)

/** The table of a run in seconds, with the change of processor time in the files that the run before had as well. */
export const table = (files: Costs, before: Costs): string => {
  const changes = new Map<string, number>()
  for (const [path, cost] of Object.entries(files)) {
    const earlier = before[path]
    if (earlier === undefined) continue
    const change = computed(cost) - computed(earlier)
    const project = projectOf(path) ?? "other"
    changes.set(path, change).set(project, (changes.get(project) ?? 0) + change)
  }
  const rows = [...byWall(byProject(files)), ...byWall(files).slice(0, 10)]
  return [
    ["seconds".padEnd(48), ...["elapsed", "tests", "started", "waited", "change"].map((name) => name.padStart(9))].join(
      ""
    ),
    ...rows.map((entry) => row(entry, changes.get(entry[0]))),
    "tests: processor time of the processes that run tests; started: of browsers, databases and programs that tests started;",
    "waited: none of them computed, as for a timer or the shared database; change: of both since the run before"
  ].join("\n")
}

const kept = join(root, ".cache", "test-costs.json")

const keptCosts = (): Costs => {
  try {
    return JSON.parse(readFileSync(kept, "utf8"))
  } catch {
    return {}
  }
}

export default class Report implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): void {
    const path = process.env.SLUICE_TEST_REPORT
    if (path === undefined) throw new Error("Set SLUICE_TEST_REPORT to the path of the report")
    writeFileSync(path, JSON.stringify(countsOf(modules, errors)))
    const folder = process.env.SLUICE_TEST_COSTS
    if (folder === undefined) return
    const costs = notedCosts(folder)
    const before = keptCosts()
    const shared = startedBy(process.pid, (name) => name === "postgres")
    process.stdout.write(`\n${table(costs, before)}\nPostgreSQL, which all tests share:${seconds(shared)}\n`)
    mkdirSync(dirname(kept), { recursive: true })
    writeFileSync(kept, JSON.stringify({ ...before, ...costs }))
  }
}
