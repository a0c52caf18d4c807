/** The service of the page, through the typed client of its interface. */
import { Context, Effect, Predicate, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { type AsyncResult, Atom } from "effect/reactivity"
import { problemsIn } from "../../../core/workflow/language/graph/Paths.ts"
import * as Api from "../../api/Client.ts"
import { inPageWords } from "../data/PageWords.ts"
import { plain } from "../data/PlainText.ts"
import { say } from "./Notices.ts"
import { registry } from "./Registry.ts"
import { lookForEnd, proof } from "./Session.ts"

export type Client = Api.Client

/** Additional headers of one request. */
const Extra = Context.Reference<Readonly<Record<string, string>>>("sluice/apps/console/Extra", {
  defaultValue: () => ({})
})

export const withHeaders = (headers: Readonly<Record<string, string>>) => Effect.provideService(Extra, headers)

/** The service has the address of the page, which may have a path. The browser and the page send the session with each request. */
const make = Effect.gen(function* () {
  const http = yield* HttpClient.HttpClient
  const extended = HttpClient.mapRequestEffect(http, (request) =>
    Effect.map(Extra, (headers) => HttpClientRequest.setHeaders(request, { ...proof(), ...headers }))
  ).pipe(HttpClient.tap(({ status }) => Effect.sync(() => void (status === 401 && lookForEnd()))))
  const baseUrl = new URL(".", location.href).href.replace(/\/$/, "")
  return yield* Api.make({ baseUrl }).pipe(Effect.provideService(HttpClient.HttpClient, extended))
}).pipe(Effect.provide(FetchHttpClient.layer))

let made: Client | null = null

/** The client, made at its first use. */
export const client = (): Client => {
  made ??= Effect.runSync(make)
  return made
}

export const events = (sessionId: string) => Api.events(client(), sessionId)

/** Why something failed, in a sentence. */
export const reasonOf = (error: unknown): string =>
  HttpClientError.isHttpClientError(error) && error.reason._tag === "TransportError"
    ? "The service cannot be reached. Trying again"
    : inPageWords(plain(Api.reasonOf(error)))

/** Whether the same request may succeed a little later: the service was away or busy. */
export const isPassing = (error: unknown): boolean =>
  HttpClientError.isHttpClientError(error)
    ? error.reason._tag === "TransportError" || (error.response?.status ?? 0) >= 500
    : Predicate.isTagged(error, "StoreUnavailable") || Predicate.isTagged(error, "ServiceUnavailable")

/**
 * The problems of a body, each at its path; empty when the error has none. The service refused the body, or the client did
 * not send it because it does not have the described form.
 */
export const problemsOf = (error: unknown): ReadonlyArray<Problem> =>
  listed(error).map(({ message, path }) => ({ path, message: plain(message) }))

const listed = (error: unknown): ReadonlyArray<Problem> => {
  if (Schema.isSchemaError(error)) return problemsIn(error.issue)
  const found = Schema.decodeUnknownOption(Refusal)(error)
  return found._tag === "None" ? [] : (found.value.issues ?? found.value.errors ?? [])
}

/**
 * The messages of an error by the fields of a form. A message about the whole, or about a path without a field, is given to
 * the first field. `fieldOf` answers the field of a path where the names differ.
 */
export const problemsByField = (
  error: unknown,
  fields: ReadonlyArray<string>,
  fieldOf: (path: string) => string = (path) => path
): Readonly<Record<string, string>> => {
  const found = problemsOf(error)
  const [first = ""] = fields
  if (found.length === 0) {
    const reason = reasonOf(error)
    const [, field = "", message = ""] = /^(\w+): (.*)$/s.exec(reason) ?? []
    return fields.includes(field) ? { [field]: message } : { [first]: reason }
  }
  return joinedByName(
    found.map(({ message, path }) => {
      const field = fieldOf(path)
      if (fields.includes(field)) return { name: field, message }
      return { name: first, message: path === "" ? message : `${path}: ${message}` }
    })
  )
}

/** Messages by name. Messages of the same name are joined. */
export const joinedByName = (
  found: ReadonlyArray<{ readonly name: string; readonly message: string }>
): Readonly<Record<string, string>> => {
  const joined = new Map<string, string>()
  for (const { message, name } of found) {
    const before = joined.get(name)
    joined.set(name, before === undefined ? message : `${before}. ${message}`)
  }
  return Object.fromEntries(joined)
}

const Problem = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Problem = typeof Problem.Type
const Refusal = Schema.Struct({
  issues: Schema.optional(Schema.Array(Problem)),
  errors: Schema.optional(Schema.Array(Problem))
})

/** A query of the service: loading, then a value or a failure. */
export type Query<A> = Atom.Atom<AsyncResult.AsyncResult<A, unknown>>

export const query = <A, E>(ask: (client: Client) => Effect.Effect<A, E>): Query<A> =>
  Atom.make(Effect.suspend(() => ask(client())) as Effect.Effect<A, unknown>)

export const refresh = (...atoms: ReadonlyArray<Atom.Atom<unknown>>): void => {
  for (const atom of atoms) registry.refresh(atom)
}

const renewing = new Set<Query<unknown>>()

/**
 * Reads queries again after a change. A query that is being read is read once more afterwards: if each change restarted the
 * reading, frequent changes would keep it from ending.
 */
export const renew = (...queries: ReadonlyArray<Query<unknown>>): void => {
  for (const one of queries) {
    if (renewing.has(one)) continue
    if (!registry.get(one).waiting) {
      refresh(one)
      continue
    }
    renewing.add(one)
    const end = registry.subscribe(one, ({ waiting }) => {
      if (waiting) return
      end()
      renewing.delete(one)
      refresh(one)
    })
  }
}

/**
 * Sends a request and shows its outcome. Answers the result. A failure is `null`: a notice shows it, unless `failed` is
 * given and shows it.
 */
export const act = async <A, E>(
  what: Effect.Effect<A, E>,
  { done, failed }: { readonly done?: string | ((value: A) => string); readonly failed?: (error: E) => void } = {}
): Promise<A | null> => {
  const exit = await Effect.runPromise(Effect.result(what))
  if (exit._tag === "Failure") {
    if (failed === undefined) say("problem", reasonOf(exit.failure))
    else failed(exit.failure)
    return null
  }
  if (done !== undefined) say("done", typeof done === "string" ? done : done(exit.success))
  return exit.success
}
