/** Received codes in PostgreSQL. */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { choose, type ReceivedCode, ReceivedCodes } from "../../../core/vault/inbox/ReceivedCodes.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Vault from "../tables/Vault.ts"

export const layer = Layer.effect(
  ReceivedCodes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** All of a kind at an address, the newest first. */
    const arrived = (
      workspaceId: WorkspaceId,
      address: string,
      kind: ReceivedCode["kind"],
      { lock }: { readonly lock: boolean }
    ) =>
      Effect.map(
        sql<Vault.CodeRow>`
          select * from received_codes
          where workspace_id = ${workspaceId} and address = ${address.toLowerCase()} and kind = ${kind}
          order by received_at desc, position desc ${sql.literal(lock ? "for update" : "")}`,
        (rows) => rows.map(Vault.toCode)
      )

    const keep = Effect.fnUntraced(function* (
      codes: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly code: ReceivedCode }>
    ) {
      const [first, ...rest] = codes.map(Vault.codes.encode)
      if (first !== undefined) yield* sql`insert into received_codes ${sql.insert([first, ...rest])}`
    })

    return ReceivedCodes.of({
      keep: Effect.fn("ReceivedCodes.keep")((workspaceId, code) => withoutSqlErrors(keep([{ workspaceId, code }]))),
      keepOnce: Effect.fn("ReceivedCodes.keepOnce")((message, codes) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [first] = yield* sql`
              insert into received_messages ${sql.insert(Vault.messages.encode(message))}
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
        arrived(workspaceId, address, wanted.kind, { lock: false }).pipe(
          Effect.map((all) => Option.fromNullishOr(choose(all, wanted)?.taken)),
          withoutSqlErrors
        )
      ),
      take: Effect.fn("ReceivedCodes.take")((workspaceId, address, wanted) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const chosen = choose(yield* arrived(workspaceId, address, wanted.kind, { lock: true }), wanted)
            if (chosen === null) return Option.none()
            yield* sql`
              delete from received_codes where ${sql.in(
                "id",
                chosen.replaced.map(({ id }) => id)
              )}`
            return Option.some(chosen.taken)
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
