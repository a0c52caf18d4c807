import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { otherRuntimes } from "../../../apps/bootstrap/runtimes.js"
import { root } from "../../support/Source.ts"

// Below the checkout, so that the files find its packages.
mkdirSync(join(root, ".cache"), { recursive: true })
const folder = mkdtempSync(join(root, ".cache", "planted-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const files = {
  green: 'test("green", () => {})',
  red: 'test("red", () => { throw new Error("planted") })',
  none: "",
  skipped: 'test.skip("skipped", () => {})',
  unloaded: 'throw new Error("unloaded")',
  unready: 'beforeAll(() => { throw new Error("unready") }); test("unready", () => {})'
}

for (const [name, text] of Object.entries(files)) {
  writeFileSync(join(folder, `${name}.test.ts`), `import { beforeAll, test } from "vitest"\n${text}\n`)
}

const under = (names: ReadonlyArray<string>) => {
  const { deno } = otherRuntimes()
  const paths = names.map((name) => join(folder, `${name}.test.ts`))
  const { status, stdout } = spawnSync(deno, ["run", "-A", "test/unit/testing/anyRuntime.ts", ...paths], {
    cwd: root,
    encoding: "utf8"
  })
  return { status, last: stdout.trimEnd().split("\n").at(-1) }
}

describe("the unit tests under Deno", () => {
  it("pass when each of them does", () => {
    assert.deepStrictEqual(under(["green"]), { status: 0, last: "1 files: 1 passed, 0 skipped, 0 failed" })
  })

  it("fail for a failed test, and for a file that has none, cannot be loaded or prepared", () => {
    assert.deepStrictEqual(under(["green", "red", "none", "unloaded", "unready", "missing"]), {
      status: 1,
      last: "6 files: 1 passed, 1 skipped, 5 failed"
    })
  })

  it("fail when none was run", () => {
    assert.deepStrictEqual(under(["skipped"]), { status: 1, last: "1 files: 0 passed, 1 skipped, 0 failed" })
  })
})
