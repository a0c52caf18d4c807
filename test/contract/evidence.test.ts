import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, type Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import * as RunFailure from "../../core/event/RunFailure.ts"
import { type Admission, LiveStore } from "../../core/execution/live/LiveStore.ts"
import * as Gate from "../../core/gate/Gate.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import { ErrorReports } from "../../core/run/evidence/ErrorReports.ts"
import { bounds, EvidenceStore } from "../../core/run/evidence/EvidenceStore.ts"
import type { Run, Status } from "../../core/run/Run.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { UserId } from "../../core/workspace/Ids.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, recordedOf, submission } from "../support/fixtures.ts"

type Stores = ErrorReports | EvidenceStore | GateStore | LiveStore | RunStore | WorkflowStore | WorkspaceStore

const failedWith = (code: string | null, at: number): RunFailure.RunFailure => ({
  ...RunFailure.of({ code, message: `It failed \u0000 \ud800 at ${at}` }),
  id: randomUUID(),
  at
})

/** A run of a new workflow that has failed with the given errors. */
const failingRun = Effect.fn(function* (
  made: Parameters<typeof submission>[0],
  errors: ReadonlyArray<RunFailure.RunFailure>
) {
  const runs = yield* RunStore
  yield* runs.submit(submission(made))
  const [claimed] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
  const fence = claimed?.run.lease?.fence ?? 0
  const { run } = yield* runs.settle({ id: claimed?.run.id as Run["id"], fence }, (locked, at) =>
    Transition.finish(locked, { _tag: "Failed", data: {}, errors }, at)
  )
  return run
})

