import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer, Option, Queue, Redacted, Result } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { EventLog } from "../../core/event/EventLog.ts"
import { message } from "../../core/event/EventMessage.ts"
import type { RunEvent } from "../../core/event/RunEvent.ts"
import * as Interaction from "../../core/run/interaction/Interaction.ts"
import * as InteractionRequest from "../../core/run/interaction/InteractionRequest.ts"
import { InteractionStore } from "../../core/run/interaction/InteractionStore.ts"
import { Interactions } from "../../core/run/interaction/Interactions.ts"
import type { Run } from "../../core/run/Run.ts"
import { type ClaimedRun, RunStore } from "../../core/run/RunStore.ts"
import { SealedColumns } from "../../core/vault/keys/ReencryptionTargets.ts"
import * as InputContract from "../../core/workflow/contract/InputContract.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { code, questionOf } from "../support/questions.ts"

type Stores = EventLog | InteractionStore | RunStore | SealedColumns | WorkflowStore | WorkspaceStore

/** A run that was just claimed. */
const claimed = Effect.fn(function* (caller: Caller) {
  const runs = yield* RunStore
  yield* runs.submit(submission(yield* makeWorkflow(caller)))
  const [one] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 600_000 })
  if (one === undefined) throw new Error("Nothing was claimed")
  return one
})

const asked = ({ run }: ClaimedRun, at: number, schema = code) =>
  Interaction.ask(askerOf(run), questionOf(schema), randomUUID(), 300_000, at)

const askerOf = ({ id, lease, workflowId, workspaceId }: Run): Interaction.Asker => ({
  workspaceId,
  workflowId,
  runId: id,
  fence: lease?.fence ?? 0
})

const give =
  (run: Run, data: { readonly code: string } = { code: "123456" }) =>
  (before: Interaction.Interaction, now: number) =>
    Result.map(Interaction.answer(before, run, data, now, InputContract.problems), (after) => ({
      ...after,
      answer: `sealed ${data.code}`
    }))

