import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root } from "../../support/Source.ts"

/** The rows of the table of what others have: the words about Sluice, and what holds them. */
const rowsOf = (
  page: string
): ReadonlyArray<{ readonly feature: string; readonly words: string; readonly held: string }> =>
  (page.split("## What others have\n")[1]?.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => /^\| (?!feature|-)/.test(line))
    .map((line) => {
      const [, feature = "", , words = "", held = ""] = line.split("|").map((cell) => cell.trim())
      return { feature, words, held }
    })

const sources = ["core", "adapters", "apps"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`)
)

/** Why a row is not held; `null` where it is: a test names the thing that exists, and no source names one that does not. */
const problemOf = ({ feature, held, words }: ReturnType<typeof rowsOf>[number]): string | null => {
  const none = /^nothing in the sources is named `(\w+)`$/.exec(held)?.[1]
  if (none !== undefined) {
    if (!/^no\b/.test(words)) return `${feature}: "${words}", and nothing holds it`
    const file = sources.find((path) => path.includes(none) || readFileSync(join(root, path), "utf8").includes(none))
    return file === undefined ? null : `${feature}: "${words}", but ${file} names ${none}`
  }
  const [, path = "", name = ""] = /^`([^`]+)`: (.+)$/.exec(held) ?? []
  if (!/^(yes|in part)\b/.test(words)) return `${feature}: "${words}", but ${path} holds it`
  if (path === "" || !existsSync(join(root, path))) return `${feature}: no test ${held}`
  return readFileSync(join(root, path), "utf8").includes(name) ? null : `${feature}: ${path} has no test "${name}"`
}

describe("docs/compare.md", () => {
  it("has rows about Sluice that a test holds, and says no only of what no source names", () => {
    const rows = rowsOf(readFileSync(join(root, "docs/compare.md"), "utf8"))
    assert.isAtLeast(rows.length, 10)
    assert.deepStrictEqual(
      rows.flatMap((row) => problemOf(row) ?? []),
      []
    )
  })

  it("would be refused where it denies what exists, or claims what no test names", () => {
    const page = (words: string, held: string) =>
      rowsOf(
        `## What others have\n\n| feature | who | Sluice | held by |\n|---|---|---|---|\n| a | B | ${words} | ${held} |\n`
      )
    const problems = (words: string, held: string) => page(words, held).map(problemOf)
    assert.deepStrictEqual(problems("no", "nothing in the sources is named `Gopher`"), [null])
    assert.match(problems("no", "nothing in the sources is named `Passkey`").join(), /^a: "no", but .+ names Passkey$/)
    assert.deepStrictEqual(problems("no", "`test/a.test.ts`: b"), [`a: "no", but test/a.test.ts holds it`])
    assert.deepStrictEqual(problems("yes", "`test/a.test.ts`: b"), ["a: no test `test/a.test.ts`: b"])
    const own = "`test/browser/agent/frames.test.ts`"
    assert.deepStrictEqual(problems("yes", `${own}: closed shadow roots are reached`), [null])
    assert.lengthOf(
      problems("yes", `${own}: open a tin`).flatMap((one) => one ?? []),
      1
    )
  })
})
