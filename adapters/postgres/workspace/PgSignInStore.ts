/**
 * Sign-ins to the console in PostgreSQL. A found sign-in is cached for a second, so signing out takes effect
 * immediately in the same process, and within a second in others.
 */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { SignInStore, type StoredSignIn } from "../../../core/workspace/signin/SignInStore.ts"
import * as Recent from "../Recent.ts"
import { nowAndAfterwards, transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Rows from "../tables/Workspaces.ts"

export const layer = Layer.effect(
  SignInStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const known = yield* Recent.make((hash) =>
      sql<Rows.SignInRow>`select * from sign_ins where hash = ${hash}`.pipe(
        Effect.map(([row]) => (row === undefined ? undefined : Rows.toSignIn(row))),
        withoutSqlErrors
      )
    )
    const add = (signIn: StoredSignIn) =>
      Effect.andThen(
        sql`delete from sign_ins where expires_at <= ${new Date(signIn.createdAt)}`,
        sql`insert into sign_ins ${sql.insert(Rows.signIns.encode(signIn))}`
      ).pipe(Effect.asVoid)
    return SignInStore.of({
      add: Effect.fn("SignInStore.add")((signIn) => withoutSqlErrors(add(signIn))),
      addLink: Effect.fn("SignInStore.addLink")((link, judge) =>
        transaction(
          sql,
          Effect.gen(function* () {
            yield* sql`select id from workspaces where id = ${link.workspaceId} for no key update`
            const rows = yield* sql<Rows.SignInRow>`
              select * from sign_ins
              where workspace_id = ${link.workspaceId} and kind = 'link' and expires_at > ${new Date(link.createdAt)}
              order by created_at`
            yield* Effect.fromResult(judge(rows.map(Rows.toSignIn)))
            yield* add(link)
          })
        )
      ),
      get: (hash) => Effect.map(known.get(hash), Option.fromUndefinedOr),
      sessions: Effect.fn("SignInStore.sessions")((workspaceId) =>
        sql<Rows.SignInRow>`
          select * from sign_ins where workspace_id = ${workspaceId} and kind = 'session'
          order by created_at desc`.pipe(
          Effect.map((rows) => rows.map(Rows.toSignIn)),
          withoutSqlErrors
        )
      ),
      remove: Effect.fn("SignInStore.remove")((hash) =>
        sql<Rows.SignInRow>`delete from sign_ins where hash = ${hash} returning *`.pipe(
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), Rows.toSignIn)),
          withoutSqlErrors,
          Effect.ensuring(nowAndAfterwards(known.forget))
        )
      )
    })
  })
)
