import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { demoUsers } from "../../../apps/demo/DemoUsers.ts"
import * as Site from "../../../apps/demo/Site.ts"
import { compare, isWorse } from "../../../core/execution/replay/ReplayComparison.ts"
import * as ReplayRecord from "../../../core/execution/replay/ReplayRecord.ts"
import * as ReplayRun from "../../../core/execution/replay/ReplayRun.ts"
import { breakages, intact } from "../../support/plantedBreakages.ts"
import { offlineBrowser, recorded } from "../../support/replays.ts"
import { sampled, scale } from "../../support/scale.ts"

it.live("replays of an unchanged workflow are the same each time, and those of a broken one differ", () =>
  Effect.gen(function* () {
    const site = yield* Site.serve(0)
    const login = { user: demoUsers.clerk, site }
    const { text } = yield* recorded({ workflow: intact(site), input: { status: "open" }, login })
    const kept = yield* ReplayRecord.decode(text ?? "")
    assert.isTrue(kept.ending.success, JSON.stringify(kept.ending))
    for (let time = 0; time < 2 * scale; time++) {
      const replayed = yield* ReplayRun.replay(kept)
      assert.isNull(compare(kept, replayed, true))
      assert.deepStrictEqual(replayed.unanswered, [])
    }
    for (const { name, of } of sampled(breakages, 10)) {
      const found = compare(kept, yield* ReplayRun.replay(kept, of(site, kept.content)), false)
      assert.isTrue(found !== null && isWorse(found), `${name}: ${JSON.stringify(found)}`)
    }
  }).pipe(Effect.scoped, Effect.provide(offlineBrowser))
)
