/**
 * A typed client of the interface for Effect programs, made from the same description as the server.
 *
 * It has every operation by group and name, with the types of its request, answer and errors. Importing it imports no
 * part of the server.
 *
 * **Example** (Running a workflow and following its events)
 *
 * ```ts
 * import { Effect, Redacted, Stream } from "effect"
 * import { FetchHttpClient } from "effect/http"
 * import * as Client from "@sluice/client"
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* Client.make({ baseUrl: "http://127.0.0.1:8787", key: Redacted.make("sk_...") })
 *   const { session_id } = yield* client.runs.start({ payload: { workflow_id: "..." } })
 *   yield* Client.events(client, session_id).pipe(Stream.runForEach(({ event }) => Effect.log(event)))
 *   return yield* client.runs.record({ params: { session_id } })
 * }).pipe(Effect.provide(FetchHttpClient.layer))
 * ```
 */
import { Effect, Redacted, Schedule, Schema, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import {
  type HttpApi,
  HttpApiClient,
  type HttpApiEndpoint,
  type HttpApiGroup,
  HttpApiMiddleware
} from "effect/http-api"
import type { Message } from "../../core/event/EventMessage.ts"
import { Api } from "./Api.ts"
import { Authorization } from "./http/Authorization.ts"

export type { Message } from "../../core/event/EventMessage.ts"
export type { StoreUnavailable } from "../../core/runtime/StoreUnavailable.ts"
export type { Api } from "./Api.ts"
export type { Named } from "./http/Errors.ts"

export type { WorkflowNode, WorkflowNodeOf, WorkflowToSave } from "./workflow/WorkflowBody.ts"

/**
 * Every operation as a method that sends its request.
 *
 * **Details**
 *
 * A refused request fails with the answer, named by its `_tag`: `BadRequest`, `Unauthorized`, `Forbidden`, `NotFound`,
 * `Conflict`, `PreconditionFailed`, `PayloadTooLarge`, `UnsupportedMediaType`, `UnprocessableEntity`, `TooManyRequests`,
 * `InternalServerError`, `StoreUnavailable`, and `InvalidAuthentication`, `ConversationGone` or `ServiceUnavailable` for some endpoints of credentials and
 * conversations. Each has a `message`, and `BadRequest` each problem at its path in `errors`. Without an answer, an
 * operation fails with `HttpClientError`; for an answer outside of the interface, with `SchemaError`.
 *
 * **Example** (Handling errors by their kind)
 *
 * ```ts
 * import { Effect } from "effect"
 * import type * as Client from "@sluice/client"
 *
 * export const recordOf = (client: Client.Client, session_id: string) =>
 *   client.runs.record({ params: { session_id } }).pipe(
 *     Effect.catchTag("NotFound", () => Effect.succeed(null)),
 *     Effect.catchTag("TooManyRequests", ({ retryAfterSeconds }) => Effect.delay(
 *       client.runs.record({ params: { session_id } }), `${retryAfterSeconds} seconds`))
 *   )
 * ```
 */
export type Client = {
  readonly [Group in Groups as Group["identifier"]]: {
    readonly [Name in keyof Endpoints<Group>]: Operation<Endpoints<Group>[Name]>
  }
}

type Groups = typeof Api extends HttpApi.HttpApi<infer _Id, infer Found> ? Found : never

type Endpoints<Group extends HttpApiGroup.Constraint> = Group["endpoints"] extends infer All extends Readonly<
  Record<string, HttpApiEndpoint.ConstraintRequest>
>
  ? All
  : never

/** The names of the errors of an operation. */
type Failure =
  | "BadRequest"
  | "Conflict"
  | "ConversationGone"
  | "Forbidden"
  | "HttpClientError"
  | "InternalServerError"
  | "InvalidAuthentication"
  | "NotFound"
  | "PayloadTooLarge"
  | "PreconditionFailed"
  | "SchemaError"
  | "ServiceUnavailable"
  | "StoreUnavailable"
  | "TooManyRequests"
  | "Unauthorized"
  | "UnprocessableEntity"
  | "UnsupportedMediaType"

/** The description also includes the errors of handlers. A client has only their answers. */
type Answering<Call> =
  Call extends Effect.Effect<infer Success, infer Error, infer Needs>
    ? Effect.Effect<Success, Extract<Error, { readonly _tag: Failure }>, Needs>
    : never

type Operation<Endpoint extends HttpApiEndpoint.ConstraintRequest> = <
  Mode extends HttpApiClient.Client.ResponseMode = "decoded-only"
>(
  request: HttpApiEndpoint.ClientRequest<
    Endpoint["~Params"],
    Endpoint["~Query"],
    Endpoint["~Payload"],
    Endpoint["~Headers"],
    Mode
  >
) => Answering<HttpApiClient.Client.MethodReturn<Endpoint, never, never, Mode, never>>

export interface Options {
  /** The address of the service, such as `http://127.0.0.1:8787`. */
  readonly baseUrl: string | URL
  /**
   * An API key of the workspace that the client works in. Not needed in pages of the service: their browser sends the
   * session cookie.
   */
  readonly key?: Redacted.Redacted<string>
}

/**
 * Makes a client. It sends its requests with the `HttpClient` in the context. Each operation is made at its first call:
 * a program calls few of them.
 */
export const make = ({ baseUrl, key }: Options): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const httpClient = yield* HttpClient.HttpClient
    const services = yield* Effect.context<HttpApiMiddleware.ForClient<Authorization>>()
    const operation = (group: Groups["identifier"], endpoint: never) => {
      let made: ((request: never) => unknown) | undefined
      return (request: never) => {
        made ??= Effect.runSyncWith(services)(HttpApiClient.endpoint(Api, { group, endpoint, baseUrl, httpClient }))
        return made(request)
      }
    }
    const groups = Object.values(Api.groups).map(({ endpoints, identifier }) => [
      identifier,
      Object.fromEntries(Object.keys(endpoints).map((name) => [name, operation(identifier, name as never)]))
    ])
    // It has the groups and operations of its type. Every error that is decoded has the name of an answer.
    return Object.fromEntries(groups) as Client
  }).pipe(
    Effect.provide(
      HttpApiMiddleware.layerClient(Authorization, ({ next, request }) =>
        next(key === undefined ? request : HttpClientRequest.setHeader(request, "cc-key", Redacted.value(key)))
      )
    )
  )

