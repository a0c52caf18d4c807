/**
 * What `sluice webhook listen` does: prints events of a service, from a receiver on this machine or from the stream.
 */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Clock, Console, Effect, Option, Queue, Redacted, Result, Schedule, Stream } from "effect"
import { HttpClientError } from "effect/http"
import type { Client } from "../../../../api/Client.ts"
import { type ConnectionSettings, connected } from "../../../user/Connection.ts"
import { refused } from "../../../user/Ending.ts"
import type { OutputSettings } from "../../../user/Output.ts"
import * as Secrets from "../../../user/Secrets.ts"
import * as RunsView from "../../../user/view/RunsView.ts"
import { cell } from "../../../user/view/Table.ts"
import { type Delivered, verify } from "./Delivery.ts"

interface Settings extends ConnectionSettings, OutputSettings {
  readonly secret: Option.Option<Redacted.Redacted<string>>
  readonly port: number
  readonly register: boolean
  readonly stream: boolean
  readonly event: ReadonlyArray<string>
  readonly count: Option.Option<number>
}

/** More than the largest delivery. */
const mostBytes = 4 * 1024 * 1024

const bodyOf = async (request: IncomingMessage): Promise<Uint8Array | null> => {
  const pieces: Array<Uint8Array> = []
  let bytes = 0
  for await (const piece of request as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    if (bytes > mostBytes) return null
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

type Arrival = {
  readonly body: Uint8Array
  readonly signature: string | undefined
  readonly answer: (status: number) => void
}

/** A receiver on loopback. It answers a delivery once that was judged. */
const receiver = Effect.fnUntraced(function* (port: number) {
  const arrivals = yield* Queue.unbounded<Arrival>()
  const server = createServer((request, response) => {
    const answer = (status: number) => void response.writeHead(status).end()
    if (request.method !== "POST") return answer(405)
    bodyOf(request).then(
      (body) => {
        if (body === null) return answer(413)
        const header = request.headers["x-hmac-signature"]
        Queue.offerUnsafe(arrivals, { body, signature: Array.isArray(header) ? header[0] : header, answer })
      },
      () => answer(400)
    )
  })
  yield* Effect.acquireRelease(
    Effect.callback<void, ReturnType<typeof refused>>((resume) => {
      server.once("error", (cause) =>
        resume(Effect.fail(refused("failed", `Cannot listen on 127.0.0.1:${port}: ${cause.message}`)))
      )
      server.listen(port, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  return { arrivals, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
})

const print = ({ json }: Settings, message: Delivered & { readonly timestamp?: number }) =>
  Console.log(
    json
      ? JSON.stringify(message)
      : RunsView.step({
          event: message.event,
          payload: message.payload,
          ...(message.timestamp === undefined ? {} : { at: new Date(message.timestamp * 1_000).toISOString() })
        }) + sessionOf(message.payload)
  )

const sessionOf = (payload: unknown): string => {
  const { session_id } = (payload ?? {}) as { readonly session_id?: unknown }
  return typeof session_id === "string" ? `  ${cell(session_id, 40)}` : ""
}

const bounded =
  ({ count }: Settings) =>
  <A, E, R>(stream: Stream.Stream<A, E, R>) =>
    Option.isNone(count) ? stream : Stream.take(stream, count.value)

/** Registers a receiver with the service for as long as the scope is open. Answers the secret of its webhook. */
const registered = (client: Client, url: string, settings: Settings) =>
  Effect.acquireRelease(
    // The service checks the names of events, and says which ones there are.
    client.webhooks.createEndpoint({ payload: { url, event_types_subscribed: settings.event as never } }),
    ({ id }) => Effect.ignore(client.webhooks.removeEndpoint({ params: { webhook_id: id } }))
  ).pipe(Effect.map(({ secret }) => Redacted.make(secret)))

const received = Effect.fnUntraced(function* (settings: Settings) {
  const { arrivals, url } = yield* receiver(settings.port)
  const secret = yield* settings.register
    ? connected(settings, (client) => registered(client, url, settings))
    : Secrets.asked(settings.secret, {
        variable: "SLUICE_WEBHOOK_SECRET",
        prompt: "secret of the webhook",
        pattern: /^[\s\S]{8,1024}$/,
        expected: "8 to 1024 characters"
      })
  yield* Console.error(`Listening on ${url}`)
  const judged = Effect.fnUntraced(function* ({ answer, body, signature }: Arrival) {
    const verdict = verify(body, signature, secret, yield* Clock.currentTimeMillis)
    yield* Effect.sync(() => answer(Result.isSuccess(verdict) ? 204 : 401))
    if (Result.isSuccess(verdict)) return [verdict.success]
    yield* Console.error(`Refused a delivery: ${verdict.failure}`)
    return []
  })
  yield* Stream.fromQueue(arrivals).pipe(
    Stream.mapEffect(judged),
    Stream.flattenIterable,
    Stream.filter(({ event }) => settings.event.length === 0 || settings.event.includes(event)),
    bounded(settings),
    Stream.runForEach((message) => print(settings, message))
  )
}, Effect.scoped)

/** Pauses between attempts to connect. Each event resets them. */
const reconnecting = Schedule.exponential("250 millis").pipe(Schedule.upTo({ times: 8 }))

/** Follows the stream of the workspace. A lost connection is resumed after the last event. */
const streamed = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      let last: string | undefined
      const query = settings.event.length === 0 ? {} : { event: settings.event.join(",") }
      yield* Stream.suspend(() =>
        Stream.unwrap(
          client.events.workspaceEvents({ query, headers: last === undefined ? {} : { "last-event-id": last } })
        )
      ).pipe(
        Stream.concat(Stream.fail("lost" as const)),
        Stream.filter((frame) => frame.event === "run.event"),
        Stream.tap(({ id }) =>
          Effect.sync(() => {
            last = id ?? last
          })
        ),
        Stream.retry(
          reconnecting.pipe(Schedule.while(({ input }) => input === "lost" || HttpClientError.isHttpClientError(input)))
        ),
        bounded(settings),
        Stream.runForEach(({ data }) => print(settings, data.data))
      )
    })
  )

export const listen = (settings: Settings) => (settings.stream ? streamed(settings) : received(settings))
