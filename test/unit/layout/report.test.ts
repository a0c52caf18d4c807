import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { byProject, notedCosts, table } from "../../support/Report.ts"
import { root } from "../../support/Source.ts"

const cost = (wall: number, own: number, started: number) => ({ wall, own, started })

describe("the report of what tests cost", () => {
  it("adds the files of a project", () => {
    assert.deepStrictEqual(
      byProject({
        "test/unit/a.test.ts": cost(10, 5, 1),
        "test/unit/b/c.test.ts": cost(20, 6, 2),
        "test/e2e/d.test.ts": cost(30, 7, 3)
      }),
      { unit: cost(30, 11, 3), e2e: cost(30, 7, 3) }
    )
  })

  it("reads what each process of the tests has noted", () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-costs-"))
    try {
      const line = (path: string, wall: number) =>
        `${JSON.stringify({ file: join(root, path), ...cost(wall, 2, 3) })}\n`
      writeFileSync(join(folder, "1.jsonl"), line("test/unit/a.test.ts", 1) + line("test/unit/b.test.ts", 4))
      writeFileSync(join(folder, "2.jsonl"), line("test/e2e/c.test.ts", 5))
      writeFileSync(join(folder, "report.json"), "{}")
      assert.deepStrictEqual(notedCosts(folder), {
        "test/unit/a.test.ts": cost(1, 2, 3),
        "test/unit/b.test.ts": cost(4, 2, 3),
        "test/e2e/c.test.ts": cost(5, 2, 3)
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("names the ten slowest files after the projects, and compares only files that were in both runs", () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`test/unit/${index}.test.ts`, cost(index * 1_000, 500, 0)])
    )
    const lines = table(files, {
      "test/unit/11.test.ts": cost(9_000, 200, 100),
      "test/unit/gone.test.ts": cost(1, 1, 1)
    })
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
    assert.deepStrictEqual(lines.slice(1, 4), [
      ["unit", "66.0", "6.0", "0.0", "60.0", "0.2"],
      ["test/unit/11.test.ts", "11.0", "0.5", "0.0", "10.5", "0.2"],
      ["test/unit/10.test.ts", "10.0", "0.5", "0.0", "9.5"]
    ])
    assert.isFalse(lines.some(([name]) => name === "test/unit/1.test.ts"))
  })
})
