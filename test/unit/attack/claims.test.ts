/** The page on security claims nothing that no test holds. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { claimsOf, problemsOf } from "./Claims.ts"

const root = join(import.meta.dirname, "../../..")

/** Whether a file has a test, or hands promises to the runner. */
const hasTests = (path: string): boolean =>
  existsSync(join(root, path)) &&
  /\b(it|test)(\.\w+)*\(|\bpromises\b|each\(/.test(readFileSync(join(root, path), "utf8"))

const page = readFileSync(join(root, "docs/security.md"), "utf8")

describe("the claims of docs/security.md", () => {
  it("name files with tests that exist, each at least one", () => {
    assert.deepStrictEqual(problemsOf(page, hasTests), [])
    assert.isAtLeast(claimsOf(page).length, 60)
  })

  it("are caught when they name no test, one that does not exist, or one outside of the tests", () => {
    const problems = (item: string) =>
      problemsOf(
        `# Security\n\n## What is defended\n\n${item}\n\n## What is not\n\n- x\n`,
        (path) => path === "test/a.test.ts"
      )
    assert.deepStrictEqual(problems("- It holds: `test/a.test.ts`."), [])
    assert.deepStrictEqual(problems("- It holds:\n  `test/a.test.ts`."), [])
    assert.deepStrictEqual(problems("- It holds."), ['"It holds." names no test'])
    assert.lengthOf(problems("- It holds: `test/b.test.ts`."), 1)
    assert.lengthOf(problems("- It holds: `test/a.test.ts`, `test/b.test.ts`."), 1)
    assert.lengthOf(problems("- It holds: `core/a.test.ts`."), 1)
    assert.lengthOf(problems("It holds."), 1)
    const row = (cell: string) =>
      problems(
        `- It holds: \`test/a.test.ts\`.\n\n## Who can do what\n\n| who | test |\n|---|---|\n| a Member | ${cell} |`
      )
    assert.deepStrictEqual(row("`test/a.test.ts`"), [])
    assert.lengthOf(row("nothing"), 1)
    assert.lengthOf(row("`test/b.test.ts`"), 1)
  })
})
