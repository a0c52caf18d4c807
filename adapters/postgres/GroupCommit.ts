/**
 * Group commit: operations of different fibers that come at the same time are carried out in one statement, and each
 * gets its own answer.
 */
import { Effect, Option, Request, RequestResolver, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"

export interface Options<Input, A, R> {
  /** The maximum number of members of a group. */
  readonly most: number
  /** The maximum number of groups in progress at once. While they are in progress, the next members gather. */
  readonly groups: number
  /**
   * Carries out a group, and answers each member at its position. `none` sends the member back to be carried out alone,
   * as does a failure for all of them: nothing of a group that failed may be in effect.
   */
  readonly all: (inputs: ReadonlyArray<Input>) => Effect.Effect<ReadonlyArray<Option.Option<A>>, unknown, R>
}

/**
 * Batches concurrent operations. Members are collected for one turn of the scheduler, and longer while the maximum
 * number of groups is in progress. `none` says that a member is to be carried out alone; the error of a failed group
 * appears again with the member that caused it. In a transaction of the caller every member is alone.
 */
export const make = <Input, A>(
  sql: SqlClient.SqlClient,
  { all, groups, most }: Options<Input, A, never>
): ((input: Input) => Effect.Effect<Option.Option<A>>) => {
  interface Member extends Request.Request<Option.Option<A>> {
    readonly input: Input
  }
  const Member = Request.of<Member>()
  const underWay = Semaphore.makeUnsafe(groups)
  const resolver = RequestResolver.make<Member>((entries) =>
    all(entries.map(({ request }) => request.input)).pipe(
      Effect.catchCause(() => Effect.succeed([])),
      Effect.flatMap((answers: ReadonlyArray<Option.Option<A>>) =>
        Effect.forEach(entries, (entry, position) => Request.succeed(entry, answers[position] ?? Option.none()), {
          discard: true
        })
      ),
      underWay.withPermit
    )
  ).pipe(
    RequestResolver.setDelayEffect(Effect.andThen(Effect.yieldNow, underWay.withPermit(Effect.void))),
    RequestResolver.batchN(most)
  )
  return (input) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) =>
      Option.isSome(transaction) ? Effect.succeedNone : Effect.request(Member({ input }), resolver)
    )
}
