import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Clock, Console, Effect, type Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Starts from "../../adapters/postgres/start/Starts.ts"
import { verifyStored } from "../../apps/cli/handlers/proof/Verify.ts"
import * as Gate from "../../core/gate/Gate.ts"
import * as GateAudit from "../../core/gate/GateAudit.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { RetentionStore } from "../../core/run/retention/RetentionStore.ts"
import { reasonOf } from "../../core/run/start/Start.ts"
import { judge, judgeAll, StartLedger } from "../../core/run/start/StartLedger.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { ValidRunWindow } from "../../core/window/RunWindow.ts"
import type { StoredWorkflow, WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { Audit } from "../../core/workspace/audit/Audit.ts"
import type { RunId } from "../../core/workspace/Ids.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { scale } from "../support/scale.ts"

const always = { from: 0, to: Number.MAX_SAFE_INTEGER / 2 }

const hourMillis = 3_600_000
const utcHour = (at: number) => new Date(at).getUTCHours()

/** A daily window in a zone in which it is before noon at an instant. */
const beforeNoon = (at: number, from: number, to: number): ValidRunWindow => ({
  ...daily(from, to),
  time_zone: utcHour(at) < 12 ? "UTC" : "Etc/GMT+12"
})

/** Windows that are closed and open at an instant, and for the hours after it. */
const closedAt = (at: number) => beforeNoon(at, 18, 19)
const openAt = (at: number) => beforeNoon(at, 0, 23)

const change = Effect.fnUntraced(function* (
  caller: Caller,
  { workflow }: StoredWorkflow,
  decide: (gate: Gate.Gate, actor: Gate.Actor) => Gate.Gate
) {
  const [audit, gates] = [yield* Audit, yield* GateStore]
  yield* audit.recording(
    caller,
    gates.change(caller.workspaceId, workflow.id, (gate, at) =>
      Result.succeed(decide(gate, { at, by: caller.userId }))
    ),
    (changed) => [...GateAudit.ofWindow(workflow.id)(changed), ...GateAudit.ofLift(workflow.id)(changed)]
  )
})

const set = (window: ValidRunWindow) => (gate: Gate.Gate, actor: Gate.Actor) => Gate.setWindow(gate, window, actor)

/** Submits a run and starts it. */
const startOne = Effect.fnUntraced(function* <R = never>(
  workflow: StoredWorkflow,
  before: (id: RunId) => Effect.Effect<unknown, unknown, R> = () => Effect.void
) {
  const [runs, ledger] = [yield* RunStore, yield* StartLedger]
  const { run } = yield* runs.submit(submission(workflow))
  yield* Effect.orDie(before(run.id))
  const claimed = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
  assert.deepStrictEqual(
    claimed.map(({ run: { id } }) => id),
    [run.id]
  )
  return yield* ledger.ofRun(run.workspaceId, run.id)
})

/** A console that keeps the lines that are logged. */
const saying = (said: Array<string>): Console.Console =>
  Object.assign(Object.create(console), { log: (line: string) => void said.push(line) })

type Stores = Audit | GateStore | RunStore | RetentionStore | StartLedger | WorkflowStore | WorkspaceStore

const suite = <E>(name: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`the ledger of starts (${name})`, (it) => {
    it.effect("says for each start what let it start, and holds when it is judged", () =>
      Effect.gen(function* () {
        const caller = yield* makeWorkspace()
        const workflow = yield* makeWorkflow(caller)
        const now = yield* Clock.currentTimeMillis
        const [free] = yield* startOne(workflow)
        yield* change(caller, workflow, set(openAt(now)))
        const [open] = yield* startOne(workflow)
        yield* change(caller, workflow, set(closedAt(now)))
        yield* change(caller, workflow, (gate, actor) => Result.getOrThrow(Gate.liftWindow(gate, actor)))
        const [lifted] = yield* startOne(workflow)
        yield* change(caller, workflow, Gate.removeWindow)
        const [removed] = yield* startOne(workflow)
        yield* change(caller, workflow, set(closedAt(now)))
        const [released] = yield* startOne(workflow, (run) =>
          Effect.flatMap(RunStore, (runs) =>
            runs.changeAll(
              caller.workspaceId,
              [run],
              (locked, at) => Transition.release(locked, { at, by: caller.userId }, false),
              { dryRun: false }
            )
          )
        )
        const starts = [free, open, lifted, removed, released].flatMap((start) => start ?? [])
        assert.deepStrictEqual(starts.map(reasonOf), [
          "no_run_window",
          "run_window_open",
          "lift",
          "no_run_window",
          "release"
        ])
        assert.deepStrictEqual(
          starts.map(({ attempt, windowRevision, worker }) => [attempt, windowRevision, worker]),
          [0, 1, 2, 3, 4].map((revision) => [1, revision, "w"])
        )
        assert.strictEqual(lifted?.lift?.by, caller.userId)
        assert.strictEqual(open?.zoneData, process.versions.tz)
        assert.deepStrictEqual(
          (yield* judge(caller.workspaceId, starts)).flatMap(({ problems }) => problems),
          []
        )

        const { windows } = yield* GateStore
        const page = (before: number, limit: number) =>
          Effect.map(windows(caller.workspaceId, workflow.workflow.id, { before, limit }), (all) =>
            all.map(({ revision, setBy, window }) => [revision, setBy, window])
          )
        assert.deepStrictEqual(yield* page(1_000, 3), [
          [4, caller.userId, closedAt(now)],
          [3, caller.userId, null],
          [2, caller.userId, closedAt(now)]
        ])
        assert.deepStrictEqual(yield* page(2, 3), [[1, caller.userId, openAt(now)]])
        const ledger = yield* StartLedger
        const first = yield* ledger.page(caller.workspaceId, { ...always, after: null, limit: 3 })
        const rest = yield* ledger.page(caller.workspaceId, { ...always, after: first[2] ?? null, limit: 3 })
        assert.sameDeepMembers([...first, ...rest], starts)
        assert.deepStrictEqual(yield* judgeAll(caller.workspaceId, always), {
          starts: 5,
          wrong: 0,
          examples: [],
          missing: []
        })
        const stranger = yield* makeWorkspace()
        assert.deepStrictEqual(yield* ledger.ofRun(stranger.workspaceId, starts[0]?.runId ?? ""), [])
        assert.strictEqual((yield* judgeAll(stranger.workspaceId, always)).starts, 0)
        // A start that retention removed is missed until its run is known to be passed.
        const [id] = starts.map(({ runId }) => runId)
        if (id === undefined) throw new Error("Nothing has started")
        const parts = yield* RetentionStore
        yield* (yield* RunStore).change(caller.workspaceId, id, Transition.interrupt)
        assert.strictEqual(yield* parts.remove("starts", [id]), 1)
        assert.deepStrictEqual((yield* judgeAll(caller.workspaceId, always)).missing, [id])
        yield* parts.passed(caller.workspaceId, "starts", id)
        assert.deepStrictEqual((yield* judgeAll(caller.workspaceId, always)).missing, [])
      })
    )
  })

suite("memory", databases.memory[0])
suite("embedded", databases.embedded[0])
suite("postgres", databases.postgres[0])

it.live("of 1,200 starts, or 12,000 at ten times the scale, each is judged and none is outside its window", () =>
  Effect.gen(function* () {
    const runs = yield* RunStore
    const caller = yield* makeWorkspace()
    const workflow = yield* makeWorkflow(caller)
    yield* change(caller, workflow, set(openAt(yield* Clock.currentTimeMillis)))
    const count = 1_200 * scale
    for (let done = 0; done < count; done += 100) {
      for (let one = 0; one < 100; one++) yield* runs.submit(submission(workflow))
      assert.lengthOf(yield* runs.claim({ worker: "w", limit: 100, leaseMillis: 60_000 }), 100)
    }
    const verdict = yield* judgeAll(caller.workspaceId, always)
    assert.deepStrictEqual(verdict, { starts: count, wrong: 0, examples: [], missing: [] })
  }).pipe(Effect.provide(Memory.layer))
)

it.live("a planted start, a start that was left out and a changed window are found", () =>
  Effect.gen(function* () {
    const [sql, runs] = [yield* SqlClient.SqlClient, yield* RunStore]
    const caller = yield* makeWorkspace()
    const workflow = yield* makeWorkflow(caller)
    const now = yield* Clock.currentTimeMillis
    yield* change(caller, workflow, set(openAt(now)))
    const [true_] = yield* startOne(workflow)
    assert.isDefined(true_)
    if (true_ === undefined) return
    const plant = (fields: Partial<typeof true_>) =>
      sql`insert into run_starts ${sql.insert(Starts.table.encode({ ...true_, ...fields }))}`
    // An instant at which the window is closed; a lift that was never set; a window of another content.
    yield* plant({ attempt: 2, at: true_.at + (23 - (utcHour(true_.at) % 12)) * hourMillis })
    yield* plant({ attempt: 3, lift: { since: true_.at, by: randomUUID() } })
    yield* plant({ attempt: 4, windowHash: "0".repeat(64) })
    yield* plant({ attempt: 5, windowRevision: 7 })
    const verdict = yield* judgeAll(caller.workspaceId, always)
    assert.deepStrictEqual([verdict.starts, verdict.wrong], [5, 4])
    const found = verdict.examples.map(({ problems }) => problems.join("; ")).join("\n")
    assert.include(found, "the run window was closed")
    assert.include(found, "the events of the run name no start")
    assert.include(found, "the audit trail names no lift")
    assert.include(found, "has another hash")
    assert.include(found, "revision 7 of the run window is not stored")
    // A run whose start was taken out of the ledger, which takes more than the rights of the service.
    const { run } = yield* runs.submit(submission(workflow))
    yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
    yield* sql`alter table run_starts disable trigger starts_are_only_appended`
    yield* sql`delete from run_starts where run_id = ${run.id}`
    assert.deepStrictEqual((yield* judgeAll(caller.workspaceId, always)).missing, [run.id])
    yield* sql`alter table run_starts enable trigger starts_are_only_appended`
    const said: Array<string> = []
    const asked = {
      workspace: Option.some<string>(caller.workspaceId),
      run: Option.none<string>(),
      to: Option.none<string>(),
      json: false
    }
    const refused = yield* Effect.flip(
      verifyStored({
        ...asked,
        from: Option.some("2020-01-01T00:00:00Z"),
        to: Option.some("2999-01-01T00:00:00Z")
      }).pipe(Effect.provideService(Console.Console, saying(said)))
    )
    assert.strictEqual(refused.message, "5 of the checked starts are not valid")
    assert.strictEqual(
      said.at(-1),
      "Of 5 starts 4 outside their window, or not as recorded; 1 or more runs have started without an entry"
    )
    for (const table of ["run_starts", "run_windows"]) {
      assert.strictEqual((yield* Effect.exit(sql.unsafe(`delete from ${table}`)))._tag, "Failure", table)
    }
  }).pipe(Effect.provide(databases.embedded[0]), Effect.scoped)
)
