/**
 * The typed client for programs without Effect: every operation as a function that returns a promise.
 *
 * **Example** (Submitting a run and following its events)
 *
 * ```ts
 * import { connect } from "@sluice/client/promise"
 *
 * const follow = async (workflowId: string) => {
 *   const sluice = connect({ baseUrl: "http://127.0.0.1:8787", key: "sk_..." })
 *   const { session_id } = await sluice.runs.start({ payload: { workflow_id: workflowId } })
 *   for await (const { event } of sluice.follow(session_id)) console.log(event)
 * }
 * ```
 */
import { Cause, Effect, Exit, Predicate, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import type { HttpApi, HttpApiClient, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Api } from "./Api.ts"
import * as Client from "./Client.ts"

export interface Options {
  /** The address of the service, such as `http://127.0.0.1:8787`. */
  readonly baseUrl: string | URL
  /** An API key of the workspace that the client works in. */
  readonly key?: string
}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call when it is aborted: the promise is then rejected. */
  readonly signal?: AbortSignal
}

type Groups = typeof Api extends HttpApi.HttpApi<infer _Id, infer Found> ? Found : never

/** Streams are asynchronous iterables. */
type Answer<Value> = Value extends Stream.Stream<infer Item, infer _Error, infer _Needs> ? AsyncIterable<Item> : Value

/** A request whose query may be left out when nothing of it is required. */
type Lenient<Request> = Request extends { readonly query: infer Query }
  ? Record<never, never> extends Query
    ? Omit<Request, "query"> & { readonly query?: Query }
    : Request
  : Request

type Request<Endpoint extends HttpApiEndpoint.ConstraintRequest> = Lenient<
  Omit<
    Extract<
      HttpApiEndpoint.ClientRequest<
        Endpoint["~Params"],
        Endpoint["~Query"],
        Endpoint["~Payload"],
        Endpoint["~Headers"],
        "decoded-only"
      >,
      object
    >,
    "responseMode" | "sseOptions"
  >
>

/** An operation. Its request is optional if it has no required fields. */
type Operation<Endpoint extends HttpApiEndpoint.ConstraintRequest> = (
  ...args: Record<never, never> extends Request<Endpoint>
    ? [request?: Request<Endpoint>, options?: CallOptions]
    : [request: Request<Endpoint>, options?: CallOptions]
) => Promise<Answer<HttpApiClient.SuccessType<Endpoint["~Success"]>>>

type Operations<Group extends HttpApiGroup.Constraint> = {
  readonly [Endpoint in Extract<
    HttpApiGroup.Endpoints<Group>,
    HttpApiEndpoint.ConstraintRequest
  > as Endpoint["identifier"]]: Operation<Endpoint>
}

/** Every operation by its group and name. */
export type PromiseClient = {
  readonly [Group in Groups as HttpApiGroup.Identifier<Group>]: Operations<Group>
} & {
  /**
   * The events of a run as they happen, from the one after `after` on. It ends with the event that ends the run. A lost
   * connection is resumed after the last event.
   */
  readonly follow: (sessionId: string, options?: { readonly after?: string }) => AsyncIterable<Client.RunMessage>
}

/** The service refused a request. */
export class Refused extends Error {
  readonly _tag = "Refused"
  override readonly name = "Refused"
  /** The kind of the answer, such as `NotFound`: the `_tag` that the client for Effect programs fails with. */
  readonly kind: string
  /** The status of the answer, such as 404. */
  readonly status: number
  /** The body of the answer, with each problem at its path where there are several. */
  readonly answer: unknown

  constructor(status: number, message: string, answer: unknown) {
    super(message)
    this.status = status
    this.kind = Predicate.hasProperty(answer, "_tag") ? String(answer._tag) : "Refused"
    this.answer = answer
  }
}

/**
 * Makes a client that sends its requests with the `fetch` of the runtime.
 *
 * **Details**
 *
 * A promise is rejected with `Refused` if the service refuses the request, otherwise with an error that has a `_tag`,
 * such as `HttpClientError` without an answer.
 */
export const connect = ({ baseUrl, key }: Options): PromiseClient => {
  const client = Effect.runSync(
    Client.make({ baseUrl, ...(key === undefined ? {} : { key: Redacted.make(key) }) }).pipe(
      Effect.provide(FetchHttpClient.layer)
    )
  )
  const groups = Object.entries(client).map(([name, group]) => [
    name,
    Object.fromEntries(
      // The groups of a client hold operations only, and each operation has another type of request.
      Object.entries(group).map(([operation, call]) => [operation, promising(call as unknown as Call)])
    )
  ])
  const follow: PromiseClient["follow"] = (sessionId, options) =>
    Stream.toAsyncIterable(Stream.mapError(Client.events(client, sessionId, options), asError))
  // Built from the same groups and operations as its type.
  return { ...Object.fromEntries(groups), follow } as PromiseClient
}

type Call = (request: unknown) => Effect.Effect<unknown, unknown>

const promising =
  (call: Call) =>
  async (request: object = {}, options: CallOptions = {}): Promise<unknown> => {
    const exit = await Effect.runPromiseExit(call({ query: {}, ...request }), options)
    if (Exit.isFailure(exit)) throw asError(Cause.squash(exit.cause))
    // Streams of answers need no service; their failures are thrown to the reader.
    return Stream.isStream(exit.value) ? Stream.toAsyncIterable(exit.value as Stream.Stream<unknown>) : exit.value
  }

/** Answers of the service have a status and a message; everything else that fails is an error already. */
const asError = (error: unknown): Error => {
  if (error instanceof Error) return error
  const status =
    typeof error === "object" && error !== null && "statusCode" in error ? Number(error.statusCode) : Number.NaN
  return new Refused(status, Client.reasonOf(error), error)
}
