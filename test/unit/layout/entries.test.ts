import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { exportsOfCheckout, packages, writtenManifests } from "../../../apps/bootstrap/packages.js"
import { root } from "../../support/Source.ts"

it.each(Object.entries(writtenManifests()))("%s exports the entries of the packages", (name, text) => {
  assert.strictEqual(
    readFileSync(join(root, name), "utf8"),
    text,
    "node apps/bootstrap/writeEntries.js writes it again"
  )
})

it("every entry of a package is a file, in the order of its name, and has a name of its own in the checkout", () => {
  for (const { entries } of packages) {
    assert.deepStrictEqual(Object.keys(entries), Object.keys(entries).toSorted())
    assert.deepStrictEqual(
      Object.values(entries).filter((file) => !existsSync(join(root, file))),
      []
    )
  }
  const count = packages.reduce((sum, { entries }) => sum + Object.keys(entries).length, 0)
  assert.lengthOf(Object.keys(exportsOfCheckout), count)
})
