import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Option, Queue, Redacted } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { EventLog } from "../../core/event/EventLog.ts"
import { message } from "../../core/event/EventMessage.ts"
import type { RunEvent } from "../../core/event/RunEvent.ts"
import type * as Interaction from "../../core/run/interaction/Interaction.ts"
import * as InteractionRequest from "../../core/run/interaction/InteractionRequest.ts"
import type { InteractionStore } from "../../core/run/interaction/InteractionStore.ts"
import { Interactions } from "../../core/run/interaction/Interactions.ts"
import type { Run } from "../../core/run/Run.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { claimed } from "../kit/contracts/Fixtures.ts"
import * as InteractionContract from "../kit/contracts/run/InteractionContract.ts"
import * as databases from "../support/databases.ts"
import { makeWorkspace } from "../support/fixtures.ts"
import { code, questionOf } from "../support/questions.ts"
import { isAll } from "../support/scale.ts"
import { awaited, until } from "../support/waiting.ts"

type Stores = EventLog | InteractionStore | RunStore | WorkflowStore | WorkspaceStore

const askerOf = ({ id, lease, workflowId, workspaceId }: Run): Interaction.Asker => ({
  workspaceId,
  workflowId,
  runId: id,
  fence: lease?.fence ?? 0
})

/** The contract, and what other stores promise of questions, kept by implementations that are emptied before each. */
const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>, empty: Effect.Effect<unknown, never, R>) =>
  it.layer(layer)(`the questions of runs (${name})`, (it) => {
    const promise = <A, F>(title: string, test: () => Effect.Effect<A, F, Stores>) =>
      it.effect(title, () => Effect.andThen(empty, test()))

    for (const { keeps, title } of InteractionContract.promises) it.effect(title, () => Effect.andThen(empty, keeps))

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
        const { entries } = yield* until("the event in the log", log.read(before, 1_000), (read) =>
          read.entries.some(({ sequence }) => sequence === own?.sequence)
        )
        const entry = entries.find(({ sequence }) => sequence === own?.sequence)
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
if (isAll) suite("embedded", ...databases.embedded)
suite("postgres", ...databases.postgres)

it.effect("an answer reaches a worker in another process at once, and a third process after a restart", () =>
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
    // The clock of the test stands still, so that the worker never looks again by itself.
    const waiting = yield* InteractionRequest.ask(askerOf(one.run), questionOf(code), 60_000, (event) =>
      Queue.offer(told, event)
    ).pipe(Effect.provide(worker), Effect.forkChild)
    yield* awaited("the question", Queue.take(told))
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { open } = Context.get(yield* process, Interactions)
        assert.strictEqual((yield* open(caller, one.run.id)).message, "The code?")
      })
    )
    const { answer } = Context.get(yield* process, Interactions)
    yield* answer(caller, one.run.id, { code: "123456" })
    assert.deepStrictEqual(yield* awaited("the answer in the worker", Fiber.join(waiting)), {
      _tag: "data",
      data: { code: "123456" }
    })
  }).pipe(Effect.scoped)
)
