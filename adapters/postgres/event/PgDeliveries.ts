/** Deliveries to webhooks in PostgreSQL. When they are due they are in a queue beside them. */
import { Clock, Duration, Effect, Layer, Logger, Schema } from "effect"
import { PersistedQueue } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { Deliveries, type Filter, type NewDelivery } from "../../../core/event/webhook/Deliveries.ts"
import * as Delivery from "../../../core/event/webhook/Delivery.ts"
import { outage } from "../../../core/runtime/Supervisor.ts"
import { isUuid, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { outageOf, transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Rows from "../tables/Deliveries.ts"

/** The content of the queue: a delivery as it was when it was put in. */
const Ticket = Schema.Struct({ id: Schema.String, turn: Schema.Int })

/** A delivery decides about its own retries; the queue only returns the entries of a dead process. */
const maxTakes = 1_000_000

const deliveries = Layer.effect(
  Deliveries,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const store = yield* PersistedQueue.PersistedQueueStore
    const loggers = yield* loggersOfQueue
    const queue = yield* PersistedQueue.make({ name: "webhooks", schema: Ticket, maxAttempts: maxTakes })

    const enqueue = (id: string, turn: number, delayMillis: number) =>
      Effect.orDie(queue.offer({ id, turn }, { delay: Math.max(0, delayMillis) }))

    const select = sql`
      select d.*, event.at, event.event, event.payload, event.expires_at, runs.workflow_id, runs.options
      from webhook_deliveries d join run_events event using (run_id, sequence) join runs on runs.id = d.run_id`

    const find = (workspaceId: WorkspaceId, id: string) =>
      Effect.gen(function* () {
        const [row] = isUuid(id)
          ? yield* sql<Rows.Row>`${select} where d.id = ${id} and d.workspace_id = ${workspaceId}`
          : []
        return row ?? (yield* new Delivery.DeliveryNotFound({ deliveryId: id }))
      })

    /** Returns whether the last delivery of a line has had its first attempt, so that the next may be due. */
    const isFree = (runId: string, target: string) =>
      sql<Pick<Delivery.State, "attempts" | "status">>`
        select attempts, status from webhook_deliveries where run_id = ${runId} and target = ${target}
        order by sequence desc limit 1 for update`.pipe(
        Effect.map(([last]) => last === undefined || Delivery.isSettledOnce(last))
      )

    const append = (made: ReadonlyArray<NewDelivery>) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const lines = new Set<string>()
        const rows: Array<Rows.CreatedDelivery> = []
        for (const { entry, id, url, webhookId } of made) {
          const target = webhookId ?? entry.runId
          const line = `${entry.runId} ${target}`
          const due = !lines.has(line) && (yield* isFree(entry.runId, target))
          lines.add(line)
          rows.push({
            id,
            workspaceId: entry.workspaceId,
            runId: entry.runId,
            target,
            sequence: entry.sequence,
            url,
            createdAt: now,
            since: now,
            turn: 0,
            ...Delivery.pending(due ? now : null)
          })
        }
        const [first, ...rest] = rows.map(Rows.table.encode)
        if (first === undefined) return
        yield* sql`insert into webhook_deliveries ${sql.insert([first, ...rest])}`
        for (const { id, nextAttemptAt } of rows) if (nextAttemptAt !== null) yield* enqueue(id, 0, 0)
      })

    /**
     * Writes the next state of a delivery, if it was not changed meanwhile, and makes the next delivery of its line
     * due.
     */
    const write = (before: Rows.Row, after: Delivery.Delivery, now: number) =>
      Effect.gen(function* () {
        const turn = before.turn + 1
        const written = yield* sql`
          update webhook_deliveries set ${sql.update(Rows.changes.encode({ ...after, turn }))}
          where id = ${before.id} and turn = ${before.turn} returning id`
        if (written.length === 0) return
        if (after.nextAttemptAt !== null) yield* enqueue(before.id, turn, after.nextAttemptAt - now)
        if (!Delivery.isSettledOnce(after)) return
        const next = yield* sql<{ readonly id: string; readonly turn: number }>`
          update webhook_deliveries set next_attempt_at = ${new Date(now)}, turn = turn + 1
          where id = (
              select id from webhook_deliveries
              where run_id = ${before.run_id} and target = ${before.target} and sequence > ${before.sequence}
              order by sequence limit 1)
            and status = 'pending' and attempts = 0 and next_attempt_at is null
          returning id, turn`
        for (const one of next) yield* enqueue(one.id, one.turn, 0)
      })

    const list = (workspaceId: WorkspaceId, { before, limit, runId, status, webhookId }: Filter) =>
      sql<Rows.Row>`${select} where ${sql.and([
        sql`d.workspace_id = ${workspaceId}`,
        ...(status === undefined ? [] : [sql`d.status = ${status}`]),
        ...(runId === undefined ? [] : [isUuid(runId) ? sql`d.run_id = ${runId}` : sql`false`]),
        // A delivery to the webhook of a run itself has that run as its target, whose id no webhook has.
        ...(webhookId === undefined ? [] : [isUuid(webhookId) ? sql`d.target = ${webhookId}` : sql`false`]),
        ...(before === undefined ? [] : [sql`d.position < ${before}`])
      ])} order by d.position desc limit ${limit}`

    return Deliveries.of({
      append: Effect.fn("Deliveries.append")((made) => transaction(sql, append(made))),
      next: Effect.fn("Deliveries.next")((attempt) =>
        queue
          .take(({ id, turn }) =>
            Effect.gen(function* () {
              const [row] = yield* withoutSqlErrors(sql<Rows.Row>`${select} where d.id = ${id} and d.turn = ${turn}`)
              if (row === undefined || row.status !== "pending") return false
              const after = yield* attempt(Rows.toDelivery(row))
              const now = yield* Clock.currentTimeMillis
              yield* transaction(sql, write(row, after, now))
              return true
            })
          )
          .pipe(
            Effect.repeat({ until: (handedOut) => handedOut }),
            Effect.asVoid,
            Effect.orDie,
            withoutSqlErrors,
            Effect.provideService(Logger.CurrentLoggers, loggers)
          )
      ),
      due: Effect.fn("Deliveries.due")((most) =>
        sql<{ readonly due: bigint }>`
          select count(*) as due from (
            select from webhook_queue where queue_name = 'webhooks' and state = 'pending'
              and visible_at <= current_timestamp and acquired_at is null
            order by visible_at limit ${most}) waiting`.pipe(
          Effect.map(([row]) => Number(row?.due ?? 0)),
          withoutSqlErrors
        )
      ),
      get: Effect.fn("Deliveries.get")((workspaceId, id) =>
        find(workspaceId, id).pipe(Effect.map(Rows.toDelivery), withoutSqlErrors)
      ),
      list: Effect.fn("Deliveries.list")((workspaceId, filter) =>
        list(workspaceId, filter).pipe(
          Effect.map((rows) => rows.map(Rows.toDelivery)),
          withoutSqlErrors
        )
      ),
      ofRun: Effect.fn("Deliveries.ofRun")((workspaceId, runId) =>
        sql<Rows.Row>`${select} where d.run_id = ${runId} and d.workspace_id = ${workspaceId} order by d.position`.pipe(
          Effect.map((rows) => rows.map(Rows.toDelivery)),
          withoutSqlErrors
        )
      ),
      retry: Effect.fn("Deliveries.retry")((workspaceId, id) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const row = yield* find(workspaceId, id)
            const now = yield* Clock.currentTimeMillis
            const after = yield* Effect.fromResult(Delivery.retry(Rows.toDelivery(row), now))
            yield* write(row, after, now)
            return after
          })
        )
      ),
      tidy: store
        .cleanup({ timeToLive: Duration.minutes(1), failedTimeToLive: Duration.days(7) })
        .pipe(Effect.orDie, withoutSqlErrors),
      delivered: Effect.fn("Deliveries.delivered")((workspaceId, id, { durationMillis, responseStatus }) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const row = yield* find(workspaceId, id)
            if (row.status === "delivered") return
            const taken = { status: "delivered", nextAttemptAt: null, durationMillis, responseStatus } as const
            yield* write(
              row,
              { ...Rows.toDelivery(row), ...taken, attempts: row.attempts + 1 },
              yield* Clock.currentTimeMillis
            )
          }).pipe(Effect.catchTag("DeliveryNotFound", () => Effect.void))
        )
      )
    })
  })
)