/** The reason of a failed operation as a sentence: the message of the answer, or why there is no answer. */
export const reasonOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error)

/** An event of a run. `id` is its position in the stream of that run. */
export type RunMessage = Message & { readonly id: string }

/** Raised when the connection for the events of a running run is lost repeatedly. */
export class StreamLost extends Schema.TaggedError<StreamLost>()("StreamLost", {
  sessionId: Schema.String,
  after: Schema.String
}) {
  override get message() {
    return `Cannot follow run "${this.sessionId}" beyond its event ${this.after}: the connection was lost repeatedly`
  }
}

const last: ReadonlySet<string> = new Set(["execution.success", "execution.failed", "execution.stopped"])

/** Pauses between connection attempts: 250 ms, doubled each time, one minute in total. Each event resets them. */
const reconnecting = Schedule.exponential("250 millis").pipe(Schedule.upTo({ times: 8 }))

/**
 * The events of a run as they happen, after the event `after`, or all of them by default. Ends with the event that ends
 * the run, or immediately for an ended run without further events.
 *
 * **Details**
 *
 * A lost connection is resumed after the last event, so each event arrives exactly once.
 */
export const events = (client: Client, sessionId: string, options: { readonly after?: string } = {}) =>
  Stream.suspend(() => {
    const params = { session_id: sessionId }
    let after = options.after ?? "0"
    let hasEvents = false
    const connection = Effect.suspend(() => {
      hasEvents = false
      return client.events.runEvents({ params, headers: { "last-event-id": after } })
    }).pipe(Stream.unwrap)
    const lost = Stream.suspend(() => Stream.fail(new StreamLost({ sessionId, after })))
    const isOver = Effect.map(client.runs.record({ params }), ({ status }) => !hasEvents && last.has(status))
    return connection.pipe(
      Stream.filter((frame) => frame.event === "run.event"),
      Stream.map(({ data, id = after }): RunMessage => ({ ...data.data, id })),
      Stream.tap(({ id }) =>
        Effect.sync(() => {
          after = id
          hasEvents = true
        })
      ),
      Stream.concat(Stream.unwrap(Effect.map(isOver, (over) => (over ? Stream.empty : lost)))),
      Stream.catchIf(isTransport, () => lost),
      Stream.retry(reconnecting.pipe(Schedule.while(({ input }) => Schema.is(StreamLost)(input)))),
      Stream.takeUntil(({ event }) => last.has(event))
    )
  })

const isTransport = (error: unknown): boolean =>
  HttpClientError.isHttpClientError(error) && error.reason._tag === "TransportError"
