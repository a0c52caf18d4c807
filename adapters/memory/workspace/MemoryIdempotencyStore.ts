/** The answers of named requests in memory. Nothing can be undone here. */
import { Clock, Effect, Layer } from "effect"
import {
  type Entry,
  IdempotencyStore,
  isOver,
  type NamedRequest,
  recall,
  type Verdict
} from "../../../core/workspace/request/Idempotency.ts"
import * as KeyedMutex from "../KeyedMutex.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const { idempotency } = yield* Tables
    const turns = yield* KeyedMutex.make

    const once = <A, E, R>(named: NamedRequest, effect: Effect.Effect<A, E, R>, judge: (value: A) => Verdict) => {
      const name = `${named.workspaceId} ${named.key}`
      return Effect.gen(function* () {
        const createdAt = yield* Clock.currentTimeMillis
        const known = idempotency.get(name)
        if (known !== undefined && !isOver(known, createdAt)) {
          return { _tag: "Kept", answer: yield* Effect.fromResult(recall(known, named)) } as const
        }
        const value = yield* effect
        const verdict = judge(value)
        if (verdict._tag === "Keep") {
          const entry: Entry = { digest: named.digest, createdAt, reservedUntil: createdAt, answer: verdict.answer }
          idempotency.set(name, entry)
        }
        return { _tag: "Done", value } as const
      }).pipe(turns(name))
    }

    return IdempotencyStore.of({
      once,
      reserved: once,
      sweep: Effect.map(Clock.currentTimeMillis, (now) => {
        let swept = 0
        for (const [name, entry] of idempotency) {
          if (isOver(entry, now) && idempotency.delete(name)) swept++
        }
        return swept
      })
    })
  })
)
