/**
 * The channel between watchers and workers, in PostgreSQL: the newest picture of a run in a table without a log,
 * messages and notices of new pictures by NOTIFY.
 */

import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Option, PubSub, Schedule, Schema, Stream } from "effect"
import { type Frame, LiveChannel, type WorkerMessage } from "../../../core/execution/live/LiveChannel.ts"
import { waitUntilBack } from "../../../core/runtime/StoreUnavailable.ts"
import { logFailure, withoutSqlErrors } from "../Transaction.ts"
import * as Table from "../tables/Table.ts"

const channel = "sluice_live"

const column = Table.of<Frame & { readonly runId: string }>()

/** The newest picture of each run that is watched. */
export const frames = Table.make(
  "live_frames",
  {
    run_id: column(Table.uuid<string>(), ({ runId }) => runId),
    at: column(Table.instant, ({ at }) => at),
    bytes: column(Table.bytes, ({ bytes }) => bytes)
  },
  ["run_id"]
)

const frameOf = (row: Table.Row<typeof frames.columns>): Frame => {
  const { at, bytes } = frames.decode(row)
  return { at, bytes }
}

/** The id of a run, and the message to its worker; without a message it is the notice of a new picture. */
const decode = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ run: Schema.String, text: Schema.optionalKey(Schema.String) }))
)

/** The longest wait for a notice of a new picture, in case one is lost. */
const longestWait = "2 seconds"

export const layer = Layer.effect(
  LiveChannel,
  Effect.gen(function* () {
    const pg = yield* PgClient.PgClient
    const shown = yield* PubSub.sliding<string>(1_000)
    const messages = yield* PubSub.sliding<WorkerMessage>(1_000)

    yield* Effect.scoped(
      Effect.gen(function* () {
        const notifications = yield* pg.listen(channel)
        yield* Stream.fromQueue(notifications).pipe(
          Stream.runForEach(({ payload }) => {
            const word = decode(payload)
            if (Option.isNone(word)) return Effect.void
            const { run, text } = word.value
            return text === undefined ? PubSub.publish(shown, run) : PubSub.publish(messages, { runId: run, text })
          })
        )
      })
    ).pipe(
      Effect.tapCause(logFailure("Live view messages are not received; listening again")),
      Effect.ignoreCause,
      Effect.repeat(Schedule.spaced("1 second")),
      Effect.forkScoped
    )

    const notify = (word: object) => pg.notify(channel, JSON.stringify(word))

    const newer = (runId: string, after: number) =>
      pg<Table.Row<typeof frames.columns>>`
        select ${Table.names(pg, frames)} from live_frames where run_id = ${runId} and at > ${new Date(after)}`.pipe(
        Effect.map(([row]) => (row === undefined ? null : frameOf(row))),
        withoutSqlErrors
      )

    const framesOf = Effect.fnUntraced(function* (runId: string) {
      const subscription = yield* PubSub.subscribe(shown)
      const woken = Stream.fromSubscription(subscription).pipe(
        Stream.filter((run) => run === runId),
        Stream.merge(Stream.fromEffectRepeat(Effect.as(Effect.sleep(longestWait), runId))),
        // A slow reader misses pictures, but never the last one.
        Stream.buffer({ capacity: 1, strategy: "sliding" })
      )
      let after = 0
      return Stream.concat(Stream.succeed(runId), woken).pipe(
        Stream.mapEffect(() => waitUntilBack(newer(runId, after))),
        Stream.filter((frame) => frame !== null),
        Stream.tap(({ at }) =>
          Effect.sync(() => {
            after = at
          })
        )
      )
    })

    return LiveChannel.of({
      show: Effect.fnUntraced(function* (runId, frame) {
        yield* pg`
            insert into live_frames ${pg.insert(frames.encode({ ...frame, runId }))}
            on conflict (run_id) do update set at = excluded.at, bytes = excluded.bytes`
        yield* notify({ run: runId })
      }, withoutSqlErrors),
      hide: (runId) => pg`delete from live_frames where run_id = ${runId}`.pipe(Effect.asVoid, withoutSqlErrors),
      frames: (runId) => Stream.unwrap(framesOf(runId)),
      send: (runId, text) => notify({ run: runId, text }).pipe(Effect.asVoid, withoutSqlErrors),
      messages: Effect.map(PubSub.subscribe(messages), Stream.fromSubscription)
    })
  })
)
