/** Received codes in PostgreSQL. */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { type CodeQuery, type ReceivedCode, ReceivedCodes } from "../../../core/vault/inbox/ReceivedCodes.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"

interface Row {
  readonly id: string
  readonly kind: ReceivedCode["kind"]
  readonly address: string
  readonly sealed: string
  readonly received_at: Date
  readonly authentication: string | null
  readonly position: bigint
}

export const layer = Layer.effect(
  ReceivedCodes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const newest = (
      workspaceId: WorkspaceId,
      address: string,
      { kind, since }: CodeQuery,
      { lock }: { readonly lock: boolean }
    ) =>
      Effect.map(
        sql<Row>`
          select id, kind, address, sealed, received_at, authentication, position from received_codes
          where workspace_id = ${workspaceId} and address = ${address.toLowerCase()} and kind = ${kind}
            and received_at >= ${new Date(since)}
          order by received_at desc, position desc limit 1 ${sql.literal(lock ? "for update" : "")}`,
        ([row]) => row
      )

    const keep = Effect.fnUntraced(function* (
      codes: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly code: ReceivedCode }>
    ) {
      const [first, ...rest] = codes.map(({ code, workspaceId }) => ({
        id: code.id,
        kind: code.kind,
        workspace_id: workspaceId,
        address: code.address.toLowerCase(),
        sealed: code.sealed,
        received_at: new Date(code.receivedAt),
        authentication: code.authentication ?? null
      }))
      if (first !== undefined) yield* sql`insert into received_codes ${sql.insert([first, ...rest])}`
    })

    return ReceivedCodes.of({
      keep: Effect.fn("ReceivedCodes.keep")((workspaceId, code) => withoutSqlErrors(keep([{ workspaceId, code }]))),
      keepOnce: Effect.fn("ReceivedCodes.keepOnce")(({ id, until }, codes) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [first] = yield* sql`
              insert into received_messages ${sql.insert({ id, remember_until: new Date(until) })}
              on conflict (id) do nothing returning id`
            if (first === undefined) return false
            yield* keep(codes)
            return true
          })
        )
      ),
      forgetMessages: Effect.fn("ReceivedCodes.forgetMessages")(({ most, now }) =>
        sql`
          delete from received_messages
          where remember_until < ${new Date(now)}
            or id in (select id from received_messages order by remember_until desc offset ${most})
          returning id`.pipe(
          Effect.map((rows) => rows.length),
          withoutSqlErrors
        )
      ),
      latest: Effect.fn("ReceivedCodes.latest")((workspaceId, address, wanted) =>
        newest(workspaceId, address, wanted, { lock: false }).pipe(
          Effect.map((row) => Option.map(Option.fromUndefinedOr(row), toCode)),
          withoutSqlErrors
        )
      ),
      take: Effect.fn("ReceivedCodes.take")((workspaceId, address, wanted) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const row = yield* newest(workspaceId, address, wanted, { lock: true })
            if (row === undefined) return Option.none()
            yield* sql`
              delete from received_codes
              where workspace_id = ${workspaceId} and address = ${row.address} and kind = ${row.kind}
                and (received_at, position) <= (${row.received_at}, ${row.position})`
            return Option.some(toCode(row))
          })
        )
      ),
      discardBefore: Effect.fn("ReceivedCodes.discardBefore")((at) =>
        sql`delete from received_codes where received_at < ${new Date(at)} returning id`.pipe(
          Effect.map((rows) => rows.length),
          withoutSqlErrors
        )
      )
    })
  })
)

const toCode = ({ address, authentication, id, kind, received_at, sealed }: Row): ReceivedCode => ({
  id,
  kind,
  address,
  sealed,
  receivedAt: received_at.getTime(),
  ...(authentication === null ? {} : { authentication })
})
