import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf } from "../../support/browser.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

/** The number of times that the browser ends as it opens. */
let crashes = 0

const browser = Layer.effect(
  Browser,
  Effect.map(Browser, ({ open }) =>
    Browser.of({
      open: (session) =>
        crashes-- > 0 ? Effect.fail(new PageFailure({ kind: "crash", reason: "the browser went away" })) : open(session)
    })
  )
).pipe(Layer.provide(ScriptedBrowser.layer({ "https://shop.example/": [{ selector: "//h1", text: "Open" }] })))

const services = Layer.mergeAll(Runs.layer, Workflows.layer, AgentExecutor.layer).pipe(
  Layer.provide(Encryption.layer(Redacted.make("00".repeat(32)))),
  Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer, browser))
)

it.effect("a run whose browser goes away before it acted is tried again, and uses none of its retries", () =>
  Effect.gen(function* () {
    const caller = yield* makeWorkspace()
    const { workflow } = yield* (yield* Workflows).create(caller, {
      name: "Shop",
      ...graphOf("https://shop.example/", [])
    })
    const runs = yield* Runs
    const { id } = yield* runs.submit(caller, { workflowId: workflow.id, input: {}, options: {} })
    const attempt = Effect.gen(function* () {
      const [claimed] = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
      assert.isDefined(claimed)
      yield* Attempt.carryOut(claimed)
      return (yield* runs.get(caller, id)).run
    })
    crashes = 1
    const lost = yield* attempt
    assert.deepInclude(lost, { status: "execution.requeued", attempts: 1, retries: 0, maxRetries: 0 })
    assert.strictEqual(lost.errors[0]?.code, "BROWSER-E0001")
    assert.deepInclude(yield* attempt, { status: "execution.success", attempts: 2, retries: 0 })
  }).pipe(Effect.provide(services))
)