/** The promises of every implementation of the store of questions. */
const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>, empty: Effect.Effect<unknown, never, R>) =>
  it.layer(layer, { timeout: "60 seconds" })(`the questions of runs (${name})`, (it) => {
    const promise = <A, F>(title: string, test: () => Effect.Effect<A, F, Stores>) =>
      it.effect(title, () => Effect.andThen(empty, test()))

    promise("come back as they were asked, odd characters included, and only to their workspace", () =>
      Effect.gen(function* () {
        const store = yield* InteractionStore
        const caller = yield* makeWorkspace()
        const one = yield* claimed(caller)
        assert.isTrue(Option.isNone(yield* store.get(caller.workspaceId, one.run.id)))
        const question: Interaction.Interaction = {
          ...asked(one, 1_000),
          subject: {
            _tag: "input_required",
            reason: "incorrect_form_input",
            inputs: { name: "a\u0000 \ud800 ✓", z: [null, { a: 1.5 }] },
            choosing: true,
            screenshotId: null
          },
          message: "No option \u0000 \udfff"
        }
        yield* store.put(question)
        assert.deepStrictEqual(yield* store.get(caller.workspaceId, one.run.id), Option.some(question))
        const stranger = yield* makeWorkspace()
        assert.isTrue(Option.isNone(yield* store.get(stranger.workspaceId, one.run.id)))
        const next = asked(one, 2_000)
        yield* store.put(next)
        assert.deepStrictEqual(yield* store.get(caller.workspaceId, one.run.id), Option.some(next))
        const later = { ...asked(one, 3_000), fence: next.fence + 1 }
        yield* store.put(later)
        yield* store.put(asked(one, 4_000))
        assert.deepStrictEqual(yield* store.get(caller.workspaceId, one.run.id), Option.some(later))
      })
    )

    promise("take one answer of many that are given at the same time, and give it away once", () =>
      Effect.gen(function* () {
        const store = yield* InteractionStore
        const caller = yield* makeWorkspace()
        const one = yield* claimed(caller)
        yield* store.put(asked(one, 0))
        const given = yield* Effect.all(
          Array.from({ length: 8 }, (_, index) =>
            Effect.result(store.change(one.run.id, give(one.run, { code: `00000${index}` })))
          ),
          { concurrency: "unbounded" }
        )
        const [accepted, ...others] = given.filter(Result.isSuccess)
        assert.lengthOf(others, 0)
        const answer = Option.getOrThrow(accepted?.success ?? Option.none()).after.answer
        const place = (yield* SealedColumns).find(({ name }) => name === "answers of persons")
        if (place === undefined || answer === null) return assert.fail("Expected an answer and its place")
        const holder = { id: one.run.id, sealed: [answer] }
        const found = yield* place.page(caller.workspaceId, null, 9)
        assert.deepStrictEqual(found, { holders: [holder], next: null })
        assert.strictEqual(yield* place.left(caller.workspaceId, null), 1)
        assert.strictEqual(yield* place.left(caller.workspaceId, one.run.id), 0)
        yield* place.replace(caller.workspaceId, one.run.id, new Map([["another", "lost"]]))
        yield* place.replace(caller.workspaceId, one.run.id, new Map([[answer, "anew"]]))
        const taken = yield* Effect.all(
          Array.from({ length: 4 }, () =>
            store.change(one.run.id, (before, now) => Result.succeed(Interaction.close(before, now)))
          ),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          taken.flatMap((change) => Option.getOrThrow(change).before.answer ?? []),
          ["anew"]
        )
        const after = Option.getOrThrow(yield* store.get(caller.workspaceId, one.run.id))
        assert.isNull(after.answer)
        assert.isNotNull(after.answeredAt)
        assert.isNotNull(after.closedAt)
      })
    )

    promise("stay as they are when a decision refuses, and know of no run that never asked", () =>
      Effect.gen(function* () {
        const store = yield* InteractionStore
        const caller = yield* makeWorkspace()
        const one = yield* claimed(caller)
        assert.isTrue(Option.isNone(yield* store.change(one.run.id, give(one.run))))
        const question = asked(one, 0)
        yield* store.put(question)
        const refused = yield* Effect.flip(store.change(one.run.id, give(one.run, { code: "12" })))
        assert.instanceOf(refused, Interaction.InvalidAnswer)
        assert.deepStrictEqual(yield* store.get(caller.workspaceId, one.run.id), Option.some(question))
      })
    )

    promise("forget answers that no run took, and no others", () =>
      Effect.gen(function* () {
        const store = yield* InteractionStore
        const caller = yield* makeWorkspace()
        const [old, late, open] = [yield* claimed(caller), yield* claimed(caller), yield* claimed(caller)]
        const now = yield* Clock.currentTimeMillis
        for (const [one, at] of [
          [old, now],
          [late, now + 10_000],
          [open, now]
        ] as const) {
          yield* store.put(asked(one, at))
          if (one !== open) yield* store.change(one.run.id, give(one.run))
        }
        assert.strictEqual(yield* store.forget(now + 305_000), 1)
        const answers = yield* Effect.forEach([old, late, open], ({ run }) => store.get(caller.workspaceId, run.id))
        assert.deepStrictEqual(
          answers.map(Option.getOrThrow).map(({ answer, closedAt }) => [answer !== null, closedAt !== null]),
          [
            [false, true],
            [true, false],
            [false, false]
          ]
        )
        assert.strictEqual(yield* store.forget(now + 305_000), 0)
      })
    )

    promise("tell until when they are open, in the log of the run", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const log = yield* EventLog
        const before = yield* log.end
        const one = yield* claimed(yield* makeWorkspace())
        const event: RunEvent = {
          event: "interaction.waiting",
          runId: one.run.id,
          workflowId: one.run.workflowId,
          step: "Ask",
          missingProperties: ["code"],
          schema: code,
          message: "The code?",
          expiresAt: 123_456_789
        }
        yield* runs.report({ id: one.run.id, fence: one.run.lease?.fence ?? 0 }, { events: [event] })
        const [first] = yield* runs.events(one.run.id, 0)
        const own = (yield* runs.events(one.run.id, 0)).at(-1)
        // The end of the log settles when other transactions have ended.
        const entry = yield* log.read(before, 1_000).pipe(
          Effect.map(({ entries }) => entries.find(({ sequence }) => sequence === own?.sequence)),
          Effect.repeat({ until: (found) => found !== undefined })
        )
        const links = { artifact: () => ({ url: "", expires: "" }), liveView: () => "" }
        for (const logged of [own, entry]) {
          assert.deepStrictEqual(logged?.event, event)
          const expires = logged === undefined ? null : message(logged, links, { validity: 7 }).expires_at
          assert.strictEqual(expires, 123_456)
        }
        assert.strictEqual(
          first === undefined ? null : message(first, links).expires_at,
          Math.floor((first?.at ?? 0) / 1_000) + 300
        )
      })
    )

    promise("wait for corrected inputs as long as the workspace says", () =>
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const { workspaceId } = yield* makeWorkspace()
        const before = Option.getOrThrow(yield* workspaces.get(workspaceId))
        assert.strictEqual(before.inputRequiredTimeoutSeconds, 15)
        const id = randomUUID() as typeof workspaceId
        yield* workspaces.create({ ...before, id, inputRequiredTimeoutSeconds: 300 })
        assert.strictEqual(Option.getOrThrow(yield* workspaces.get(id)).inputRequiredTimeoutSeconds, 300)
      })
    )
  })

suite("memory", ...databases.memory)
suite("embedded", ...databases.embedded)
suite("postgres", ...databases.postgres)

it.live("an answer reaches a worker in another process at once, and a third process after a restart", () =>
  Effect.gen(function* () {
    const url = Redacted.make(yield* databases.freshDatabase)
    /** One process: its own connections, and its own signals. */
    const process = Layer.build(
      Layer.fresh(
        Layer.mergeAll(Interactions.layer, Crypto.layer).pipe(
          Layer.provideMerge(Encryption.layer(Redacted.make("ab".repeat(32)))),
          Layer.provideMerge(Layer.merge(Postgres.layer(url, 3), Crypto.layer))
        )
      )
    )
    const worker = yield* process
    const caller = yield* makeWorkspace().pipe(Effect.provide(worker))
    const one = yield* claimed(caller).pipe(Effect.provide(worker))
    const told = yield* Queue.unbounded<RunEvent>()
    const waiting = yield* InteractionRequest.ask(askerOf(one.run), questionOf(code), 60_000, (event) =>
      Queue.offer(told, event)
    ).pipe(Effect.provide(worker), Effect.forkChild)
    yield* Queue.take(told)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { open } = Context.get(yield* process, Interactions)
        assert.strictEqual((yield* open(caller, one.run.id)).message, "The code?")
      })
    )
    const began = performance.now()
    yield* Context.get(yield* process, Interactions).answer(caller, one.run.id, { code: "123456" })
    assert.deepStrictEqual(yield* Fiber.join(waiting), { _tag: "data", data: { code: "123456" } })
    // The slow look comes only every 3 s.
    assert.isBelow(performance.now() - began, 1_500)
  }).pipe(Effect.scoped, Effect.timeout("50 seconds"))
)
