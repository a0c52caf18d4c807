import { execFileSync, spawnSync } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { memoryOf, ranFiles } from "../../../apps/bootstrap/unchanged.js"
import { root } from "../../support/Source.ts"

const header = `import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { test } from "vitest"
const at = (...parts) => join(import.meta.dirname, "..", "..", ...parts)
`

/** The name of a path must not stand in the code, where it would be found without being read. */
const files = {
  "package.json": '{ "name": "sluice", "type": "module", "exports": { "./window": "./core/Window.ts" } }',
  "package-lock.json": "{}",
  ".gitignore": ".cache/\nnode_modules\n",
  "core/Window.ts": 'import { zone } from "./Zone.ts"\nexport const window = zone\n',
  "core/Zone.ts": "export const zone = 1\n",
  "core/Late.ts": 'export * from "./Later.ts"\n',
  "core/Later.ts": "export const later = 1\n",
  "core/Program.ts": 'import "./Part.ts"\n',
  "core/Part.ts": "export {}\n",
  "core/Thread.ts": 'import "./Knot.ts"\n',
  "core/Knot.ts": "export {}\n",
  "core/Unused.ts": "export {}\n",
  "data/one.txt": "1",
  "data/two.txt": "2",
  "data/own.txt": "3",
  "listed/a.txt": "",
  "listed/deep/b.txt": "",
  "docs/page.md": "",
  "test/support/Helper.ts": `import { readFileSync } from "node:fs"
import { join } from "node:path"
export const text = readFileSync(join(import.meta.dirname, "..", "..", "da" + "ta", "two.txt"), "utf8")
`,
  "test/unit/imports.test.ts": `${header}import { window } from "sluice/window"
test("imports", async () => { await import("../../core/Late.ts") })
`,
  "test/unit/reads.test.ts": `${header}import { text } from "../support/Helper.ts"
test("reads", () => { readFileSync(at("da" + "ta", "one.txt")) })
test("asks", () => { existsSync(at("da" + "ta", "none.txt")) })
`,
  "test/unit/shares.test.ts": `${header}import { text } from "../support/Helper.ts"
test("shares a loaded module", () => {})
`,
  "test/unit/lists.test.ts": `${header}test("lists", () => { readdirSync(at("lis" + "ted"), { recursive: true }) })
`,
  "test/unit/starts.test.ts": `${header}test("starts", () => {
  execFileSync(process.execPath, [at("co" + "re", "Program.ts")])
})
test("has a thread", () => { new Worker(new URL("../../core/Thread.ts", import.meta.url)) })
`,
  "test/unit/git.test.ts": `${header}test("asks Git", () => { execFileSync("git", ["ls-files"], { cwd: at(".") }) })
`,
  "test/unit/alone.test.ts": `${header}test("one", () => {})
test("two", () => {})
`,
  "test/unit/red.test.ts": `${header}test("red", () => { throw new Error("red") })
`
}

const names = Object.keys(files).filter((path) => path.endsWith(".test.ts"))
const short = (path: string) => path.slice("test/unit/".length, -".test.ts".length)

