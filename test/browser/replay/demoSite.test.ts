import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { demoUsers } from "../../../apps/demo/DemoUsers.ts"
import * as Site from "../../../apps/demo/Site.ts"
import * as ReplayRecord from "../../../core/execution/replay/ReplayRecord.ts"
import * as ReplayRun from "../../../core/execution/replay/ReplayRun.ts"
import { signInWorkflow } from "../../support/demoSite.ts"
import { offlineBrowser, recorded } from "../../support/replays.ts"

it.live("a run at the demo site, replayed when the site is gone, has the same steps and output, and no secret", () =>
  Effect.gen(function* () {
    const { controller } = demoUsers
    const { text } = yield* Effect.scoped(
      Effect.gen(function* () {
        const site = yield* Site.serve(0)
        return yield* recorded({
          workflow: signInWorkflow(controller, site),
          login: { user: controller, site }
        })
      })
    )
    assert.isNotNull(text)
    for (const secret of [controller.password, controller.second.secret]) assert.notInclude(text, secret)
    const kept = yield* ReplayRecord.decode(text)
    assert.isTrue(kept.ending.success, JSON.stringify(kept.ending))
    // The answer to the password, and the session that it begins.
    assert.match(text, /"set-cookie":"marlow=REDACTED;/)
    const replayed = yield* ReplayRun.replay(kept)
    assert.deepStrictEqual(replayed.unanswered, [])
    assert.deepStrictEqual(replayed.ending, kept.ending)
    assert.deepStrictEqual(replayed.steps, kept.steps)
  }).pipe(Effect.provide(offlineBrowser))
)
