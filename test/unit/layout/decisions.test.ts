import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root } from "../../support/Source.ts"

const folder = join(root, "docs/decisions")
const names = readdirSync(folder).filter((name) => /^\d{4}-/.test(name))
const read = (name: string): string => readFileSync(join(folder, name), "utf8")

/** The test files that a decision names as those that hold it. */
const testsOf = (page: string): ReadonlyArray<string> => {
  const [, held = ""] = page.split("\n## Held by\n")
  return [...held.matchAll(/`([^`\s]+\.test\.ts)`/g)].map(([, path = ""]) => path)
}

describe("the decisions", () => {
  it("are numbered from 0001 on without gaps", () => {
    assert.deepStrictEqual(
      names.map((name) => name.slice(0, 4)),
      names.map((_name, index) => String(index + 1).padStart(4, "0"))
    )
    assert.isAtLeast(names.length, 14)
  })

  it.each(names)("%s names tests that exist, and its parts", (name) => {
    const page = read(name)
    const tests = testsOf(page)
    assert.isNotEmpty(tests)
    assert.deepStrictEqual(
      tests.filter((path) => !existsSync(join(root, path))),
      []
    )
    for (const part of ["Context", "Decision", "Consequences"]) assert.include(page, `\n## ${part}\n`)
  })

  it("stand in the list of the folder", () => {
    const list = read("README.md")
    assert.deepStrictEqual(
      names.filter((name) => !list.includes(`(${name})`)),
      []
    )
  })
})
