/** The page on security claims nothing that no test holds. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { claimsOf, problemsOf } from "./Claims.ts"

const root = join(import.meta.dirname, "../../..")

const page = readFileSync(join(root, "docs/security.md"), "utf8")

describe("the claims of docs/security.md", () => {
  it("name tests that exist, each at least one", () => {
    assert.deepStrictEqual(
      problemsOf(page, (path) => existsSync(join(root, path))),
      []
    )
    assert.isAtLeast(claimsOf(page).length, 25)
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
  })
})
