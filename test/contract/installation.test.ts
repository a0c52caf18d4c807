/**
 * What the processes of an installation know of each other: which are alive, whether they share their artifacts, and how
 * much work waits.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import {
  Clock,
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  Metric,
  Queue,
  Result,
  Scope
} from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as ArtifactFolder from "../../adapters/files/ArtifactFolder.ts"
import * as MemoryArtifacts from "../../adapters/memory/run/MemoryArtifacts.ts"
import { ZoneVersion } from "../../adapters/postgres/gate/ZoneVersion.ts"
import * as Backlog from "../../adapters/postgres/server/Backlog.ts"
import * as Processes from "../../adapters/postgres/server/Processes.ts"
import * as MovableClock from "../../adapters/postgres/server/TestClock.ts"
import * as Installation from "../../apps/cli/health/Installation.ts"
import * as Gate from "../../core/gate/Gate.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import { WorkerCapacity } from "../../core/gate/WorkerCapacity.ts"
import { ZoneData } from "../../core/gate/ZoneData.ts"
import { ArtifactFiles } from "../../core/run/artifact/ArtifactFiles.ts"
import { Executor } from "../../core/run/Executor.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Scheduler from "../../core/run/Scheduler.ts"
import { StartLedger } from "../../core/run/start/StartLedger.ts"
import * as Worker from "../../core/run/Worker.ts"
import { Signals } from "../../core/runtime/Signals.ts"
import { TestTime } from "../../core/runtime/TestTime.ts"
import * as databases from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { awaited, until } from "../support/waiting.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-installation-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const own = (part: string, id: string) => ({
  id,
  part,
  version: "1.0.0",
  tzData: "2026a",
  artifactStore: null,
  clockSkewMillis: 0,
  capacity: part === "worker" ? 4 : null,
  running: 0,
  browsers: 0,
  worker: part === "worker" ? "w" : null,
  workspaceRuns: part === "worker" ? 3 : null
})

const [layer] = databases.embedded

it.layer(layer)("an installation", (it) => {
  it.effect("knows the processes that are alive, and forgets those that ended or fell silent", () =>
    Effect.gen(function* () {
      const registry = yield* Processes.make
      const [first, second, third] = [
        "00000000-0000-4000-8000-00000000000a",
        "00000000-0000-4000-8000-00000000000b",
        "00000000-0000-4000-8000-00000000000c"
      ] as const
      yield* TestClock.setTime(1_000_000)
      yield* registry.beat(own("scheduler", second))
      yield* TestClock.adjust(1_000)
      yield* registry.beat(own("api", first))
      assert.deepStrictEqual(
        (yield* registry.beat(own("worker", third))).map(({ part }) => part),
        ["scheduler", "api", "worker"]
      )
      yield* registry.leave(first)
      yield* TestClock.adjust(4 * Processes.everyMillis)
      const busy = { ...own("worker", third), clockSkewMillis: -1_800_000_000_000, running: 3, browsers: 2 }
      assert.deepStrictEqual(yield* registry.beat(busy), [busy])
      const seenAt = 1_001_000 + 4 * Processes.everyMillis
      assert.deepStrictEqual(yield* registry.living, [{ ...busy, beganAt: 1_001_000, seenAt }])
      yield* TestClock.adjust(4 * Processes.everyMillis)
      assert.deepStrictEqual(yield* registry.living, [])
      yield* registry.leave(third)
    })
  )

  it.effect("counts what waits by its first reason, and how long what may start has waited", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(2_000_000)
      const caller = yield* makeWorkspace()
      const runs = yield* RunStore
      const gates = yield* GateStore
      const [free, paused] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
      for (const one of [free, free, paused]) yield* runs.submit(submission(one))
      yield* gates.change(caller.workspaceId, paused.workflow.id, (gate, at) =>
        Result.succeed(Gate.pause(gate, { at, by: caller.userId }, { until: null, reason: "why" }))
      )
      yield* TestClock.adjust(90_000)
      const count = yield* Backlog.make
      const before = yield* count
      assert.deepStrictEqual([...before.waiting].toSorted(), [
        ["manual_pause", 1],
        ["worker", 2]
      ])
      assert.strictEqual(before.startable, 90)
      assert.deepStrictEqual([before.running, before.lost, before.deliveries, before.oldestDelivery], [0, 0, 0, 0])
      const claimed = yield* runs.claim({ worker: "w", limit: 2, leaseMillis: 30_000 })
      assert.deepStrictEqual(
        claimed.map(({ startableSince }) => startableSince),
        [2_000_000, 2_000_000]
      )
      yield* TestClock.adjust(31_000)
      const after = yield* count
      assert.deepStrictEqual([after.startable, after.running, after.lost], [0, 2, 2])
    })
  )

  it.effect("counts runs that their pace keeps waiting apart from those that wait for a worker", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(3_000_000)
      const caller = yield* makeWorkspace()
      const runs = yield* RunStore
      const workflow = yield* makeWorkflow(caller)
      yield* (yield* GateStore).change(caller.workspaceId, workflow.workflow.id, (gate) =>
        Result.succeed(Gate.setPace(gate, { maxStartsPerMinute: 1, maxRunning: null }))
      )
      for (let index = 0; index < 3; index++) yield* runs.submit(submission(workflow))
      assert.lengthOf(yield* runs.claim({ worker: "w", limit: 5, leaseMillis: 30_000 }), 1)
      const count = yield* Backlog.make
      yield* TestClock.adjust(10_000)
      const paced = yield* count
      assert.deepStrictEqual([paced.waiting.get("pace"), paced.waiting.get("worker")], [2, undefined])
      assert.strictEqual(paced.startable, 0)
      yield* TestClock.adjust(60_000)
      const due = yield* count
      assert.deepStrictEqual([due.waiting.get("pace"), due.waiting.get("worker")], [undefined, 2])
      assert.strictEqual(due.startable, 10)
    })
  )

  it.effect("refuses a worker whose artifacts the HTTP interface does not find, and reads its gauges once", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      const [shared, other] = [yield* folder, yield* folder]
      const started = (part: string, path: string) =>
        Effect.gen(function* () {
          const scope = yield* Effect.acquireRelease(Scope.make(), (one) => Scope.close(one, Exit.void))
          const built = Layer.fresh(Installation.layer(part).pipe(Layer.provide(ArtifactFolder.layer(path))))
          return yield* Effect.exit(Layer.buildWithScope(Layer.provide(built, logger), scope))
        })
      assert.isTrue(Exit.isSuccess(yield* started("api", shared)))
      assert.isTrue(Exit.isSuccess(yield* started("worker", shared)))
      const refused = yield* Effect.flip(Effect.flatten(Effect.succeed(yield* started("worker", other))))
      assert.include(refused.message, "the same SLUICE_DATA_DIR")
      assert.isTrue(Exit.isSuccess(yield* started("scheduler", other)))
      assert.deepStrictEqual(lines, [])
      assert.isTrue(Exit.isSuccess(yield* started("api", other)))
      assert.match(lines.join(), /^A worker of this installation keeps artifacts in another place/)
      const metrics = yield* Metric.snapshot
      assert.strictEqual(metrics.find(({ id }) => id === "sluice_scheduler_leads")?.state !== undefined, true)
    }).pipe(Effect.scoped)
  )

  it.effect("leaves openings to the scheduler with the newest time zone data, while there is one", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const grown = yield* Queue.unbounded<string>()
      const logger = Logger.layer([Logger.make(({ message }) => void Queue.offerUnsafe(grown, String(message)))])
      const registry = yield* Processes.make
      /** Passes time until it was said so often, and never more than the database keeps up with. */
      const said = Effect.fnUntraced(function* (text: RegExp, times: number) {
        const passing = Effect.gen(function* () {
          while (lines.filter((line) => text.test(line)).length < times) {
            lines.push(...(yield* Queue.clear(grown)))
            yield* registry.living
            yield* TestClock.adjust("1 second")
          }
        })
        yield* awaited(`${times} lines as ${text}`, passing, () => lines)
      })
      const started = Effect.fnUntraced(function* (
        part: string,
        zoneData: string,
        worker?: Installation.WorkerPresence
      ) {
        const scope = yield* Effect.acquireRelease(Scope.make(), (one) => Scope.close(one, Exit.void))
        const built = Layer.fresh(Installation.layer(part, worker).pipe(Layer.provide(MemoryArtifacts.layer)))
        const context = yield* Layer.buildWithScope(Layer.provide(built, logger), scope).pipe(
          Effect.provideService(ZoneVersion, zoneData)
        )
        const { decides } = Context.get(context, ZoneData)
        const workers = Context.get(context, WorkerCapacity).current
        return { decides, workers, end: Scope.close(scope, Exit.void) }
      })
      const old = yield* started("scheduler", "2026a")
      assert.isTrue(yield* old.decides)
      const api = yield* started("api", "2026c")
      yield* TestClock.adjust(Processes.everyMillis)
      assert.isTrue(yield* old.decides, "a process that schedules nothing takes nothing over")
      const recent = yield* started("scheduler", "2026b")
      const late = yield* started("scheduler", "2026a")
      yield* said(/^This process has the time zone data 2026a, and others have 2026c/, 1)
      yield* said(/leaves openings and schedules to another/, 1)
      assert.deepStrictEqual([yield* old.decides, yield* recent.decides, yield* late.decides], [false, true, false])
      yield* recent.end
      yield* said(/computes openings again/, 2)
      assert.deepStrictEqual([yield* old.decides, yield* late.decides], [true, true])

      // What the workers carry out is not known while the database does not say so, and no longer than that.
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.adjust(Processes.everyMillis)
      yield* sql`alter table processes rename to away`
      assert.isTrue(Exit.isFailure(yield* Effect.exit(api.workers)))
      yield* sql`alter table away rename to processes`
      assert.deepStrictEqual(yield* api.workers, { capacity: 0, running: 0, each: [] })
      yield* api.end

      // A worker says what it gives one workspace.
      const workspaceRuns = Effect.succeed(3)
      const worker = yield* started("worker", "2026b", { name: "w", capacity: 4, workspaceRuns })
      const each = [{ name: "w", capacity: 4, workspaceRuns: 3 }]
      assert.deepStrictEqual(yield* worker.workers, { capacity: 4, running: 0, each })
      yield* worker.end
    }).pipe(Effect.scoped)
  )

  it.effect("computes openings again that older time zone data gave, and names the workflows that they move", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      yield* TestClock.setTime(4_000_000)
      const sql = yield* SqlClient.SqlClient
      const caller = yield* makeWorkspace()
      const { workflow } = yield* makeWorkflow(caller)
      const gates = yield* GateStore
      yield* gates
        .change(caller.workspaceId, workflow.id, (gate, at) =>
          Result.succeed(Gate.setWindow(gate, daily(3, 4), { at, by: caller.userId }))
        )
        .pipe(Effect.provideService(ZoneVersion, "2026b"))
      const opening = sql<{ readonly starts_at: Date; readonly zone_data: string }>`
        select starts_at, zone_data from gates where workflow_id = ${workflow.id}`
      const [right] = yield* opening
      // As another zone law would have it.
      yield* sql`update gates set starts_at = starts_at - interval '1 hour' where workflow_id = ${workflow.id}`
      const wrong = yield* opening
      const tick = (zoneData: string, decides: boolean) =>
        Scheduler.tick().pipe(
          Effect.provide(logger),
          Effect.provideService(ZoneVersion, zoneData),
          Effect.provideService(ZoneData, { decides: Effect.succeed(decides) })
        )
      const { workflow: unmoved } = yield* makeWorkflow(caller)
      yield* gates
        .change(caller.workspaceId, unmoved.id, (gate, at) =>
          Result.succeed(Gate.setWindow(gate, daily(3, 4), { at, by: caller.userId }))
        )
        .pipe(Effect.provideService(ZoneVersion, "2026b"))
      yield* TestClock.adjust(60_000)
      yield* tick("2026a", true)
      yield* tick("2026b", true)
      yield* tick("2026c", false)
      assert.deepStrictEqual(yield* opening, wrong)
      yield* tick("2026c", true)
      assert.deepStrictEqual(yield* opening, [{ starts_at: new Date(right?.starts_at ?? 0), zone_data: "2026c" }])
      const listed = Effect.map(gates.moved(caller.workspaceId, 0, 10), (all) =>
        all.map(({ at, from, name, workflowId }) => [workflowId, name, from, at])
      )
      const moved = [[workflow.id, "Nightly", "2026b", 4_060_000]]
      assert.deepStrictEqual(yield* listed, moved)
      yield* tick("2026d", true)
      const set = (decide: (gate: Gate.Gate, actor: Gate.Actor) => Gate.Gate) =>
        gates
          .change(caller.workspaceId, workflow.id, (gate, at) =>
            Result.succeed(decide(gate, { at, by: caller.userId }))
          )
          .pipe(Effect.provideService(ZoneVersion, "2026d"))
      yield* set((gate, actor) => Gate.pause(gate, actor, { until: null, reason: "why" }))
      assert.deepStrictEqual(yield* listed, moved)
      assert.deepStrictEqual(yield* gates.moved(caller.workspaceId, 4_060_001, 10), [])
      assert.deepStrictEqual(yield* gates.moved((yield* makeWorkspace()).workspaceId, 0, 10), [])
      // Who set the window again has seen when it opens.
      yield* set((gate, actor) => Gate.setWindow(gate, daily(5, 6), actor))
      assert.deepStrictEqual(yield* listed, [])
      assert.deepStrictEqual(lines, [
        `With the time zone data 2026c these workflows open or close at other times than older data had it: "Nightly" (${workflow.id})`
      ])
    })
  )

  it.effect("starts runs as the newest time zone data decide, whatever the data of the worker", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      yield* TestClock.setTime(8 * 86_400_000)
      const sql = yield* SqlClient.SqlClient
      const runs = yield* RunStore
      const gates = yield* GateStore
      const caller = yield* makeWorkspace()
      /** A workflow with a window of one hour of the day, whose row says what data `2026b` would: open, or not. */
      const windowed = Effect.fnUntraced(function* (hour: number, open: boolean) {
        const made = yield* makeWorkflow(caller)
        yield* gates
          .change(caller.workspaceId, made.workflow.id, (gate, at) =>
            Result.succeed(Gate.setWindow(gate, daily(hour, hour + 1), { at, by: caller.userId }))
          )
          .pipe(Effect.provideService(ZoneVersion, "2026b"))
        const [from, to] = open ? [0, 1] : [10, 11]
        yield* sql`update gates set starts_at = ${new Date(8 * 86_400_000 + from * 3_600_000)},
          stops_at = ${new Date(8 * 86_400_000 + to * 3_600_000)} where workflow_id = ${made.workflow.id}`
        const sent = submission(made)
        yield* runs.submit(sent)
        return sent.id
      })
      const opened = yield* windowed(3, true)
      const closed = yield* windowed(0, false)
      const claimedBy = (zoneData: string) =>
        runs.claim({ worker: "w", limit: 10, leaseMillis: 30_000 }).pipe(
          Effect.map((claimed) => claimed.flatMap(({ run }) => (run.workspaceId === caller.workspaceId ? run.id : []))),
          Effect.provideService(ZoneVersion, zoneData),
          Effect.provide(logger)
        )
      // Where those of the worker are the newest, it starts nothing that they hold.
      assert.deepStrictEqual(yield* claimedBy("2026c"), [])
      assert.deepStrictEqual(yield* claimedBy("2026a"), [opened])
      assert.strictEqual((yield* (yield* StartLedger).ofRun(caller.workspaceId, opened))[0]?.zoneData, "2026b")
      assert.strictEqual((yield* runs.get(caller.workspaceId, closed)).run.status, "execution.queued")
      assert.deepStrictEqual(lines, [])
    })
  )

  it.effect("leaves an edited window to the newest time zone data before any run starts by older", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(16 * 86_400_000)
      const runs = yield* RunStore
      const gates = yield* GateStore
      const caller = yield* makeWorkspace()
      const made = yield* makeWorkflow(caller)
      const decides = (does: boolean) => Effect.provideService(ZoneData, { decides: Effect.succeed(does) })
      yield* gates
        .change(caller.workspaceId, made.workflow.id, (gate, at) =>
          Result.succeed(Gate.setWindow(gate, daily(0, 1), { at, by: caller.userId }))
        )
        .pipe(Effect.provideService(ZoneVersion, "2026a"), decides(false))
      const sent = submission(made)
      yield* runs.submit(sent)
      const claimed = Effect.map(runs.claim({ worker: "w", limit: 10, leaseMillis: 30_000 }), (all) =>
        all.flatMap(({ run }) => (run.workspaceId === caller.workspaceId ? run.id : []))
      )
      assert.deepStrictEqual(yield* claimed, [])
      yield* Scheduler.tick().pipe(Effect.provideService(ZoneVersion, "2026b"), decides(true))
      assert.deepStrictEqual(yield* claimed, [sent.id])
    })
  )
})

