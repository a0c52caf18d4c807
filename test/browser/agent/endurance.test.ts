import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import { chromiumsOf, withDescendants } from "../../support/chromiums.ts"
import * as Endurance from "../../support/endurance.ts"
import { executablePath } from "../../support/realBrowser.ts"

describe("runs in a row", () => {
  it.live("leave no process, no context and no page behind", () =>
    Effect.gen(function* () {
      const before = chromiumsOf(process.pid)
      const origin = yield* Endurance.site
      yield* Effect.gen(function* () {
        yield* Endurance.runs(origin, 3)
        const [browser = 0] = chromiumsOf(process.pid).filter((pid) => !before.includes(pid))
        yield* Endurance.memory
        const warm = withDescendants([browser]).length
        yield* Endurance.runs(origin, 8)
        yield* Endurance.memory
        assert.strictEqual(chromiumsOf(process.pid).length, before.length + 1)
        // The spare page, and at most one process that is just ending or was made ahead.
        assert.isAtMost(withDescendants([browser]).length, warm + 1)
      }).pipe(
        Effect.provide(
          Layer.fresh(
            PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowedOrigins: [origin] })
          )
        )
      )
      assert.deepStrictEqual(chromiumsOf(process.pid), before)
    }).pipe(Effect.scoped)
  )
})
