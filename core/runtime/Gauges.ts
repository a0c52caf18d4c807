/**
 * The gauges of an installation, which the scheduler that leads reads from the database, and those of a process.
 */
import { Effect, Metric } from "effect"

/** The waiting work of an installation. Durations are seconds. */
export interface Backlog {
  /** The number of waiting runs, by the first reason why they cannot start. */
  readonly waiting: ReadonlyMap<string, number>
  /** The longest time that a run has waited only for a worker. */
  readonly startable: number
  readonly running: number
  /** The number of running runs with an expired lease. */
  readonly lost: number
  /** The longest time by which the review of a gate is overdue. */
  readonly reviewOverdue: number
  readonly deliveries: number
  /** The age of the oldest pending delivery. */
  readonly oldestDelivery: number
}

const gauge = (name: string, description: string) => Metric.gauge(name, { description })

const waiting = gauge(
  "sluice_runs_waiting",
  "Runs that wait in the installation, by reason; set by the scheduler that leads"
)
/** The amounts of a backlog, each with its gauge. */
const amounts: ReadonlyArray<readonly [of: (backlog: Backlog) => number, gauge: Metric.Gauge<number>]> = [
  [
    ({ startable }) => startable,
    gauge("sluice_runs_startable_seconds", "Longest time that a run has waited only for a worker")
  ],
  [({ running }) => running, gauge("sluice_runs_running", "Runs in progress in the installation")],
  [({ lost }) => lost, gauge("sluice_leases_expired", "Runs in progress with an expired lease")],
  [
    ({ reviewOverdue }) => reviewOverdue,
    gauge("sluice_gate_review_overdue_seconds", "Longest time by which the review of a gate is overdue")
  ],
  [
    ({ deliveries }) => deliveries,
    gauge("sluice_webhook_deliveries_pending", "Deliveries to webhooks that are not settled")
  ],
  [
    ({ oldestDelivery }) => oldestDelivery,
    gauge("sluice_webhook_oldest_pending_seconds", "Age of the oldest delivery that is not settled")
  ]
]

const unreadRuns = gauge(
  "sluice_retention_unread_runs",
  "Ended runs whose events are kept beyond their days, because webhooks or notifications have not read them"
)
const leads = gauge("sluice_scheduler_leads", "1 for the scheduler that reads the gauges of the installation")
const databaseUp = gauge("sluice_database_up", "1 when the database answers this process")
const databaseWritable = gauge("sluice_database_writable", "1 when the database accepts the writes of this process")
const ready = gauge("sluice_ready", "1 when this process is ready")
const held = gauge("sluice_leases_held", "Leases that this process holds, by kind of work")
const heldOf = new Map<string, Metric.Gauge<number>>()

/** The gauge of the leases of a kind of work. It is made once, as it is set for each lease. */
const leasesOf = (what: string): Metric.Gauge<number> => {
  const made = heldOf.get(what) ?? Metric.withAttributes(held, { what })
  heldOf.set(what, made)
  return made
}

const browsers = gauge("sluice_browsers", "Sessions of browsers that this process has open")
const streams = gauge("sluice_streams_open", "Streams of events that this process serves")
const connections = gauge("sluice_database_pool_connections", "Connections to the database that this process has open")
const waits = gauge(
  "sluice_database_pool_wait_seconds",
  "Age of the oldest statement that the database has not answered"
)

const reasons = ["run_window", "manual_pause", "pace", "credential", "retry", "worker"]

const isOne = (is: boolean): number => (is ? 1 : 0)

/** Sets the gauges of the installation; without a backlog, another process sets them. */
export const setBacklog = (backlog: Backlog | null): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Metric.update(leads, isOne(backlog !== null))
    for (const reason of reasons) {
      yield* Metric.update(Metric.withAttributes(waiting, { reason }), backlog?.waiting.get(reason) ?? 0)
    }
    for (const [amountOf, gauge] of amounts) yield* Metric.update(gauge, backlog === null ? 0 : amountOf(backlog))
    if (backlog === null) yield* Metric.update(unreadRuns, 0)
  })

/** Whether this process is the one that reads the gauges of the installation. */
export const isLeading: Effect.Effect<boolean> = Effect.map(Metric.value(leads), ({ value }) => value === 1)

/**
 * Sets the number of ended runs that the last sweep kept because their events were not read; at most 10,000 per
 * workspace.
 */
export const setUnreadRuns = (count: number): Effect.Effect<void> => Metric.update(unreadRuns, count)

export const setDatabaseUp = (is: boolean): Effect.Effect<void> => Metric.update(databaseUp, isOne(is))

export const setDatabaseWritable = (is: boolean): Effect.Effect<void> => Metric.update(databaseWritable, isOne(is))

export const setReady = (is: boolean): Effect.Effect<void> => Metric.update(ready, isOne(is))

/** Sets the number of leases that this process holds. `what` is a kind of work, such as `runs`. */
export const setLeases = (what: string, count: number): Effect.Effect<void> => Metric.update(leasesOf(what), count)

/** The number of leases of a kind of work and of open browser sessions of this process. */
export const inUse = (what: string): Effect.Effect<{ readonly leases: number; readonly browsers: number }> =>
  Effect.gen(function* () {
    const leases = yield* Metric.value(leasesOf(what))
    const sessions = yield* Metric.value(Metric.withAttributes(browsers, { state: "in_use" }))
    return { leases: leases.value, browsers: sessions.value }
  })

/** Counts an opened (1) or closed (-1) browser session. */
export const browserSessions = (change: 1 | -1): Effect.Effect<void> =>
  Metric.modify(Metric.withAttributes(browsers, { state: "in_use" }), change)

/** Counts an opened (1) or closed (-1) stream. */
export const openStreams = (change: 1 | -1): Effect.Effect<void> => Metric.modify(streams, change)

/** The connections of this process to the database. */
export const setConnections = (open: number, longestWaitMillis: number): Effect.Effect<void> =>
  Effect.andThen(Metric.update(connections, open), Metric.update(waits, longestWaitMillis / 1_000))