it.layer(layer, { excludeTestServices: true })("an installation with a test clock", (it) => {
  const day = 86_400_000
  const started = Effect.gen(function* () {
    const context = yield* Layer.build(Layer.fresh(MovableClock.layer))
    const time = Context.get(context, TestTime) ?? (yield* Effect.die("no clock"))
    return { clock: Context.get(context, Clock.Clock), context, time }
  })

  /** The scheduler and the worker never look by themselves, as they do every 30 seconds. */
  const withoutLooks = (clock: Clock.Clock): Clock.Clock =>
    Object.assign(Object.create(clock), {
      sleep: (duration: Duration.Duration) =>
        Duration.toMillis(duration) < 20_000 ? clock.sleep(duration) : Effect.never
    })

  it.effect("has one time in all processes, also in those that start later", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* started, yield* started]
      const at = one.clock.currentTimeMillisUnsafe() + 400 * day
      yield* one.time.moveTo(at)
      assert.isAtLeast(other.clock.currentTimeMillisUnsafe(), at)
      assert.isAtLeast((yield* started).clock.currentTimeMillisUnsafe(), at)
    }).pipe(Effect.scoped)
  )

  it.effect("starts a held run within seconds when its clock is moved past the opening", () =>
    Effect.gen(function* () {
      const { clock, context, time } = yield* started
      const begun = yield* Queue.unbounded<string>()
      const executor = Layer.succeed(
        Executor,
        Executor.of({
          execute: ({ run }) => Effect.as(Queue.offer(begun, run.id), { _tag: "Success" as const, data: {} })
        })
      )
      const options = { name: "w", capacity: 1, leaseMillis: 30_000, graceMillis: 0 }
      yield* Effect.gen(function* () {
        yield* Effect.forkScoped(Scheduler.run())
        yield* Effect.forkScoped(Worker.run(options).pipe(Effect.provide([executor, Crypto.layer, Logger.layer([])])))
        const caller = yield* makeWorkspace()
        const workflow = yield* makeWorkflow(caller)
        const hour = (new Date(clock.currentTimeMillisUnsafe()).getUTCHours() + 4) % 23
        const gate = yield* (yield* GateStore).change(caller.workspaceId, workflow.workflow.id, (gate, at) =>
          Result.succeed(Gate.setWindow(gate, daily(hour, hour + 1), { at, by: caller.userId }))
        )
        assert.isDefined(gate)
        const sent = submission(workflow)
        yield* (yield* RunStore).submit(sent)
        yield* (yield* Signals).publish({ _tag: "due" })
        yield* time.moveTo(clock.currentTimeMillisUnsafe() + 60_000)
        assert.strictEqual(yield* Queue.size(begun), 0)
        const midnight = Math.ceil(clock.currentTimeMillisUnsafe() / day) * day
        yield* time.moveTo(midnight + hour * 3_600_000)
        assert.strictEqual(yield* awaited("the start of the run", Queue.take(begun)), sent.id)
      }).pipe(Effect.provideService(Clock.Clock, withoutLooks(clock)), Effect.provide(context))
    }).pipe(Effect.scoped)
  )
})

