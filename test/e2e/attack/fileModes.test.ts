/** The files of the data folder that another user of the machine can read. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as OwnerOnly from "../../../adapters/files/OwnerOnly.ts"
import { completed, dataDir } from "../../support/processes.ts"

/** A folder and everything in it, by path. */
const everythingIn = (folder: string): ReadonlyArray<string> => [
  folder,
  ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))
]

const openIn = (folder: string) => everythingIn(folder).filter((path) => (statSync(path).mode & 0o077) !== 0)

describe("the data folder", () => {
  it.live("is readable by its owner only, as it is made, and again after its modes were loosened", () =>
    Effect.gen(function* () {
      const folder = join(yield* dataDir, "data")
      const start = Effect.gen(function* () {
        const { code, output } = yield* completed(["migrate"], { SLUICE_DATA_DIR: folder })
        assert.strictEqual(code, 0, output)
        return output
      })
      // As another program may have made it.
      mkdirSync(folder)
      chmodSync(folder, 0o755)
      yield* start
      assert.isAbove(everythingIn(join(folder, "database")).length, 100)
      assert.include(everythingIn(folder), join(folder, "master.key"))
      assert.deepStrictEqual(openIn(folder), [])
      for (const path of everythingIn(folder)) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o666)
      assert.notInclude(yield* start, "WARN")
      assert.deepStrictEqual(openIn(folder), [])
    })
  )

  it.effect("is restricted without following links, and without taking rights away from its owner", () =>
    Effect.gen(function* () {
      const parent = yield* dataDir
      const [folder, outside] = [join(parent, "data"), join(parent, "outside")]
      mkdirSync(join(folder, "inner"), { recursive: true })
      for (const [path, mode] of [
        [outside, 0o644],
        [join(folder, "program"), 0o755],
        [join(folder, "inner", "file"), 0o446]
      ] as const) {
        writeFileSync(path, "")
        chmodSync(path, mode)
      }
      symlinkSync(outside, join(folder, "link"))
      assert.deepStrictEqual(OwnerOnly.restrictAll(folder), [])
      assert.deepStrictEqual(OwnerOnly.restrictAll(join(folder, "nothing")), [])
      const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8)
      assert.deepStrictEqual(
        [folder, join(folder, "inner"), join(folder, "inner", "file"), join(folder, "program"), outside].map(modeOf),
        ["700", "700", "400", "700", "644"]
      )
    })
  )
})