/**
 * The loggers of the queue. It logs each of its failures with its cause, several times a second while the database is
 * away, in separate fibers and in those of its callers.
 */
const loggersOfQueue = Effect.map(Logger.CurrentLoggers, (loggers): ReadonlySet<Logger.Logger<unknown, unknown>> => {
  const withoutOutages = Logger.make<unknown, void>((entry) => {
    const reason = outageOf(entry.cause)
    if (reason === null) for (const logger of loggers) logger.log(entry)
    else Effect.runSyncWith(entry.fiber.context)(outage(`The queue of deliveries to webhooks waits: ${reason}`))
  })
  return new Set([withoutOutages])
})

export const layer = deliveries.pipe(
  Layer.provide(PersistedQueue.layer),
  Layer.provide(
    Layer.effect(
      PersistedQueue.PersistedQueueStore,
      // It makes its table first, and a defect of a connection that is lost meanwhile.
      withoutSqlErrors(
        PersistedQueue.makeStoreSql({
          tableName: "webhook_queue",
          // For retries, and for deliveries of a process that died: a commit wakes those that wait in its process.
          pollInterval: "2 seconds",
          lockRefreshInterval: "10 seconds",
          lockExpiration: "30 seconds"
        })
      )
    ).pipe(Layer.provide(Layer.effect(Logger.CurrentLoggers, loggersOfQueue)))
  )
)
