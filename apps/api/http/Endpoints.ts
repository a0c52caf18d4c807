/**
 * Matches the addresses of requests to endpoints, before routing.
 *
 * An address has one form: that of the description, in its case, with single slashes, none at the end, no parameters
 * after `;`, and no escapes in its fixed parts. Decisions by the address hold for the route that answers, because a
 * request in another form is answered before it is routed.
 */
import { Context, type Schema, SchemaAST } from "effect"
import { FindMyWay } from "effect/http"
import { HttpApi } from "effect/http-api"
import { InvalidBody, MaxBody, NoStore, ReachesOut, TakesForm, TakesTags, TellsSecret } from "../Annotations.ts"
import { Api } from "../Api.ts"
import { Authorization } from "./Authorization.ts"

export interface Endpoint {
  readonly method: string
  /** The declared path, such as `/run/:session_id`. */
  readonly path: string
  readonly needsKey: boolean
  readonly takesBody: boolean
  /** The names of the parameters that its query may have. */
  readonly query: ReadonlySet<string>
  /** The largest accepted body, in bytes. */
  readonly maxBody: number
  readonly takesForm: boolean
  readonly reachesOut: boolean
  readonly tellsSecret: boolean
  readonly takesTags: boolean
  readonly invalidBody: typeof InvalidBody.Service
}

/** Paths match exactly as they are declared. HEAD is answered with the route of GET. */
export const strict = { caseSensitive: true, ignoreDuplicateSlashes: false, ignoreTrailingSlash: false }

/** The destination of a request. */
export type Destination =
  | { readonly _tag: "Endpoint"; readonly endpoint: Endpoint }
  /** A page, a file, a health check, or an address that the router does not know in any form. */
  | { readonly _tag: "Undescribed" }
  /** The address is that of an endpoint or a page, apart from a slash at its end. */
  | { readonly _tag: "Redirect"; readonly path: string }
  | { readonly _tag: "Nowhere" }

/** The names of the parameters of a query. The OpenAPI description has them too, but takes a fifth of a start to make. */
const namesOf = (query: Schema.Top | undefined): ReadonlyArray<string> => {
  if (query === undefined) return []
  const sent = SchemaAST.toEncoded(query.ast)
  if (!SchemaAST.isObjects(sent)) throw new Error("A query is not described by its fields")
  return sent.propertySignatures.map(({ name }) => String(name))
}

const endpoints: Array<Endpoint> = []

/** The literal beginnings of addresses whose answers may not be stored, refusals of unknown addresses below as well. */
const unstored = new Set<string>()

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { annotations, method, path, payload, query }, group, middleware }) => {
    if (Context.get(group.annotations, NoStore)) unstored.add(path.split("/:", 1)[0] ?? path)
    endpoints.push({
      method,
      path,
      // The set has the type of the middlewares of this endpoint, of which this one need not be one.
      needsKey: (middleware as ReadonlySet<unknown>).has(Authorization),
      takesBody: payload.size > 0,
      query: new Set(namesOf(query)),
      maxBody: Context.get(annotations, MaxBody),
      takesForm: Context.get(annotations, TakesForm),
      reachesOut: Context.get(annotations, ReachesOut),
      tellsSecret: Context.get(annotations, TellsSecret),
      takesTags: Context.get(annotations, TakesTags),
      invalidBody: Context.get(annotations, InvalidBody)
    })
  }
})

// Methods are reported in the order of declaration, those of literal paths first.
endpoints.sort((one, other) => Number(one.path.includes(":")) - Number(other.path.includes(":")))

const methods = new Set(endpoints.map(({ method }) => method))

/** Matches like the router of the server, but without its limit on the length of parameters. */
const router = FindMyWay.make<Endpoint>({ ...strict, maxParamLength: Number.POSITIVE_INFINITY })
// Every path of an endpoint begins with a slash.
for (const endpoint of endpoints) router.on(endpoint.method, endpoint.path as FindMyWay.PathInput, endpoint)

/** The path of the Model Context Protocol, which needs a key. */
export const mcp = "/mcp"

