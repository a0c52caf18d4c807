import { assert, it } from "@effect/vitest"
import { Effect, Exit, type Layer, Result } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Credential } from "../../core/run/CredentialReferences.ts"
import { LeaseLost, type RunningRun } from "../../core/run/Run.ts"
import { type ClaimedRun, RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { Signals } from "../../core/runtime/Signals.ts"
import { VaultEntries } from "../../core/vault/VaultEntries.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { finish, makeEntry, naming } from "../kit/contracts/start/CredentialRuns.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"

type Stores = RunStore | VaultEntries | WorkflowStore | WorkspaceStore | Signals

const leaseOf = ({ run }: ClaimedRun) => ({ id: run.id, fence: run.lease.fence })

const success = (locked: Transition.LockedRun<RunningRun>, at: number) =>
  Transition.finish(locked, { _tag: "Success", data: { done: true } }, at)

/** An attempt that failed and is tried again after this time. */
const putOff = (delayMillis: number) => (locked: Transition.LockedRun<RunningRun>, at: number) =>
  Transition.settle(locked, { _tag: "Failed", data: {}, errors: [], retry: { times: null, delayMillis } }, at)

const claim = (limit: number) =>
  Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "w", limit, leaseMillis: 3_600_000 }))

const allAtOnce = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

/** So many runs of a new workflow, carried out by a worker. */
const claimed = Effect.fnUntraced(function* (count: number, maxRetries = 0) {
  const workflow = yield* makeWorkflow(yield* makeWorkspace(), { maxRetries })
  for (let index = 0; index < count; index++) yield* (yield* RunStore).submit(submission(workflow))
  return yield* claim(count)
})

const kindsOf = Effect.fnUntraced(function* ({ run }: ClaimedRun) {
  return (yield* (yield* RunStore).events(run.id, 0)).map(({ event }) => event.event)
})

const eventsOf = (kind: "execution.success") => ["execution.queued", "execution.start", kind]

