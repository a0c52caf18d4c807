/**
 * The route of the Model Context Protocol.
 *
 * Its tools send their requests to this server with the key of the caller, so that they pass every check of the
 * interface: the role, limits, the audit and run windows. The key is looked at before the body is read.
 */
import { Effect, Option, Redacted } from "effect"
import {
  FetchHttpClient,
  HttpClient,
  HttpClientRequest,
  HttpRouter,
  HttpServer,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { Build } from "../../core/runtime/Build.ts"
import { permits } from "../../core/workspace/Workspace.ts"
import * as Client from "./Client.ts"
import * as CrossOrigin from "./delivery/CrossOrigin.ts"
import { keyOf, Sender, unauthorized } from "./http/Authorization.ts"
import * as Endpoints from "./http/Endpoints.ts"
import * as Errors from "./http/Errors.ts"
import * as Origin from "./http/Origin.ts"

/** The address of this server for itself. One that listens everywhere is reached by loopback. */
const ownAddress = Effect.map(HttpServer.HttpServer, ({ address }) =>
  HttpServer.formatAddress(address)
    .replace("//0.0.0.0:", "//127.0.0.1:")
    .replace(/\/\/(?:::|\[::\]):/, "//[::1]:")
)

/** The headers of a request that its tools repeat. */
const repeated = ["x-workspace-id", "x-request-id"] as const

const notAllowed = (status: 400 | 403, message: string) =>
  HttpServerResponse.jsonUnsafe(Errors.general(status, message), { status })

const isOfThisMachine = (host: string): boolean => host === "localhost" || /^\[|^[\d.]+$/.test(host)

/**
 * Whether the page that sends a request may. Without a public address, only a page of this machine or of an address is one
 * of this server: a name in the header `Host` is as the sender has it.
 */
const isAllowedOrigin = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const { origin } = headers
  if (origin === undefined) return true
  const allowed = yield* CrossOrigin.AllowedOrigins
  if (allowed.includes(origin) || allowed.includes("*")) return true
  const own = new URL(yield* Origin.origin)
  return origin === own.origin && (Option.isSome(yield* Origin.PublicUrl) || isOfThisMachine(own.hostname))
})

const answer = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const sender = yield* Sender
  const key = keyOf(request.headers)
  // The cookie of the console is no key: another site could send it.
  if (Option.isNone(sender) || key === "") {
    return HttpServerResponse.jsonUnsafe(unauthorized, { status: 401, headers: { "www-authenticate": "Bearer" } })
  }
  if (!(yield* isAllowedOrigin)) return notAllowed(403, "Pages of this origin may not call the service")
  const mode = new URL(request.url, "http://localhost").searchParams.get("mode")
  if (mode !== null && mode !== "read-only") {
    return notAllowed(400, `Expected read-only as mode, or none, got ${JSON.stringify(mode.slice(0, 80))}`)
  }
  const baseUrl = yield* ownAddress
  const publicUrl = yield* Origin.origin
  const version = yield* Build
  const services = yield* Effect.context<never>()
  // Loaded with the first request: most installations never have one.
  const { McpServer, Place } = yield* Effect.promise(async () => ({
    McpServer: await import("../mcp/McpServer.ts"),
    Place: await import("../mcp/ServicePlace.ts")
  }))
  const headers = repeated.flatMap((name) => {
    const value = request.headers[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const client = yield* Client.make({ baseUrl, key: Redacted.make(key) }).pipe(
    Effect.updateService(
      HttpClient.HttpClient,
      HttpClient.mapRequest(HttpClientRequest.setHeaders(Object.fromEntries(headers)))
    ),
    Effect.provide(FetchHttpClient.layer)
  )
  const place = Place.make({ client, baseUrl, publicUrl })
  const caller = sender.value
  const { fetch } = McpServer.handler(() =>
    McpServer.make({
      place,
      permits: (ability) => permits(caller, ability),
      readOnly: mode !== null,
      services,
      version
    })
  )
  const body = request.method === "POST" ? yield* Effect.option(request.json) : Option.none()
  const asked = (signal: AbortSignal) =>
    new Request(new URL(Endpoints.mcp, baseUrl), {
      method: request.method,
      headers: { ...request.headers },
      signal,
      ...(request.method === "POST" ? { body: "{" } : {})
    })
  const answered = yield* Effect.promise((signal) =>
    fetch(asked(signal), Option.match(body, { onNone: () => ({}), onSome: (parsedBody) => ({ parsedBody }) }))
  )
  return HttpServerResponse.fromWeb(answered)
})

export const routes = HttpRouter.add("*", Endpoints.mcp, answer)
