/**
 * Asks a person and waits for the answer, in whichever process it arrives.
 */

import { Clock, Effect, Option, Redacted, Result, Schema } from "effect"
import type { RunEvent } from "../../event/RunEvent.ts"
import type * as Periodic from "../../runtime/Periodic.ts"
import * as StoreUnavailable from "../../runtime/StoreUnavailable.ts"
import * as Wake from "../../runtime/Wake.ts"
import { Sealing } from "../../vault/keys/Sealing.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import * as Announcement from "./Announcement.ts"
import * as Interaction from "./Interaction.ts"
import { InteractionStore } from "./InteractionStore.ts"

const readAnswer = Schema.decodeUnknownSync(Interaction.Answer)

/** Maximum sleep of a waiting attempt before it looks for an answer, in case a signal is lost, in milliseconds. */
const longestSleep = 3_000

/** How long an answer is kept after its question expired, so that the waiting run can still read it. */
const graceMillis = 60_000

/**
 * Asks a question, announces it with `tell`, and waits for the answer; returns `null` after `lifetimeMillis`.
 *
 * Afterwards the answer is no longer stored. An interruption closes the question, which then accepts no answer.
 */
export const ask = Effect.fn("InteractionRequest.ask")(function* (
  asker: Interaction.Asker,
  question: Interaction.Question,
  lifetimeMillis: number,
  tell: (event: RunEvent) => Effect.Effect<void>
) {
  const store = yield* InteractionStore
  const sealing = yield* Sealing
  const id = yield* (yield* Identifiers).uuid
  const asked = Interaction.ask(asker, question, id, lifetimeMillis, yield* Clock.currentTimeMillis)
  const tellAll = (events: ReadonlyArray<RunEvent>) => Effect.forEach(events, tell, { discard: true })

  /** Closes the question and returns its answer. */
  const close = store
    .change(asker.runId, (before, now) => Result.succeed(before.id === id ? Interaction.close(before, now) : before))
    .pipe(
      StoreUnavailable.waitUntilBack,
      Effect.map(
        Option.match({ onNone: () => null, onSome: ({ before }) => (before.id === id ? before.answer : null) })
      )
    )

  const opened = (sealed: string) =>
    sealing.unseal(asker.workspaceId, sealed).pipe(
      StoreUnavailable.waitUntilBack,
      Effect.map((answer) => readAnswer(Redacted.value(answer))),
      Effect.orDie
    )

  const isAnswered = store
    .get(asker.workspaceId, asker.runId)
    .pipe(
      StoreUnavailable.waitUntilBack,
      Effect.map(Option.exists((latest) => latest.id !== id || latest.answer !== null))
    )

  const wait = Effect.gen(function* () {
    const answers = yield* Wake.onSignal((signal) => signal._tag === "answered" && signal.runId === asker.runId)
    yield* tell(Announcement.asked(asked))
    while (true) {
      const left = asked.expiresAt - (yield* Clock.currentTimeMillis)
      if (left <= 0 || (yield* isAnswered)) return
      yield* answers.sleep(Math.min(left, longestSleep))
    }
  }).pipe(Effect.scoped)

  return yield* Effect.acquireUseRelease(
    StoreUnavailable.waitUntilBack(store.put(asked)),
    () =>
      Effect.gen(function* () {
        yield* wait
        const sealed = yield* close
        const answer = sealed === null ? null : yield* opened(sealed)
        yield* tellAll(
          answer === null ? Announcement.unanswered(asked, "timeout") : Announcement.answered(asked, answer)
        )
        return answer
      }),
    (_, exit) =>
      exit._tag === "Success"
        ? Effect.void
        : Effect.andThen(close, tellAll(Announcement.unanswered(asked, "interrupted")))
  )
})

/** Removes answers that no run took because its worker died. */
export const forgetting: Periodic.Job<InteractionStore> = {
  name: "forget answers that no run took",
  every: "30 seconds",
  round: Effect.gen(function* () {
    const store = yield* InteractionStore
    yield* store.forget((yield* Clock.currentTimeMillis) - graceMillis)
  })
}