/** The routes that the description does not have, by the templates of their paths. */
const undescribed = FindMyWay.make<string>({ ...strict, maxParamLength: Number.POSITIVE_INFINITY })
for (const path of [
  "/artifacts/:id",
  "/live/:session_id",
  "/live/:session_id/view",
  "/live/:session_id/control",
  "/live/:session_id/gestures",
  "/inbound/mail",
  "/inbound/mail/postmark",
  "/inbound/mail/ses",
  "/inbound/sms",
  "/inbound/sms/twilio",
  mcp,
  "/",
  "/console/session",
  "/console/assets/*",
  "/docs",
  "/docs/guide/*",
  "/llms.txt",
  "/openapi.json",
  "/healthz",
  "/readyz"
] as const) {
  undescribed.on("GET", path, path)
}

/** The template of the path of a request that no endpoint answers; `none` when no route has it. */
export const undescribedRoute = (path: string): string => undescribed.find("GET", path)?.handler ?? "none"

const isId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i

/** The run that a path names at the place of `:session_id` in its template; `null` when it names none. */
export const sessionOf = (template: string, path: string): string | null => {
  if (!template.includes(":session_id")) return null
  const found = path.split("/")[template.split("/").indexOf(":session_id")] ?? ""
  return isId.test(found) ? found : null
}

/** Whether answers to requests of this address may be stored. */
export const mayStore = (url: string): boolean => {
  const path = url.split("?", 1)[0] ?? ""
  for (const start of unstored) {
    if (path.startsWith(start) && (path.length === start.length || path[start.length] === "/")) return false
  }
  return true
}

/** The pages whose address may have a trailing slash. */
const pages = new Set(["/docs", "/openapi.json"])

/** The path of the site of the docs. */
const guide = "/docs/guide"

const isReading = (method: string): boolean => method === "GET" || method === "HEAD"

/** The endpoint that answers requests like this; `null` when none does. HEAD is answered as GET. */
const find = (method: string, path: string): Endpoint | null => {
  const found = matched(method, path)
  return found !== null && isVerbatim(found, path) ? found : null
}

/** The endpoint that the router of the server would choose. */
const matched = (method: string, path: string): Endpoint | null =>
  router.find(method === "HEAD" ? "GET" : method, path)?.handler ?? null

/** Whether the fixed parts of a path have no escapes. The router would also match them with escapes. */
const isVerbatim = (endpoint: Endpoint, path: string): boolean => {
  const written = path.split("/")
  return endpoint.path.split("/").every((part, at) => part.startsWith(":") || part === written[at])
}

/** The methods of the endpoints at an address; none when no endpoint has it. */
export const methodsAt = (path: string): ReadonlyArray<string> => {
  const found = [...methods].flatMap((method) => find(method, path) ?? [])
  const inOrder = found.sort((one, other) => endpoints.indexOf(one) - endpoints.indexOf(other))
  const at = inOrder.map(({ method }) => method)
  return at.includes("GET") ? [...at, "HEAD"] : at
}

const nowhere: Destination = { _tag: "Nowhere" }

/** Decides where a request goes, by its method and by its path as it was sent. */
export const destination = (method: string, path: string): Destination => {
  if (!path.startsWith("/") || /\/\/|[;#]/.test(path)) return nowhere
  if (path === guide) return isReading(method) ? { _tag: "Redirect", path: `${guide}/` } : nowhere
  // The addresses of the guide are those of its files: folders end in a slash.
  if (path.startsWith(`${guide}/`)) return isReading(method) ? { _tag: "Undescribed" } : nowhere
  if (path.length > 1 && path.endsWith("/")) {
    const trimmed = path.slice(0, -1)
    const isKnown = isReading(method)
      ? methodsAt(trimmed).length > 0 || pages.has(trimmed)
      : methodsAt(trimmed).some((one) => one === method)
    return isKnown ? { _tag: "Redirect", path: trimmed } : nowhere
  }
  const routed = matched(method, path)
  const endpoint = routed !== null && isVerbatim(routed, path) ? routed : null
  const decoded = decodedPath(path)
  // The router reads an address with its escapes decoded. They are for parameters: fixed parts have none.
  if (decoded === null || routed !== endpoint) return nowhere
  if (decoded !== path && endpoint === null && methodsAt(path).length === 0) return nowhere
  return endpoint === null ? { _tag: "Undescribed" } : { _tag: "Endpoint", endpoint }
}

/** The decoded path for the router; `null` if its escapes are not valid UTF-8. */
const decodedPath = (path: string): string | null => {
  try {
    return decodeURI(path)
  } catch {
    return null
  }
}
