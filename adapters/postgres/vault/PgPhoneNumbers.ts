/** The phone numbers of workspaces in PostgreSQL. */
import { Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { PhoneNumberStore, PhoneNumberTaken } from "../../../core/vault/otp/PhoneNumbers.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Table from "../tables/Table.ts"

/** The number of a workspace. */
interface Owned {
  readonly workspaceId: WorkspaceId
  readonly number: string
}

const column = Table.of<Owned>()

export const table = Table.make(
  "phone_numbers",
  {
    workspace_id: column(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    number: column(Table.text, ({ number }) => number)
  },
  ["workspace_id"]
)

type Row = Table.Row<typeof table.columns>

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
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), (owned) => table.decode(owned).number)),
          withoutSqlErrors
        )
      ),
      ownerOf: Effect.fn("PhoneNumberStore.ownerOf")((number) =>
        sql<Row>`select * from phone_numbers where number = ${number}`.pipe(
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), (owned) => table.decode(owned).workspace_id)),
          withoutSqlErrors
        )
      ),
      set: Effect.fn("PhoneNumberStore.set")((workspaceId, number) =>
        (number === null
          ? sql`delete from phone_numbers where workspace_id = ${workspaceId}`
          : sql`
              insert into phone_numbers ${sql.insert(table.encode({ workspaceId, number }))}
              on conflict (workspace_id) do update set number = excluded.number`.pipe(
              Effect.catchTag("SqlError", unlessTaken(number))
            )
        ).pipe(Effect.asVoid, withoutSqlErrors)
      ),
      firstWorkspace: sql<{ readonly id: string }>`
        select id from workspaces order by founding desc, created_at, id limit 1`.pipe(
        Effect.map(([first]) => Option.map(Option.fromUndefinedOr(first), ({ id }) => WorkspaceId.make(id))),
        withoutSqlErrors
      )
    })
  })
)
