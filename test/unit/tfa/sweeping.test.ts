import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as Periodic from "../../../core/runtime/Periodic.ts"
import { freshMillis } from "../../../core/vault/inbox/Inbox.ts"
import { ReceivedCodes } from "../../../core/vault/inbox/ReceivedCodes.ts"
import { forgetting } from "../../../core/vault/inbox/Receiving.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

it.layer(Layer.fresh(Memory.layer))("codes that no run took", (it) => {
  it.effect("are removed when they are too old to be used, and no message is kept again within a day", () =>
    Effect.gen(function* () {
      const codes = yield* ReceivedCodes
      const { workspaceId } = yield* makeWorkspace()
      const keep = (receivedAt: number) =>
        codes.keepOnce({ id: "message", until: receivedAt + 86_400_000 }, [
          { workspaceId, code: { id: randomUUID(), kind: "code", address: "a", sealed: "00", receivedAt } }
        ])
      const kept = codes.latest(workspaceId, "a", { kind: "code", since: 0, senders: [] })
      yield* keep(0)
      yield* Effect.forkScoped(Periodic.run(forgetting))
      yield* TestClock.adjust(freshMillis)
      assert.isTrue(Option.isSome(yield* kept))
      yield* TestClock.adjust("1 minute")
      assert.isTrue(Option.isNone(yield* kept))
      yield* TestClock.adjust("23 hours")
      assert.isFalse(yield* keep(1))
      yield* TestClock.adjust("1 hour")
      assert.isTrue(yield* keep(2))
    }).pipe(Effect.scoped)
  )
})
