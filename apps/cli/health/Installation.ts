/**
 * A process within its installation: it reports that it is alive, refuses an artifact store that differs from that of
 * the HTTP interface, leaves openings to processes with newer time zone data, and reads the gauges of the installation
 * when it leads.
 */
import { randomUUID } from "node:crypto"
import { Context, Effect, Exit, Layer, Option, Ref, Schema, Stream } from "effect"
import { isNewer, ZoneVersion } from "../../../adapters/postgres/gate/ZoneVersion.ts"
import type { ProcessReport } from "../../../adapters/postgres/server/Processes.ts"
import { WorkerCapacity, type Workers } from "../../../core/gate/WorkerCapacity.ts"
import { ZoneData } from "../../../core/gate/ZoneData.ts"
import { ArtifactFiles } from "../../../core/run/artifact/ArtifactFiles.ts"
import * as Background from "../../../core/runtime/Background.ts"
import { ClockSkew } from "../../../core/runtime/ClockSkew.ts"
import * as Gauges from "../../../core/runtime/Gauges.ts"
import { LivingProcesses } from "../../api/installation/LivingProcesses.ts"
import { version } from "../Version.ts"

/** Raised when a worker has another artifact store than the HTTP interface. */
export class ArtifactsNotShared extends Schema.TaggedError<ArtifactsNotShared>()("ArtifactsNotShared", {}) {
  override get message() {
    return "Cannot start: the HTTP interface of this installation keeps artifacts in another place. Give every process the same SLUICE_DATA_DIR on a shared disk, or the same SLUICE_S3_ENDPOINT and SLUICE_S3_BUCKET"
  }
}

/** The artifact whose content names the store that it is in. */
const nameplate = "00000000-0000-4000-8000-000000000001"

/**
 * The name of the store of artifacts, which the first process gives it; `null` when the store does not answer. Of two that
 * name an empty store at once, one would keep a name that the other replaces.
 */
const storeName = Effect.gen(function* () {
  const files = yield* ArtifactFiles
  const read = Effect.gen(function* () {
    const kept = yield* files.find(nameplate)
    if (Option.isNone(kept)) return null
    const pieces = yield* Stream.runCollect(kept.value.read())
    return Buffer.concat([...pieces]).toString("utf8")
  })
  const known = yield* read
  if (known !== null) return known
  yield* files.put(nameplate, { bytes: Buffer.from(randomUUID()), mediaType: "text/plain", fileName: null })
  return yield* read
}).pipe(
  Effect.catchTag("ArtifactsUnavailable", ({ message }) =>
    Effect.as(Effect.logWarning(`${message}. Whether all processes share them is not known`), null)
  )
)

const serves = ({ part }: ProcessReport): boolean => part === "api" || part === "up"
const schedules = ({ part }: ProcessReport): boolean => part === "scheduler" || part === "up"

/** Whether two processes have different artifact stores. */
const differ = (one: ProcessReport, other: ProcessReport): boolean =>
  one.artifactStore !== null && other.artifactStore !== null && one.artifactStore !== other.artifactStore

const warnOfZones = (own: ProcessReport, all: ReadonlyArray<ProcessReport>) => {
  const versions = [...new Set(all.flatMap(({ tzData }) => tzData ?? []))].toSorted()
  const newest = versions.at(-1)
  if (versions.length < 2 || own.tzData === newest) return Effect.void
  return Effect.logWarning(
    `This process has the time zone data ${own.tzData}, and others have ${newest}: it answers by its own, and the scheduler with the newest decides when windows open and runs start. Give every process the same Node`
  )
}

/** The runs that a process executes. */
export interface WorkerPresence<R = never> {
  /** Its name in leases. */
  readonly name: string
  /** How many it executes at once. */
  readonly capacity: number
  /** How many of one workspace, now. */
  readonly workspaceRuns: Effect.Effect<number, never, R>
}

/** The total capacity of these processes, and its use. */
const workersOf = (living: ReadonlyArray<ProcessReport>): Workers => {
  const all = living.flatMap(({ capacity, running, worker, workspaceRuns }) =>
    capacity === null ? [] : [{ capacity, running, name: worker, workspaceRuns }]
  )
  const sums = all.reduce(
    (sum, { capacity, running }) => ({ capacity: sum.capacity + capacity, running: sum.running + running }),
    { capacity: 0, running: 0 }
  )
  const each = all.flatMap(({ capacity, name, workspaceRuns }) =>
    name === null || workspaceRuns === null ? [] : [{ name, capacity, workspaceRuns }]
  )
  return each.length < all.length ? sums : { ...sums, each }
}