const [onServer] = databases.postgres

it.layer(onServer)("an installation of several processes", (it) => {
  it.effect("has one name for the store of artifacts when two processes are the first to look at it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const files = Context.get(yield* Layer.build(MemoryArtifacts.layer), ArtifactFiles)
      const looked = yield* Deferred.make<void>()
      const isUp = yield* Deferred.make<void>()
      const started = (part: string, kept: ArtifactFiles["Service"]) =>
        Layer.build(Layer.fresh(Installation.layer(part).pipe(Layer.provide(Layer.succeed(ArtifactFiles, kept)))))
      const waits = sql<{ readonly count: number }>`
        select count(*)::integer from pg_locks where locktype = 'advisory' and not granted`
      // The worker has found no name. Before it gives one, the other does so, or waits for it.
      const beside = until(
        "the other",
        Effect.all([Deferred.isDone(isUp), Effect.map(waits, ([row]) => row?.count)]),
        ([isDone, waiting]) => isDone || waiting === 1
      )
      const worker = yield* Effect.forkScoped(
        started("worker", {
          ...files,
          find: (id) => Effect.tap(files.find(id), Deferred.succeed(looked, undefined)),
          put: (id, artifact) => Effect.andThen(Effect.orDie(beside), files.put(id, artifact))
        })
      )
      yield* Deferred.await(looked)
      yield* Effect.tap(started("api", files), Deferred.succeed(isUp, undefined))
      yield* Fiber.join(worker)
    }).pipe(Effect.scoped)
  )
})
