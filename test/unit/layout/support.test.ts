import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { root } from "../../support/Source.ts"

it("the map of the tests names every file that tests share, and every folder", () => {
  const map = readFileSync(join(root, "test/README.md"), "utf8")
  const named = [...map.matchAll(/`([\w.]+)`/g)].map(([, name]) => name)
  const there = [
    ...readdirSync(join(root, "test/support")),
    ...readdirSync(join(root, "test"), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : []
    )
  ]
  assert.deepStrictEqual(
    there.filter((name) => !named.includes(name)),
    []
  )
  assert.deepStrictEqual(
    named.filter((name) => name?.endsWith(".ts") === true && !there.includes(name)),
    []
  )
})