/** The promises of the stores for runs that are dispatched together. */
const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>, empty: Effect.Effect<unknown, never, R>) =>
  it.layer(layer)(`dispatch (${name})`, (it) => {
    const promise = <A, F>(title: string, test: () => Effect.Effect<A, F, Stores>) =>
      it.effect(title, () => Effect.andThen(empty, test()))

    promise("ends that come together are each stored, also where the decision about one of them fails", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const all = yield* claimed(6)
        const exits = yield* allAtOnce(
          all.map((one, index) =>
            Effect.exit(
              runs.settle(leaseOf(one), (locked, at) => {
                if (index === 3) throw new Error("No decision")
                return success(locked, at)
              })
            )
          )
        )
        assert.deepStrictEqual(
          exits.map(Exit.hasDies),
          all.map((_, index) => index === 3)
        )
        for (const [index, one] of all.entries()) {
          const kinds = yield* kindsOf(one)
          if (index === 3) assert.deepStrictEqual(kinds, ["execution.queued", "execution.start"])
          else assert.deepStrictEqual(kinds, eventsOf("execution.success"))
        }
        for (const one of all.slice(3, 4)) yield* runs.settle(leaseOf(one), success)
      })
    )

    promise("ends that come together are refused for those alone whose lease is lost", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const all = yield* claimed(4)
        const [taken] = all
        if (taken === undefined) throw new Error("Nothing was claimed")
        yield* runs.change(taken.run.workspaceId, taken.run.id, Transition.interrupt)
        const results = yield* allAtOnce(
          [...all, ...all.slice(1, 2)].map((one) => Effect.result(runs.settle(leaseOf(one), success)))
        )
        const lost = results.filter((result) => result._tag === "Failure")
        // The interrupted one, and one of the two ends of the same lease.
        assert.lengthOf(lost, 2)
        for (const result of lost) assert.instanceOf(result.failure, LeaseLost)
        for (const one of all.slice(1)) assert.deepStrictEqual(yield* kindsOf(one), eventsOf("execution.success"))
      })
    )

    promise("an end is decided about the run as it is by then, whatever was written since its claim", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const all = yield* claimed(5)
        const [plain, acted, renewed, brought, tagged] = all
        if (!(plain && acted && renewed && brought && tagged)) throw new Error("Not all runs were claimed")
        yield* runs.report(leaseOf(acted), { events: [], progress: { acted: true } })
        yield* runs.renew([leaseOf(renewed)], 7_200_000)
        const file = { id: "f", name: "bill.pdf", at: 1, metadata: {} }
        const uploaded = { runId: brought.run.id, workflowId: brought.run.workflowId, file }
        yield* runs.report(leaseOf(brought), { events: [{ event: "file.uploaded", ...uploaded }] })
        yield* runs.changeTags(tagged.run.workspaceId, [tagged.run.id], () => ["late"], { dryRun: false })
        const seen = new Map<string, Transition.LockedRun<RunningRun>>()
        const changes = yield* allAtOnce(
          all.map((one) =>
            runs.settle(leaseOf(one), (locked, at) => {
              seen.set(locked.run.id, locked)
              return success(locked, at)
            })
          )
        )
        const of = ({ run }: ClaimedRun) => seen.get(run.id)
        assert.deepStrictEqual(
          [plain, acted].map((one) => of(one)?.run.progress.acted),
          [false, true]
        )
        assert.strictEqual(of(renewed)?.run.lease.until, renewed.run.lease.until + 3_600_000)
        assert.deepStrictEqual(
          [plain, brought].map((one) => of(one)?.files.length),
          [0, 1]
        )
        assert.deepStrictEqual(
          [plain, tagged].map((one) => of(one)?.run.tags),
          [[], ["late"]]
        )
        for (const { run } of changes) {
          const stored = yield* runs.get(run.workspaceId, run.id)
          assert.deepStrictEqual(stored.run, run)
        }
      })
    )

    promise("reports that come together are kept in the order of each run, and refused where a lease is lost", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const all = yield* claimed(3)
        const mark = { kind: "acting", node: { id: "1", name: "Pay" }, at: 1 } as const
        const step = ({ run }: ClaimedRun, name: string) =>
          ({ event: "execution.step", runId: run.id, workflowId: run.workflowId, step: name, next: null }) as const
        const results = yield* allAtOnce(
          all.map((one, index) => {
            const { fence, id } = leaseOf(one)
            const events = ["1", "2"].map((name) => step(one, name))
            const progress = index === 1 ? { acted: true, mark } : {}
            return Effect.result(runs.report({ id, fence: index === 2 ? fence + 100 : fence }, { events, progress }))
          })
        )
        assert.deepStrictEqual(
          results.map(({ _tag }) => _tag),
          ["Success", "Success", "Failure"]
        )
        for (const [index, one] of all.entries()) {
          const events = (yield* runs.events(one.run.id, 0)).flatMap(({ event }) =>
            event.event === "execution.step" ? [event.step] : []
          )
          assert.deepStrictEqual(events, index === 2 ? [] : ["1", "2"])
          const { run } = yield* runs.get(one.run.workspaceId, one.run.id)
          const expected = { acted: index === 1, committed: false, mark: index === 1 ? mark : null }
          assert.deepStrictEqual(run.progress, expected)
        }
      })
    )

    promise("of several workflows the share of a claim is even, and what is over goes to others the next time", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        const sent = new Map<string, Array<string>>()
        for (let index = 0; index < 4; index++) {
          const workflow = yield* makeWorkflow(caller)
          const ids: Array<string> = []
          for (let count = 0; count < 5; count++) ids.push((yield* runs.submit(submission(workflow))).run.id)
          sent.set(workflow.workflow.id, ids)
        }
        const started = new Map<string, Array<string>>()
        for (const expected of [
          [1, 1, 2, 2],
          [3, 3, 3, 3],
          [4, 4, 5, 5]
        ]) {
          for (const { run } of yield* claim(6)) {
            started.set(run.workflowId, [...(started.get(run.workflowId) ?? []), run.id])
          }
          assert.deepStrictEqual([...started.values()].map(({ length }) => length).sort(), expected)
        }
        for (const [workflow, ids] of started) assert.deepStrictEqual(ids, sent.get(workflow)?.slice(0, ids.length))
      })
    )

    promise("several workers that claim at once never start one run twice, and start all", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        const sent = yield* allAtOnce(Array.from({ length: 60 }, () => runs.submit(submission(workflow))))
        const started: Array<string> = []
        const claimAll = Effect.gen(function* () {
          for (;;) {
            const some = yield* claim(7)
            started.push(...some.map(({ run }) => run.id))
            if (some.length === 0) return
          }
        })
        yield* allAtOnce([claimAll, claimAll, claimAll, claimAll])
        // Runs that other claims had locked when each of them found no more.
        yield* claimAll
        assert.deepStrictEqual(started.sort(), sent.map(({ run }) => run.id).sort())
      })
    )

    promise("a run that is put off starts when its time has come, and one submitted meanwhile at once", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const [one] = yield* claimed(1, 3)
        if (one === undefined) throw new Error("Nothing was claimed")
        yield* runs.settle(leaseOf(one), putOff(60_000))
        assert.deepStrictEqual(yield* claim(5), [])
        assert.deepStrictEqual(yield* claim(5), [])
        const later = submission({
          workflow: { id: one.run.workflowId, workspaceId: one.run.workspaceId },
          version: one.version
        } as never)
        yield* runs.submit(later)
        assert.deepStrictEqual(
          (yield* claim(5)).map(({ run }) => run.id),
          [later.id]
        )
        assert.deepStrictEqual(yield* claim(5), [])
        yield* TestClock.adjust(60_000)
        const again = yield* claim(5)
        assert.deepStrictEqual(
          again.map(({ run }) => run.id),
          [one.run.id]
        )
        // A shorter delay than that of another run of the workflow is not overlooked.
        assert.deepStrictEqual(yield* claim(5), [])
        for (const running of again) yield* runs.settle(leaseOf(running), putOff(10_000))
        yield* TestClock.adjust(10_000)
        assert.deepStrictEqual(
          (yield* claim(5)).map(({ run }) => run.id),
          [one.run.id]
        )
      })
    )

    promise(
      "workflows whose runs wait for a credential start in turn as it is given back, allowed more or removed",
      () =>
        Effect.gen(function* () {
          const runs = yield* RunStore
          const caller = yield* makeWorkspace()
          const entry = yield* makeEntry(caller, "one")
          const credentials = [naming("one")]
          const sent: Array<string> = []
          for (let index = 0; index < 6; index++) {
            sent.push(
              (yield* runs.submit(submission(yield* makeWorkflow(caller, { maxRetries: 3 }), { credentials }))).run.id
            )
          }
          const started = new Set<string>()
          const start = Effect.fnUntraced(function* (expected: number) {
            const some = [...(yield* claim(3)), ...(yield* claim(3))]
            assert.lengthOf(some, expected)
            for (const { run } of some) {
              assert.isFalse(started.has(run.id))
              started.add(run.id)
            }
            assert.deepStrictEqual(yield* claim(3), [])
            return some
          })
          // An end gives it back.
          const [first] = yield* start(1)
          yield* finish(first)
          // So does a stop.
          const [second] = yield* start(1)
          yield* runs.change(caller.workspaceId, second?.run.id ?? (sent[0] as never), Transition.interrupt)
          // So does a retry.
          const [third] = yield* start(1)
          if (third !== undefined) yield* runs.settle(leaseOf(third), putOff(3_600_000))
          yield* start(1)
          // An edit that allows more runs.
          yield* (yield* VaultEntries).change(caller.workspaceId, entry.id, (before) =>
            Result.succeed({
              ...before,
              updatedAt: before.updatedAt + 1,
              fields: { ...before.fields, allow_multiple_sessions: true, max_concurrency: 2 }
            })
          )
          yield* start(1)
          // Without its entry a run does not wait: it fails.
          yield* (yield* VaultEntries).remove(caller.workspaceId, entry.id)
          yield* start(1)
          assert.strictEqual(started.size, 6)
        })
    )

    promise("a workflow whose runs wait for a credential starts those at once that need none or another", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const caller = yield* makeWorkspace()
        yield* makeEntry(caller, "one")
        yield* makeEntry(caller, "other")
        const workflow = yield* makeWorkflow(caller)
        const submit = (credentials: ReadonlyArray<Credential>) =>
          Effect.map(runs.submit(submission(workflow, { credentials })), ({ run }) => run.id)
        const first = yield* submit([naming("one")])
        yield* submit([naming("one")])
        const starts = Effect.map(claim(5), (some) => some.map(({ run }) => run.id))
        assert.deepStrictEqual(yield* starts, [first])
        assert.deepStrictEqual(yield* starts, [])
        assert.deepStrictEqual(yield* starts, [])
        const plain = yield* submit([])
        assert.deepStrictEqual(yield* starts, [plain])
        assert.deepStrictEqual(yield* starts, [])
        const other = yield* submit([naming("other")])
        assert.deepStrictEqual(yield* starts, [other])
        assert.deepStrictEqual(yield* starts, [])
      })
    )
  })