describe("what npm test does not run again", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sluice-unchanged-")))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  copyFileSync(join(root, "test/support/noteReads.ts"), join(folder, "test/support/noteReads.ts"))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  write(
    "test/vitest.config.ts",
    `export default { test: {
      include: ["test/unit/*.test.ts"], setupFiles: ["test/support/noteReads.ts"], isolate: false, maxWorkers: 1,
      experimental: { viteModuleRunner: false, nodeLoader: false }
    } }`
  )
  execFileSync("git", ["init", "-q"], { cwd: folder })

  const settings = { node: "v24.1.0", env: { SLUICE_ONE: "1", OTHER: "1" } }
  const memory = (change: Partial<typeof settings> = {}) => memoryOf(folder, { ...settings, ...change })
  /** The files that would run, by their short names. */
  const again = (change: Partial<typeof settings> = {}) => {
    const { unchanged } = memory(change)
    return names.filter((name) => unchanged(name) === null).map(short)
  }

  const first = memory()
  const noted = join(folder, ".cache", "noted")
  mkdirSync(noted, { recursive: true })
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const reporter = join(root, "test", "support", "Report.ts")
  const report = join(noted, "report.json")
  const args = [vitest, "run", "--root", folder, "--config", "test/vitest.config.ts", `--reporter=${reporter}`]
  const { stderr, stdout } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, SLUICE_TEST_REPORT: report, SLUICE_TEST_COSTS: noted }
  })
  // The reporter names files from its own checkout.
  const outcomes = Object.fromEntries(
    Object.entries(existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).files : {}).map(([path, outcome]) => [
      path.slice(path.indexOf("test/unit/")),
      outcome as { isPassed: boolean; tests: number }
    ])
  )
  const { loading, ran } = ranFiles(noted, outcomes)
  const beforeRun = again()
  first.keep(ran, loading)

  it("is nothing before the first run", () => assert.deepStrictEqual(beforeRun, names.map(short)))

  it("is what passed, with the number of its tests", () => {
    assert.lengthOf(ran, names.length, stdout + stderr)
    assert.deepStrictEqual(again(), ["red"])
    assert.strictEqual(memory().unchanged("test/unit/alone.test.ts"), 2)
    assert.isNull(memory().unchanged("test/unit/another.test.ts"))
  })

  it.each([
    ["the test file itself", "test/unit/alone.test.ts", ["alone"]],
    ["an imported module, by the name of the package", "core/Window.ts", ["imports"]],
    ["a module that this one imports", "core/Zone.ts", ["imports"]],
    ["a module that an imported one exports, imported late", "core/Later.ts", ["imports"]],
    ["a file that a test reads", "data/one.txt", ["reads"]],
    ["a file that a module read while it was loaded for another test file", "data/two.txt", ["reads", "shares"]],
    ["a file that a test found absent", "data/none.txt", ["reads"]],
    ["a file that is new in a listed folder", "listed/c.txt", ["lists"]],
    ["a file that is new deep in a listed folder", "listed/deep/c.txt", ["lists"]],
    ["a started program", "core/Program.ts", ["starts"]],
    ["a module of a started program", "core/Part.ts", ["starts"]],
    ["the module of a thread", "core/Thread.ts", ["starts"]],
    ["a module of a thread", "core/Knot.ts", ["starts"]],
    ["a file that nothing names", "core/Unused.ts", []],
    ["the lock file", "package-lock.json", names.map(short)],
    ["the settings of the runner", "test/vitest.config.ts", names.map(short)]
  ])("runs again what depends on %s: %s", (_, path, expected) => {
    const before = existsSync(join(folder, path)) ? readFileSync(join(folder, path)) : null
    try {
      write(path, `${before ?? ""} `)
      // What asks Git depends on every file.
      assert.deepStrictEqual(again().toSorted(), [...new Set([...expected, "git", "red"])].toSorted())
    } finally {
      if (before === null) rmSync(join(folder, path))
      else writeFileSync(join(folder, path), before)
    }
    assert.deepStrictEqual(again(), ["red"], "after the change was undone")
  })

  it("runs again what listed a folder from which a file is gone, and not what changed in it", () => {
    write("listed/a.txt", "changed")
    assert.notInclude(again(), "lists")
    rmSync(join(folder, "listed/a.txt"))
    assert.include(again(), "lists")
    write("listed/a.txt", "")
  })

  it.each([
    ["another Node", { node: "v24.2.0" }],
    ["another setting", { env: { SLUICE_ONE: "2", OTHER: "1" } }],
    ["one setting more", { env: { SLUICE_ONE: "1", SLUICE_TWO: "", OTHER: "1" } }]
  ])("runs everything again on %s", (_, change) => assert.deepStrictEqual(again(change), names.map(short)))

  it("does not mind the other variables of the environment", () =>
    assert.deepStrictEqual(again({ env: { SLUICE_ONE: "1", OTHER: "2" } }), ["red"]))

  it("runs again what failed, what noted nothing, and what depends on a file that changed during the run", () => {
    const passed = (name: string, isPassed: boolean) => ranFiles(noted, { [name]: { isPassed, tests: 1 } })
    const record = join(folder, ".cache", "passed.json")
    const kept = readFileSync(record)
    memory().keep(passed("test/unit/alone.test.ts", false).ran)
    assert.deepStrictEqual(again(), ["alone", "red"])
    memory().keep(passed("test/unit/alone.test.ts", true).ran)
    assert.deepStrictEqual(again(), ["red"])
    memory().keep(passed("test/unit/killed.test.ts", true).ran)
    assert.isNull(memory().unchanged("test/unit/killed.test.ts"))
    const running = memory()
    write("core/Zone.ts", "export const zone = 2\n")
    running.keep(ran, loading)
    assert.deepStrictEqual(
      again(),
      ["imports", "git", "red"].toSorted((a, b) => at(a) - at(b))
    )
    write("core/Zone.ts", files["core/Zone.ts"])
    assert.include(again(), "imports")
    writeFileSync(record, kept.subarray(0, 100))
    assert.deepStrictEqual(again(), names.map(short), "of an incomplete record")
    writeFileSync(record, kept)
  })
})

const at = (name: string) => names.map(short).indexOf(name)
