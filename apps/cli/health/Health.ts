/**
 * The health of a process, and the port on which the machine asks for it. The port is open from before the database is
 * opened until the work of the process has ended.
 */
import { Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { Probe } from "../../../adapters/postgres/server/Probe.ts"
import { Startup } from "../../../adapters/postgres/server/Startup.ts"
import { WriteProbe } from "../../../adapters/postgres/server/WriteProbe.ts"
import * as ClockSkew from "../../../core/runtime/ClockSkew.ts"
import * as Gauges from "../../../core/runtime/Gauges.ts"
import { Supervisor } from "../../../core/runtime/Supervisor.ts"
import * as Zone from "../../../core/window/calendar/Zone.ts"
import { version } from "../Version.ts"

export interface HealthSettings {
  readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
  readonly healthPort: Option.Option<number>
  readonly healthHost: string
}

/** The reasons why a process is not ready; empty when it is. */
type Reasons = Effect.Effect<ReadonlyArray<string>>

/** The state that the health port reports. */
export class Health extends Context.Service<
  Health,
  {
    readonly reasons: Reasons
    /** The lead of the clock of this machine over that of the database, in milliseconds; 0 before it is measured. */
    readonly skew: Effect.Effect<number>
    /** Replaces the effect that decides whether the process is ready. */
    readonly decide: (reasons: Reasons) => Effect.Effect<void>
    readonly measuredBy: (skew: Effect.Effect<number>) => Effect.Effect<void>
    /** Whether all parts of the process are at work: they have started, and are not asked to end. */
    readonly isAtWork: Effect.Effect<boolean>
    readonly setAtWork: (is: boolean) => Effect.Effect<void>
  }
>()("sluice/apps/cli/health/Health") {}

/** Raised when the health port cannot be opened. */
export class NoHealthPort extends Schema.TaggedError<NoHealthPort>()("NoHealthPort", {
  port: Schema.Int,
  host: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot answer on the health port ${this.host}:${this.port} (SLUICE_HEALTH_HOST, SLUICE_HEALTH_PORT): ${this.reason}`
  }
}

/** The state, and the steps of the start as those who take them name them. */
const makeState = () => {
  const steps: Array<string> = []
  const starting = () =>
    steps.length === 0 ? "This process is starting" : `This process is starting: ${steps.join(", and ")}`
  let reasons: Reasons = Effect.sync(() => [starting()])
  let skew = Effect.succeed(0)
  let atWork = false
  const health = Health.of({
    reasons: Effect.suspend(() => reasons),
    skew: Effect.suspend(() => skew),
    isAtWork: Effect.sync(() => atWork),
    setAtWork: (is) =>
      Effect.sync(() => {
        atWork = is
      }),
    measuredBy: (next) =>
      Effect.sync(() => {
        skew = next
      }),
    decide: (next) =>
      Effect.sync(() => {
        reasons = next
      })
  })
  const startup: Startup = {
    begin: (step) =>
      Effect.sync(() => {
        steps.push(step)
        return Effect.sync(() => void steps.splice(steps.indexOf(step), 1))
      })
  }
  return Context.make(Health, health).pipe(Context.add(Startup, startup))
}

const state = Layer.effectContext(Effect.sync(makeState))

/** The versions that decide how processes of one installation get along. */
const versions = Effect.map(
  Effect.promise(() => import("../../../adapters/postgres/Migrations.ts")),
  ({ newest }) => ({ version, node: process.versions.node, tz_data: Zone.dataVersion, migration: newest })
)

/** The health of this process, on the port where one is set. */
export const layer = ({ healthHost: host, healthPort }: HealthSettings): Layer.Layer<Health, NoHealthPort> => {
  if (Option.isNone(healthPort)) return state
  const port = healthPort.value
  const served = Layer.unwrap(
    Effect.gen(function* () {
      // Loaded only if a port is set.
      const { serve } = yield* Effect.promise(() => import("./HealthServer.ts"))
      return Layer.effectDiscard(
        Effect.gen(function* () {
          const { reasons, skew } = yield* Health
          yield* serve({ host, port, reasons, skew, versions: yield* versions })
        }).pipe(Effect.mapError(({ reason }) => new NoHealthPort({ host, port, reason })))
      )
    })
  )
  return Layer.provideMerge(served, state)
}

/**
 * The problems of the database and the loops of a process. The work decides: a database that accepts its writes is there,
 * whatever else fails. Only where all connections are at work, another one says whether the database answers.
 */
const impediments = Effect.gen(function* () {
  const { isSilent } = yield* Probe
  const writing = yield* WriteProbe
  const { unhealthy } = yield* Supervisor
  return Effect.gen(function* () {
    const [writes, silent] = yield* Effect.all([writing.ask, isSilent], { concurrency: 2 })
    const answers = writes._tag === "Accepted" || !silent
    const refusal = answers && writes._tag === "Refused" ? writes.reason : null
    yield* Gauges.setDatabaseUp(answers)
    yield* Gauges.setDatabaseWritable(answers && refusal === null)
    return [
      ...(answers ? [] : ["The database does not answer"]),
      ...(refusal === null ? [] : [`The database accepts no writes: ${refusal}`]),
      ...(yield* unhealthy).map((loop) => `A loop of this process fails because of internal errors: ${loop}`)
    ]
  })
})

/**
 * The reasons why a process does not serve its HTTP interface. A large clock skew is not one: it only prevents claiming
 * work.
 */
export const reasonsNotToServe = Effect.gen(function* () {
  const { isAtWork, reasons } = yield* Health
  const found = yield* impediments
  return Effect.flatMap(isAtWork, (is) => (is ? found : reasons))
})

const inWords = (skew: number): string => `${Math.abs(skew)} ms ${skew > 0 ? "ahead of" : "behind"}`

/** Built on the work of a process: after that its parts decide whether it is ready, until its shutdown begins. */
export const checks = Layer.effectDiscard(
  Effect.gen(function* () {
    const { decide, measuredBy, setAtWork } = yield* Health
    const found = yield* impediments
    const { millis } = yield* ClockSkew.ClockSkew
    yield* measuredBy(millis)
    yield* decide(
      Effect.gen(function* () {
        const skew = yield* millis
        return [
          ...(yield* found),
          ...(Math.abs(skew) > ClockSkew.claimsUpTo
            ? [`The clock of this machine is ${inWords(skew)} that of the database: no work is claimed`]
            : [])
        ]
      })
    )
    yield* setAtWork(true)
    yield* Effect.addFinalizer(() => setAtWork(false))
    yield* Effect.addFinalizer(() => decide(Effect.succeed(["This process is shutting down"])))
  })
)
