/** The phone numbers of workspaces in PostgreSQL. */
import { Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { PhoneNumberStore, PhoneNumberTaken } from "../../../core/vault/otp/PhoneNumbers.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { withoutSqlErrors } from "../Transaction.ts"

interface Row {
  readonly workspace_id: string
  readonly number: string
}

export const layer = Layer.effect(
  PhoneNumberStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const unlessTaken =
      (number: string) =>
      (error: SqlError.SqlError): Effect.Effect<never, PhoneNumberTaken | SqlError.SqlError> =>
        error.reason._tag === "UniqueViolation" ? Effect.fail(new PhoneNumberTaken({ number })) : Effect.fail(error)

    return PhoneNumberStore.of({
      of: Effect.fn("PhoneNumberStore.of")((workspaceId) =>
        sql<Row>`select * from phone_numbers where workspace_id = ${workspaceId}`.pipe(
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), ({ number }) => number)),
          withoutSqlErrors
        )
      ),
      ownerOf: Effect.fn("PhoneNumberStore.ownerOf")((number) =>
        sql<Row>`select * from phone_numbers where number = ${number}`.pipe(
          Effect.map(([row]) =>
            Option.map(Option.fromUndefinedOr(row), ({ workspace_id }) => WorkspaceId.make(workspace_id))
          ),
          withoutSqlErrors
        )
      ),
      set: Effect.fn("PhoneNumberStore.set")((workspaceId, number) =>
        (number === null
          ? sql`delete from phone_numbers where workspace_id = ${workspaceId}`
          : sql`
              insert into phone_numbers ${sql.insert({ workspace_id: workspaceId, number })}
              on conflict (workspace_id) do update set number = excluded.number`.pipe(
              Effect.catchTag("SqlError", unlessTaken(number))
            )
        ).pipe(Effect.asVoid, withoutSqlErrors)
      ),
      onlyWorkspace: sql<{ readonly id: string }>`select id from workspaces limit 2`.pipe(
        Effect.map(([first, other]) =>
          first === undefined || other !== undefined ? Option.none() : Option.some(WorkspaceId.make(first.id))
        ),
        withoutSqlErrors
      )
    })
  })
)