/** Whether a process computes openings: all that do with newer time zone data are gone. */
const mayDecide = (own: ProcessReport, living: ReadonlyArray<ProcessReport>): boolean =>
  !living.some((other) => schedules(other) && isNewer(other.tzData, own.tzData))

/**
 * Registers the process while the layer lives, and provides the list of all processes. `worker` is `null` for a process
 * that executes no runs.
 */
export const layer = <R = never>(part: string, worker: WorkerPresence<R> | null = null) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const Processes = yield* Effect.promise(() => import("../../../adapters/postgres/server/Processes.ts"))
      const Backlog = yield* Effect.promise(() => import("../../../adapters/postgres/server/Backlog.ts"))
      const registry = yield* Processes.make
      const count = yield* Backlog.make
      const keeps = part === "api" || part === "worker" || part === "up"
      const { millis: clockSkew } = yield* ClockSkew
      const fixed = {
        id: randomUUID(),
        part,
        version,
        tzData: yield* ZoneVersion,
        artifactStore: keeps ? yield* registry.alone("the name of the artifact store", storeName) : null,
        capacity: worker?.capacity ?? null,
        worker: worker?.name ?? null
      }
      const present = Effect.gen(function* () {
        const { browsers, leases } = yield* Gauges.inUse("runs")
        const workspaceRuns = worker === null ? null : yield* worker.workspaceRuns
        const counted = { clockSkewMillis: yield* clockSkew, running: leases, browsers }
        return { ...fixed, ...counted, workspaceRuns } satisfies ProcessReport
      })
      const own = yield* present
      const all = yield* registry.beat(own)
      yield* Effect.addFinalizer(() => Effect.ignore(registry.leave(own.id)))
      if (part === "worker" && all.some((other) => serves(other) && differ(own, other))) {
        return yield* new ArtifactsNotShared()
      }
      if (serves(own) && all.some((other) => other.part === "worker" && differ(own, other))) {
        yield* Effect.logError(
          "A worker of this installation keeps artifacts in another place, where this process does not find them (SLUICE_DATA_DIR, SLUICE_S3_ENDPOINT)"
        )
      }
      yield* warnOfZones(own, all)
      const decides = yield* Ref.make(mayDecide(own, all))
      const decide = Effect.fnUntraced(function* (living: ReadonlyArray<ProcessReport>) {
        const may = mayDecide(own, living)
        if ((yield* Ref.getAndSet(decides, may)) === may || !schedules(own)) return
        yield* Effect.logInfo(
          may
            ? "This scheduler computes openings again: none with newer time zone data is left"
            : "This scheduler leaves openings and schedules to another with newer time zone data"
        )
      })
      const lead = (living: ReadonlyArray<ProcessReport>) =>
        living.find(schedules)?.id === own.id ? Effect.flatMap(count, Gauges.setBacklog) : Gauges.setBacklog(null)
      if (schedules(own)) yield* lead(all).pipe(Background.round("count what waits"))
      yield* Effect.sleep(Processes.everyMillis).pipe(
        Effect.andThen(
          Effect.flatMap(present, registry.beat).pipe(
            Effect.tap(decide),
            Effect.tap((living) => (schedules(own) ? lead(living) : Effect.void)),
            // What it read before is out of date, and another may lead by now.
            Effect.onError(() => (schedules(own) ? Gauges.setBacklog(null) : Effect.void)),
            Background.round("say that this process is alive")
          )
        ),
        Effect.forever,
        Effect.forkScoped
      )
      // Read for every record of a waiting run. Failures are not cached.
      const workers = yield* Effect.cachedWithTTL(Effect.map(registry.living, workersOf), (asked) =>
        Exit.isSuccess(asked) ? Processes.everyMillis / 3 : 0
      )
      return Context.make(LivingProcesses, { living: registry.living }).pipe(
        Context.add(WorkerCapacity, { current: workers }),
        Context.add(ZoneData, { decides: Ref.get(decides) })
      )
    })
  )
