import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, type Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as JsonPieces from "../../adapters/json/JsonPieces.ts"
import * as Gate from "../../core/gate/Gate.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import { RunStore, VersionOutdated } from "../../core/run/RunStore.ts"
import { RunRemovalStore } from "../../core/run/retention/RunRemovalStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { RunId, VersionId } from "../../core/workspace/Ids.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { isAll } from "../support/scale.ts"

/** Keeps a next version of a workflow that is as the one before. */
const saveAgain = Effect.fn(function* (stored: Effect.Success<ReturnType<typeof makeWorkflow>>) {
  const versionId = VersionId.make(crypto.randomUUID())
  yield* (yield* WorkflowStore).save(
    stored.workflow.workspaceId,
    stored.workflow.id,
    (before) =>
      Result.succeed({
        ...before,
        version: { ...before.version, versionId, versionNumber: before.version.versionNumber + 1 }
      }),
    () => Result.void
  )
  return { ...stored, version: { ...stored.version, versionId } }
})

/** The promises of every store about submissions, alone and many at once. */
const suite = <E>(
  name: string,
  layer: Layer.Layer<RunStore | RunRemovalStore | WorkflowStore | GateStore | WorkspaceStore, E>
) =>
  it.layer(layer)(`submissions (${name})`, (it) => {
    const all = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
      Effect.all(effects, { concurrency: "unbounded" })

    it.effect("of the longest input that is accepted are started, ended and read as others are", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        const sent = submission(workflow, { input: { text: "ü".repeat(12_000_000) } })
        yield* runs.submit(sent)
        const claimed = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 1_000_000 })
        assert.deepStrictEqual(
          claimed.map(({ run }) => run.id),
          [sent.id]
        )
        const fence = claimed[0]?.run.lease?.fence ?? 0
        yield* runs.settle({ id: sent.id, fence }, (locked, at) =>
          Transition.finish(locked, { _tag: "Success", data: {} }, at)
        )
        assert.strictEqual((yield* runs.get(sent.workspaceId, sent.id)).run.status, "execution.success")
        assert.lengthOf(yield* runs.events(sent.id, 0), 3)
      })
    )

    it.effect("that come at once are all kept, each with its input, and announced once", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        const workflows = [
          yield* makeWorkflow(caller),
          yield* makeWorkflow(caller),
          yield* makeWorkflow(yield* makeWorkspace())
        ] as const
        const inputs = Array.from({ length: 150 }, (_, index) => ({
          index,
          text: `ä \u0000 \ud800 "\\" ${"x".repeat(index * 10)}`
        }))
        for (const wave of [inputs.slice(0, 3), inputs.slice(3)]) {
          yield* all(
            wave.map((input) => {
              const workflow = workflows[input.index % 3] ?? workflows[0]
              return Effect.gen(function* () {
                const asked = submission(workflow, { input })
                const { gate, run } = yield* runs.submit(asked)
                assert.deepStrictEqual(gate, Gate.open)
                const kept = yield* runs.get(asked.workspaceId, asked.id)
                assert.deepStrictEqual(kept.run, run)
                assert.deepStrictEqual(kept.run.input, input)
                const events = yield* runs.events(asked.id, 0)
                assert.deepStrictEqual(
                  events.map(({ event }) => event),
                  [
                    {
                      event: "execution.queued" as const,
                      runId: asked.id,
                      workflowId: asked.workflowId
                    }
                  ]
                )
              })
            })
          )
        }
      })
    )

    it.effect("of which some are refused and some are held do not disturb each other", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        const stranger = yield* makeWorkspace()
        const [open, paused, saved] = [
          yield* makeWorkflow(caller),
          yield* makeWorkflow(caller),
          yield* makeWorkflow(caller)
        ] as const
        yield* all([open, paused, saved].map((one) => runs.submit(submission(one))))
        yield* (yield* GateStore).change(caller.workspaceId, paused.workflow.id, (gate, at) =>
          Result.succeed(Gate.pause(gate, { at, by: caller.userId }, { reason: "", until: null }))
        )
        const latest = yield* saveAgain(saved)
        const answers = yield* all(
          Array.from({ length: 10 }, () => [
            Effect.result(runs.submit(submission(open))),
            Effect.result(runs.submit(submission(paused))),
            Effect.result(runs.submit(submission(saved))),
            Effect.result(runs.submit(submission(latest))),
            Effect.result(runs.submit(submission(open, { workspaceId: stranger.workspaceId })))
          ]).flat()
        )
        for (const [index, answer] of answers.entries()) {
          const kind = ["open", "paused", "outdated", "latest", "stranger"][index % 5]
          if (kind === "outdated") {
            assert.deepStrictEqual(
              Result.flip(answer),
              Result.succeed(new VersionOutdated({ versionId: saved.version.versionId }))
            )
          } else if (kind === "stranger") {
            assert.isTrue(Result.isFailure(answer) && answer.failure._tag === "WorkflowNotFound")
          } else {
            const { gate, run } = Result.getOrThrow(answer)
            assert.strictEqual(Gate.mayStart(gate, run.createdAt), kind !== "paused")
            const events = (yield* runs.events(run.id, 0)).map(({ event }) => event.event)
            assert.deepStrictEqual(
              events,
              kind === "paused" ? ["execution.queued", "execution.paused"] : ["execution.queued"]
            )
          }
        }
      })
    )

    it.effect("keep an input of any length as it is", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        for (const length of [100_000, 131_070, 131_072, 400_000]) {
          const input = {
            text: `${"😀".repeat(length)}\u0000\ud800`,
            list: Array.from({ length: 20_000 }, (_, at) => at)
          }
          const asked = submission(workflow, { id: RunId.make(crypto.randomUUID()), input })
          yield* runs.submit(asked)
          assert.deepStrictEqual((yield* runs.get(asked.workspaceId, asked.id)).run.input, input)
        }
      })
    )

    it.effect("that ask for one reference to themselves are accepted once, until that run is removed", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const workspace = yield* makeWorkspace()
        const workflow = yield* makeWorkflow(workspace)
        const options = { reference: "order 7", isReferenceUnique: true }
        const asking = Array.from({ length: 6 }, () => submission(workflow, { options }))
        const results = yield* all(asking.map((one) => Effect.result(runs.submit(one))))
        const [accepted, ...more] = results.flatMap((one) => (Result.isSuccess(one) ? [one.success.run] : []))
        if (accepted === undefined) throw new Error("None was accepted")
        assert.lengthOf(more, 0)
        const failures = results.flatMap((one) => (Result.isFailure(one) ? [one.failure] : []))
        assert.lengthOf(failures, 5)
        for (const failure of failures) {
          assert.deepInclude(failure, { _tag: "ReferenceTaken", reference: "order 7", sessionId: accepted.id })
        }
        for (const { id } of asking) {
          if (id === accepted.id) continue
          assert.strictEqual((yield* Effect.flip(runs.get(workspace.workspaceId, id)))._tag, "RunNotFound")
        }

        // Others share it: those that do not ask for it, those of another workspace, and retries.
        yield* runs.submit(submission(workflow, { options: { reference: "order 7" } }))
        yield* runs.submit(submission(yield* makeWorkflow(yield* makeWorkspace()), { options }))
        const stopped = yield* runs.change(workspace.workspaceId, accepted.id, (locked, at) =>
          Transition.interrupt(locked, at, { code: "INTERRUPTED-E0001", message: "Enough", address: null })
        )
        const retry = { of: accepted.id, by: crypto.randomUUID(), reason: null }
        const again = yield* runs.retry({ ...submission(workflow, { options }), retry }, { isLatest: true })
        assert.deepStrictEqual(again.run.options, stopped.run.options)
        assert.strictEqual((yield* Effect.flip(runs.submit(submission(workflow, { options }))))._tag, "ReferenceTaken")

        assert.strictEqual(yield* (yield* RunRemovalStore).remove([accepted.id]), 1)
        yield* runs.submit(submission(workflow, { options }))
      })
    )

    it.effect("know what a workflow asks of its runs, after a save too", () =>
      Effect.gen(function* () {
        const store = yield* WorkflowStore
        const stored = yield* makeWorkflow(yield* makeWorkspace(), { maxRetries: 3 })
        const terms = () => store.recentTerms(stored.workflow.workspaceId, stored.workflow.id)
        assert.deepInclude(yield* terms(), { versionId: stored.version.versionId })
        assert.strictEqual((yield* terms()).content.max_retries, 3)
        const latest = yield* saveAgain(stored)
        yield* store.get(stored.workflow.workspaceId, stored.workflow.id)
        assert.strictEqual((yield* terms()).versionId, latest.version.versionId)
        const other = (yield* makeWorkspace()).workspaceId
        assert.strictEqual((yield* Effect.flip(store.recentTerms(other, stored.workflow.id)))._tag, "WorkflowNotFound")
      })
    )
  })

suite("memory", databases.memory[0])
if (isAll) suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])

it.layer(databases.postgres[0])("submissions within a transaction (PostgreSQL)", (it) => {
  it.effect("are undone with it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      yield* runs.submit(submission(workflow))
      const asked = submission(workflow)
      yield* Effect.exit(sql.withTransaction(Effect.andThen(runs.submit(asked), Effect.fail("no"))))
      assert.strictEqual((yield* Effect.flip(runs.get(asked.workspaceId, asked.id)))._tag, "RunNotFound")
    })
  )
})

describe("JSON in pieces", () => {
  it.prop(
    "is the JSON that the runtime writes, however long the pieces are",
    [
      Arbitrary.schema(Schema.Json),
      Arbitrary.schema(Schema.String),
      Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 })))
    ],
    ([value, text, length]) => {
      const whole = [value, { "": text, [`${text}😀`]: ["😀".repeat(9), "\ud800", {}, [], -0] }]
      const pieces = [...JsonPieces.write(whole, length)]
      assert.strictEqual(pieces.join(""), JSON.stringify(whole))
      for (const piece of pieces) assert.strictEqual(Buffer.from(piece).toString(), piece)
    },
    { arbitrary: { runs: 300, size: 40 } }
  )
})
