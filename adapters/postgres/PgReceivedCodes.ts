/** Received codes in PostgreSQL. */
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type ReceivedCode, ReceivedCodes } from "../../core/tfa/ReceivedCodes.ts"
import { withoutSqlErrors } from "./Transaction.ts"

interface Row {
  readonly id: string
  readonly address: string
  readonly sealed: string
  readonly received_at: Date
}

export const layer = Layer.effect(
  ReceivedCodes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return ReceivedCodes.of({
      keep: Effect.fn("ReceivedCodes.keep")((workspaceId, code) =>
        withoutSqlErrors(
          Effect.asVoid(
            sql`insert into received_codes ${sql.insert({
              id: code.id,
              workspace_id: workspaceId,
              address: code.address.toLowerCase(),
              sealed: code.sealed,
              received_at: new Date(code.receivedAt)
            })}`
          )
        )
      ),
      latest: Effect.fn("ReceivedCodes.latest")((workspaceId, address, since) =>
        sql<Row>`
          select id, address, sealed, received_at from received_codes
          where workspace_id = ${workspaceId} and address = ${address.toLowerCase()}
            and received_at >= ${new Date(since)}
          order by received_at desc, position desc limit 1`.pipe(
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), toCode)),
          withoutSqlErrors
        )
      ),
      discard: Effect.fn("ReceivedCodes.discard")((workspaceId, id) =>
        isUuid(id)
          ? sql`delete from received_codes where id = ${id} and workspace_id = ${workspaceId} returning id`.pipe(
              Effect.map((rows) => rows.length > 0),
              withoutSqlErrors
            )
          : Effect.succeed(false)
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

const isUuid = Schema.is(Schema.String.check(Schema.isUUID()))

const toCode = ({ address, id, received_at, sealed }: Row): ReceivedCode => ({
  id,
  address,
  sealed,
  receivedAt: received_at.getTime()
})
