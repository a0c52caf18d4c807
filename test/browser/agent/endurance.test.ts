import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import { chromiumsOf, withDescendants } from "../../support/chromiums.ts"
import * as Endurance from "../../support/endurance.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { until } from "../../support/waiting.ts"

describe("runs in a row", () => {
  it.live("leave no process, no context and no page behind", () =>
    Effect.gen(function* () {
      const before = chromiumsOf(process.pid)
      const origin = yield* Endurance.site
      yield* Effect.gen(function* () {
        yield* Endurance.runs(origin, 3)
        const [browser = 0] = chromiumsOf(process.pid).filter((pid) => !before.includes(pid))
        const processes = Effect.sync(() => withDescendants([browser]).length)
        const warm = yield* processes
        yield* Endurance.runs(origin, 8)
        assert.strictEqual(chromiumsOf(process.pid).length, before.length + 1)
        // The spare page, and at most one process that was made ahead.
        yield* until("the processes of the runs to end", processes, (count) => count <= warm + 1)
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
