/**
 * Signals by NOTIFY, between all processes that share a database.
 *
 * A signal is sent after the transaction that it announces, not in it: a NOTIFY in a transaction makes its commit wait
 * for all other transactions that notify. Equal signals within a few milliseconds are sent once.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, PubSub, Queue, Schedule, Schema, Stream } from "effect"
import { type Signal, Signals } from "../../core/runtime/Signals.ts"
import { logFailure } from "./Transaction.ts"

const channel = "sluice"
const together = "3 millis"

const plain = ["work", "due", "events", "received", "canary"] as const

/** The signals that say nothing but their kind, by their text: most signals are such. */
const plainOf = new Map<string, Signal>(plain.map((_tag) => [JSON.stringify({ _tag }), { _tag }]))

const decode = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Union([
      Schema.Struct({ _tag: Schema.Literals(plain) }),
      Schema.Struct({ _tag: Schema.Literal("announced"), runId: Schema.String, clientId: Schema.String }),
      Schema.Struct({ _tag: Schema.Literals(["ended", "answered", "watched", "controlled"]), runId: Schema.String }),
      Schema.Struct({ _tag: Schema.Literal("builder"), conversationId: Schema.String }),
      Schema.Struct({ _tag: Schema.Literal("changed"), workspaceId: Schema.String, kind: Schema.String })
    ])
  )
)

export const layer = Layer.effect(
  Signals,
  Effect.gen(function* () {
    const pg = yield* PgClient.PgClient
    const received = yield* PubSub.unbounded<Signal>()
    const outbox = new Set<string>()
    const toSend = yield* Queue.sliding<void>(1)

    const send = Effect.gen(function* () {
      yield* Queue.take(toSend)
      const payloads = [...outbox]
      outbox.clear()
      // A signal need not survive a crash: its commit does not wait for the disk.
      yield* pg`
        select pg_notify(${channel}, payload), set_config('synchronous_commit', 'off', true)
        from json_array_elements_text(${JSON.stringify(payloads)}::json) payload`
      yield* Effect.sleep(together)
    }).pipe(
      Effect.catchCause(logFailure("A signal could not be sent; receivers find the change at their next poll")),
      Effect.forever
    )

    // A listener that reconnects may have missed signals, so make it look at the store.
    const listen = Effect.scoped(
      Effect.gen(function* () {
        const notifications = yield* pg.listen(channel)
        yield* PubSub.publishAll(received, [{ _tag: "work" }, { _tag: "due" }, { _tag: "events" }] as const)
        yield* Stream.fromQueue(notifications).pipe(
          Stream.runForEach((notification) => {
            const known = plainOf.get(notification.payload)
            if (known !== undefined) return PubSub.publish(received, known)
            const signal = decode(notification.payload)
            // Ids have brands within the process only.
            return signal._tag === "None" ? Effect.void : PubSub.publish(received, signal.value as Signal)
          })
        )
      })
    ).pipe(
      Effect.tapCause(logFailure("Signals are not received; listening again")),
      Effect.ignoreCause,
      Effect.repeat(Schedule.spaced("1 second"))
    )

    yield* Effect.forkScoped(send)
    yield* Effect.forkScoped(listen)
    return Signals.of({
      publish: (signal) =>
        pg.afterCommit(
          Effect.suspend(() => {
            outbox.add(JSON.stringify(signal))
            return Queue.offer(toSend, undefined)
          }).pipe(Effect.asVoid)
        ),
      subscribe: Effect.map(PubSub.subscribe(received), Stream.fromSubscription)
    })
  })
)
