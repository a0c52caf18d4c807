/**
 * The calls of models and what they cost, in PostgreSQL.
 *
 * What changes the day of a workspace does so under the lock of its row in `model_days`, so that calls of all processes are
 * decided one after the other.
 */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Spending from "../../../core/agent/spending/ModelSpending.ts"
import * as Ledger from "../../../core/agent/spending/SpendLedger.ts"
import { WorkflowId, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Tables from "../tables/ModelSpending.ts"
import type * as Table from "../tables/Table.ts"

type DayRow = Table.Row<typeof Tables.days.columns>
type CallRow = Table.Row<typeof Tables.ledger.columns>
type TermsRow = Table.Row<typeof Tables.terms.columns>

export const layer = Layer.effect(
  Ledger.SpendLedger,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const termsOf = (workspaceId: WorkspaceId) =>
      Effect.map(sql<TermsRow>`select * from model_terms where workspace_id = ${workspaceId}`, ([row]) =>
        row === undefined ? Spending.noTerms : Tables.terms.decode(row).body
      )

    /** The days of the workspace and of a workflow, locked: the one of the workspace first. */
    const lock = Effect.fnUntraced(function* (workspaceId: WorkspaceId, workflowId: string, date: string) {
      const empty = (scope: string) => Tables.days.encode({ workspaceId, scope, date, ...Spending.newDay })
      yield* sql`insert into model_days ${sql.insert([empty(workspaceId), empty(workflowId)])} on conflict do nothing`
      const rows = yield* sql<DayRow>`
        select * from model_days
        where workspace_id = ${workspaceId} and day = ${date} and ${sql.in("scope", [workspaceId, workflowId])}
        order by scope <> workspace_id for no key update`
      const days = new Map(rows.map(Tables.days.decode).map(({ open, scope, spent }) => [scope, { open, spent }]))
      return {
        workspace: days.get(workspaceId) ?? Spending.newDay,
        workflow: days.get(workflowId) ?? Spending.newDay
      }
    })

    /** Changes both days of a call, which are locked. */
    const change = Effect.fnUntraced(function* (
      workspaceId: WorkspaceId,
      { at, workflowId }: Ledger.ModelCall,
      days: Spending.Days,
      next: (day: Spending.Day) => Spending.Day
    ) {
      const date = Spending.dayOf(at)
      for (const [scope, day] of [
        [workspaceId, days.workspace],
        [workflowId, days.workflow]
      ] as const) {
        const { open, spent } = Tables.days.encode({ workspaceId, scope, date, ...next(day) })
        yield* sql`update model_days set spent = ${spent}, open = ${open}
          where workspace_id = ${workspaceId} and day = ${date} and scope = ${scope}`
      }
    })

    /** Ends an open call. Its row is locked by its update, so that it ends once. */
    const end = Effect.fnUntraced(function* (workspaceId: WorkspaceId, row: CallRow, used: Spending.Tokens | null) {
      const { body: before, day } = Tables.ledger.decode(row)
      const days = yield* lock(workspaceId, before.workflowId, day)
      const call = Ledger.over(before, used, yield* termsOf(workspaceId))
      const { body } = Tables.ledger.encode({ workspaceId, call, date: day, lostAt: null })
      const ended = yield* sql`
        update model_ledger set body = ${body}, lost_at = null
        where id = ${before.id} and lost_at is not null returning id`
      if (ended.length === 0) return
      const settled = (one: Spending.Day) => Spending.settled(one, Ledger.amounts(before), Ledger.amounts(call))
      yield* change(workspaceId, before, days, settled)
    })

    const reserve = Effect.fnUntraced(function* (reservation: Ledger.Reservation) {
      const { id, lostAfterMillis, workflowId, workspaceId } = reservation
      const at = yield* Clock.currentTimeMillis
      const date = Spending.dayOf(at)
      const before = yield* lock(workspaceId, workflowId, date)
      // What became of the request before this one is not always known.
      const again = yield* sql`select id from model_ledger where id = ${id}`
      if (again.length > 0) return { _tag: "Spend" as const }
      const lost = yield* sql<CallRow>`
        select * from model_ledger where workspace_id = ${workspaceId} and lost_at <= ${new Date(at)}
        order by position limit 100`
      for (const row of lost) yield* end(workspaceId, row, null)
      const days = lost.length === 0 ? before : yield* lock(workspaceId, workflowId, date)
      const terms = yield* termsOf(workspaceId)
      const verdict = Spending.verdict(terms, reservation, days)
      if (verdict._tag !== "Spend") return verdict
      const call = Ledger.opened(reservation, terms, at)
      const entry = Tables.ledger.encode({ workspaceId, call, date, lostAt: at + lostAfterMillis })
      yield* sql`insert into model_ledger ${sql.insert(entry)}`
      yield* change(workspaceId, call, days, (day) => Spending.opened(day, Ledger.amounts(call)))
      return verdict
    })

    return Ledger.SpendLedger.of({
      terms: Effect.fn("SpendLedger.terms")((workspaceId) => withoutSqlErrors(termsOf(workspaceId))),
      setTerms: Effect.fn("SpendLedger.setTerms")((workspaceId, terms) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const { body } = Tables.terms.encode({ workspaceId, terms })
            const before = yield* termsOf(workspaceId)
            yield* sql`insert into model_terms ${sql.insert({ workspace_id: workspaceId, body })}
              on conflict (workspace_id) do update set ${sql.update({ body })}`
            return before
          })
        )
      ),
      reserve: Effect.fn("SpendLedger.reserve")((reservation) => transaction(sql, reserve(reservation))),
      settle: Effect.fn("SpendLedger.settle")((workspaceId, id, used) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] = yield* sql<CallRow>`
              select * from model_ledger
              where id = ${id} and workspace_id = ${workspaceId} and lost_at is not null`
            if (row !== undefined) yield* end(workspaceId, row, used)
          })
        )
      ),
      spending: Effect.fn("SpendLedger.spending")((workspaceId, day) =>
        sql<DayRow>`
          select * from model_days where workspace_id = ${workspaceId} and day = ${day} order by scope`.pipe(
          Effect.map((rows) => {
            const days = rows.map(Tables.days.decode).map(({ open, scope, spent }) => ({ scope, day: { open, spent } }))
            return {
              workspace: days.find(({ scope }) => scope === workspaceId)?.day ?? Spending.newDay,
              workflows: days.flatMap(({ day, scope }) =>
                scope === workspaceId ? [] : [{ workflowId: WorkflowId.make(scope), day }]
              )
            }
          }),
          withoutSqlErrors
        )
      ),
      calls: Effect.fn("SpendLedger.calls")((workspaceId, { before, runId, workflowId }) =>
        sql<CallRow>`
          select * from model_ledger
          where workspace_id = ${workspaceId}
            and ${runId === undefined ? sql`true` : sql`run_id = ${runId}`}
            and ${workflowId === undefined ? sql`true` : sql`workflow_id = ${workflowId}`}
            and ${before === undefined ? sql`true` : sql`position < (select position from model_ledger where id = ${before})`}
          order by position desc limit ${Ledger.mostListed}`.pipe(
          Effect.map((rows) => rows.map((row) => Tables.ledger.decode(row).body)),
          withoutSqlErrors
        )
      )
    })
  })
)