const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>, empty: Effect.Effect<unknown, never, R>) =>
  it.layer(layer, { timeout: "60 seconds" })(`what runs leave behind (${name})`, (it) => {
    const promise = <A, F>(title: string, test: () => Effect.Effect<A, F, Stores>) =>
      it.effect(title, () => Effect.andThen(empty, test()))

    promise("keeps the last snapshot of each node", () =>
      Effect.gen(function* () {
        const store = yield* EvidenceStore
        const sent = submission(yield* makeWorkflow(yield* makeWorkspace()))
        yield* (yield* RunStore).submit(sent)
        const snapshot = { runId: sent.id, nodeId: "a", artifactId: randomUUID(), at: 1 }
        assert.isTrue(Option.isNone(yield* store.snapshot(sent.id, "a")))
        yield* store.keepSnapshot({ ...snapshot, artifactId: randomUUID(), at: 0 })
        yield* store.keepSnapshot(snapshot)
        yield* store.keepSnapshot({ ...snapshot, nodeId: "b", artifactId: randomUUID() })
        assert.deepStrictEqual(yield* store.snapshot(sent.id, "a"), Option.some(snapshot))
      })
    )

    promise("keeps a network log over several attempts, in order, within its bounds", () =>
      Effect.gen(function* () {
        const store = yield* EvidenceStore
        const { id } = submission(yield* makeWorkflow(yield* makeWorkspace()))
        const sent = submission(yield* makeWorkflow(yield* makeWorkspace()), { id })
        yield* (yield* RunStore).submit(sent)
        assert.isTrue(Option.isNone(yield* store.network(id)))
        assert.deepStrictEqual(yield* store.openLog(id), bounds)
        const [late, early] = [recordedOf("1-2", 2_000, "x".repeat(10)), recordedOf("1-1", 1_000)]
        yield* store.log(id, [late])
        yield* store.log(id, [])
        yield* store.log(id, [early])
        assert.deepStrictEqual(
          yield* store.network(id),
          Option.some({ events: [early, late], open: true, truncated: false })
        )
        yield* store.closeLog(id, false)
        assert.deepStrictEqual(yield* store.openLog(id), {
          events: bounds.events - 2,
          bodyCharacters: bounds.bodyCharacters - 10
        })
        yield* store.closeLog(id, false)
        assert.deepInclude(Option.getOrThrow(yield* store.network(id)), { open: false, truncated: false })
      })
    )

    promise("marks a network log as truncated when its worker was lost, or left something out", () =>
      Effect.gen(function* () {
        const store = yield* EvidenceStore
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        const [lost, over] = [submission(workflow), submission(workflow)]
        yield* Effect.forEach([lost, over], (yield* RunStore).submit)
        yield* store.openLog(lost.id)
        yield* store.openLog(lost.id)
        yield* store.closeLog(lost.id, false)
        assert.deepInclude(Option.getOrThrow(yield* store.network(lost.id)), { open: false, truncated: true })
        yield* store.openLog(over.id)
        yield* store.closeLog(over.id, true)
        assert.deepInclude(Option.getOrThrow(yield* store.network(over.id)), { open: false, truncated: true })
      })
    )

    promise("counts all failures within a frame by their code, and shows the newest", () =>
      Effect.gen(function* () {
        const reports = yield* ErrorReports
        const caller = yield* makeWorkspace()
        const [workflow, other] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
        const odd = "odd \u0000 code"
        const first = yield* failingRun(workflow, [failedWith("A", 1_000), failedWith(odd, 2_000)])
        const second = yield* failingRun(workflow, [failedWith("A", 3_000), failedWith(null, 9_000)])
        const third = yield* failingRun(workflow, [failedWith("A", 4_000)])
        yield* failingRun(other, [failedWith("A", 3_000)])
        const id = workflow.workflow.id
        const all = { from: 1_000, to: 9_000, limit: 1_000 }
        assert.deepStrictEqual(yield* reports.report(caller.workspaceId, { ...all, workflowIds: [id] }), [
          {
            code: "A",
            count: 3,
            errors: [
              { runId: third.id, error: third.errors[0] as RunFailure.RunFailure },
              { runId: second.id, error: second.errors[0] as RunFailure.RunFailure },
              { runId: first.id, error: first.errors[0] as RunFailure.RunFailure }
            ]
          },
          {
            code: "UNKNOWN",
            count: 1,
            errors: [{ runId: second.id, error: second.errors[1] as RunFailure.RunFailure }]
          },
          { code: odd, count: 1, errors: [{ runId: first.id, error: first.errors[1] as RunFailure.RunFailure }] }
        ])
        const everywhere = yield* reports.report(caller.workspaceId, { ...all, codes: ["A", odd] })
        assert.deepStrictEqual(
          everywhere.map(({ code, count }) => [code, count]),
          [
            ["A", 4],
            [odd, 1]
          ]
        )
        const some = yield* reports.report(caller.workspaceId, { workflowIds: [id], from: 1_001, to: 4_000, limit: 1 })
        assert.deepStrictEqual(
          some.map(({ code, count, errors }) => [code, count, errors.map(({ runId }) => runId)]),
          [
            ["A", 2, [third.id]],
            [odd, 1, []]
          ]
        )
        assert.deepStrictEqual(
          yield* reports.report((yield* makeWorkspace()).workspaceId, { ...all, workflowIds: [id] }),
          []
        )
      })
    )

    promise("lists the runs that refer to a credential, whatever its id is made of", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        const workflow = yield* makeWorkflow(caller)
        const referring = (...permissionedUserIds: ReadonlyArray<string>) =>
          submission(workflow, { credentials: [{ alias: "USER", permissionedUserIds, domain: "shop.example" }] })
        const long = "u".repeat(10_000)
        const [one, pool, odd] = [referring("u-1"), referring("u-1", "u-2", long), referring("\u0000 \ud800")]
        yield* Effect.forEach([one, pool, odd, submission(workflow)], runs.submit)
        const list = (...credentials: ReadonlyArray<string>) =>
          Effect.map(runs.list(caller.workspaceId, { credentials, limit: 10 }), (found) =>
            found.runs.map(({ id }) => id)
          )
        assert.sameMembers([...(yield* list("u-1"))], [one.id, pool.id])
        assert.sameMembers([...(yield* list("u-2", "\u0000 \ud800"))], [pool.id, odd.id])
        assert.deepStrictEqual(yield* list(long), [pool.id])
        assert.deepStrictEqual(yield* list("u-3"), [])
        assert.deepStrictEqual((yield* runs.get(caller.workspaceId, pool.id)).run.credentials, pool.credentials)
        const stranger = yield* makeWorkspace()
        assert.deepStrictEqual((yield* runs.list(stranger.workspaceId, { credentials: ["u-1"], limit: 10 })).runs, [])
      })
    )

    promise("loses no run between pages, although all were submitted at one instant", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        const workflow = yield* makeWorkflow(caller)
        const sent = Array.from({ length: 7 }, () => submission(workflow))
        yield* Effect.forEach(sent.slice(0, 2), runs.submit)
        yield* TestClock.adjust(1)
        yield* Effect.forEach(sent.slice(2), runs.submit)
        const found: Array<string> = []
        let before: { readonly at: number; readonly id: Run["id"] } | undefined
        while (true) {
          const { runs: page } = yield* runs.list(caller.workspaceId, {
            limit: 2,
            ...(before === undefined ? {} : { before })
          })
          const last = page.at(-1)
          if (last === undefined) break
          found.push(...page.map(({ id }) => id))
          before = { at: last.createdAt, id: last.id }
        }
        assert.deepStrictEqual(found, sent.map(({ id }) => id).reverse())
        const newest = (yield* runs.list(caller.workspaceId, { limit: 1 })).runs[0]
        const { runs: older } = yield* runs.list(caller.workspaceId, {
          limit: 10,
          before: { at: newest?.createdAt ?? 0 }
        })
        assert.deepStrictEqual(
          older.map(({ id }) => id),
          sent
            .slice(0, 2)
            .map(({ id }) => id)
            .reverse()
        )
      })
    )

    promise("lets a caller in once, and not after its expiry", () =>
      Effect.gen(function* () {
        const live = yield* LiveStore
        const { workspaceId } = yield* makeWorkspace()
        const workflow = yield* makeWorkflow({ ...(yield* makeWorkspace()), workspaceId })
        const sent = submission(workflow)
        yield* (yield* RunStore).submit(sent)
        const now = yield* Clock.currentTimeMillis
        const admission = (): Admission => ({
          hash: randomUUID(),
          runId: sent.id,
          keyId: randomUUID(),
          userId: UserId.make(randomUUID()),
          expiresAt: now + 60_000
        })
        const [once, late, contested] = [admission(), admission(), admission()]
        yield* Effect.forEach([once, late, contested], live.admit)
        assert.deepStrictEqual(yield* live.redeem(once.hash), Option.some(once))
        assert.isTrue(Option.isNone(yield* live.redeem(once.hash)))
        const taken = yield* Effect.all(
          Array.from({ length: 5 }, () => live.redeem(contested.hash)),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(taken.filter(Option.isSome), 1)
        yield* TestClock.adjust(60_000)
        assert.isTrue(Option.isNone(yield* live.redeem(late.hash)))
        assert.isTrue(Option.isNone(yield* live.redeem("never")))
      })
    )

    promise("tell how a run stands, as its record does", () =>
      Effect.gen(function* () {
        const [gates, live, runs] = [yield* GateStore, yield* LiveStore, yield* RunStore]
        const caller = yield* makeWorkspace()
        const { workspaceId } = caller
        const sent = submission(yield* makeWorkflow(caller))
        assert.isTrue(Option.isNone(yield* live.standing(sent.id)))
        yield* runs.submit(sent)
        const standsAs = Effect.fnUntraced(function* (status: Status) {
          assert.deepStrictEqual(yield* live.standing(sent.id), Option.some({ workspaceId, status }))
        })
        yield* standsAs("execution.queued")
        const change = (decide: (gate: Gate.Gate, at: number) => Gate.Gate) =>
          gates.change(workspaceId, sent.workflowId, (gate, at) => Result.succeed(decide(gate, at)))
        yield* change((gate, at) => Gate.pause(gate, { at, by: caller.userId }, { reason: "Holidays", until: null }))
        yield* standsAs("execution.paused")
        yield* change(Gate.unpause)
        yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
        yield* standsAs("execution.start")
        yield* runs.change(workspaceId, sent.id, Transition.interrupt)
        yield* standsAs("execution.stopped")
      })
    )
  })

suite("memory", ...databases.memory)
suite("embedded", ...databases.embedded)
suite("postgres", ...databases.postgres)