suite("memory", ...databases.memory)
suite("embedded", ...databases.embedded)
suite("postgres", ...databases.postgres)

/** Counts the statements of an effect; `begin` and `commit` are not among them. */
const statementsOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  let count = 0
  const value = yield* Effect.provideService(effect, Statement.CurrentTransformer, (statement) => {
    count++
    return Effect.succeed(statement)
  })
  return { count, value }
})

it.layer(databases.postgres[0])("dispatch (cost)", (it) => {
  it.effect("runs that start and end together take less than half a statement each", () =>
    Effect.gen(function* () {
      yield* databases.postgres[1]
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      for (let index = 0; index < 48; index++) yield* runs.submit(submission(workflow))
      // The first claim reads the version.
      for (const one of yield* claim(24)) yield* runs.settle(leaseOf(one), success)
      const started = yield* statementsOf(claim(24))
      assert.lengthOf(started.value, 24)
      const ended = yield* statementsOf(allAtOnce(started.value.map((one) => runs.settle(leaseOf(one), success))))
      assert.isAbove(started.count + ended.count, 0)
      assert.isBelow(started.count + ended.count, 12)
    })
  )

  it.effect("a claim touches no workflow whose runs are all put off, or wait for a busy credential", () =>
    Effect.gen(function* () {
      yield* databases.postgres[1]
      const [sql, runs] = [yield* SqlClient.SqlClient, yield* RunStore]
      const caller = yield* makeWorkspace()
      yield* makeEntry(caller, "busy")
      for (let index = 0; index < 20; index++) {
        yield* runs.submit(submission(yield* makeWorkflow(caller), { credentials: [naming("busy")] }))
      }
      assert.lengthOf(yield* claim(20), 1)
      for (let index = 0; index < 20; index++) {
        yield* runs.submit(submission(yield* makeWorkflow(caller, { maxRetries: 5 })))
      }
      for (const one of yield* claim(20)) yield* runs.settle(leaseOf(one), putOff(3_600_000))
      // This one finds them.
      assert.deepStrictEqual(yield* claim(1), [])
      yield* claim(1)
      const versions = sql`select workflow_id, ctid::text, xmin::text, xmax::text from gates order by workflow_id`
      const before = yield* versions
      const sent = submission(yield* makeWorkflow(caller))
      yield* runs.submit(sent)
      const started = yield* statementsOf(claim(10))
      assert.deepStrictEqual(
        started.value.map(({ run }) => run.id),
        [sent.id]
      )
      assert.isBelow(started.count, 10)
      yield* claim(10)
      const after = yield* versions
      assert.deepStrictEqual(
        after.filter(({ workflow_id }) => workflow_id !== sent.workflowId),
        before
      )
    })
  )
})
