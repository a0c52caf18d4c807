/**
 * The addresses of the interface as a request meets them, before it is routed.
 *
 * An address has one form: that of the description, in its case, with single slashes, none at the end, no parameters after
 * `;`, and no escapes in its fixed parts. What is decided here from the address holds for the route that answers, because a
 * request in another form is answered before it is routed.
 */
import { HttpApi, OpenApi } from "effect/http-api"
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
}

/** Where a request goes. */
export type Destination =
  | { readonly _tag: "Endpoint"; readonly endpoint: Endpoint }
  /** A page, a file, a health check, or an address that the router does not know in any form. */
  | { readonly _tag: "Undescribed" }
  /** The address is that of an endpoint or a page, apart from the slash at its end. */
  | { readonly _tag: "Redirect"; readonly path: string }
  | { readonly _tag: "Nowhere" }

const literal = new Map<string, Endpoint>()
const patterns: Array<{ readonly endpoint: Endpoint; readonly pattern: RegExp }> = []
const operations = OpenApi.fromApi(Api).paths

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path, payload }, middleware }) => {
    const described = operations[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase() as "get"]
    const endpoint: Endpoint = {
      method,
      path,
      needsKey: (middleware as ReadonlySet<unknown>).has(Authorization),
      takesBody: payload.size > 0,
      query: new Set(described?.parameters.flatMap(({ in: place, name }) => (place === "query" ? [name] : [])))
    }
    if (path.includes(":")) patterns.push({ endpoint, pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`) })
    else literal.set(`${method} ${path}`, endpoint)
  }
})

/** The pages whose address may be typed with a slash at its end. */
const pages = new Set(["/docs", "/openapi.json"])

/** The endpoint that answers requests like this; `null` when none does. HEAD is answered as GET. */
const find = (method: string, path: string): Endpoint | null => {
  const asked = method === "HEAD" ? "GET" : method
  return (
    literal.get(`${asked} ${path}`) ??
    patterns.find(({ endpoint, pattern }) => endpoint.method === asked && pattern.test(path))?.endpoint ??
    null
  )
}

/** The methods of the endpoints at an address; none when no endpoint has it. */
export const methodsAt = (path: string): ReadonlyArray<string> => {
  const methods = [...literal.values()].flatMap((endpoint) => (endpoint.path === path ? [endpoint.method] : []))
  for (const { endpoint, pattern } of patterns) if (pattern.test(path)) methods.push(endpoint.method)
  return methods.includes("GET") ? [...new Set([...methods, "HEAD"])] : [...new Set(methods)]
}

const nowhere: Destination = { _tag: "Nowhere" }

/** Decides where a request goes, by its method and by its path as it was sent. */
export const destination = (method: string, path: string): Destination => {
  if (!path.startsWith("/") || /\/\/|[;#]/.test(path)) return nowhere
  if (path.length > 1 && path.endsWith("/")) {
    const trimmed = path.slice(0, -1)
    const isReading = method === "GET" || method === "HEAD"
    return isReading && (methodsAt(trimmed).length > 0 || pages.has(trimmed))
      ? { _tag: "Redirect", path: trimmed }
      : nowhere
  }
  const endpoint = find(method, path)
  const decoded = decodedPath(path)
  if (decoded !== path) {
    // The router reads an address with its escapes decoded. Escapes are for parameters: decoded, it is the same endpoint.
    const isSame = decoded !== null && find(method, decoded) === endpoint
    if (!isSame || (endpoint === null && methodsAt(path).length === 0)) return nowhere
  }
  return endpoint === null ? { _tag: "Undescribed" } : { _tag: "Endpoint", endpoint }
}

/** A path as the router compares it; `null` when its escapes are no text. */
const decodedPath = (path: string): string | null => {
  try {
    return decodeURI(path)
  } catch {
    return null
  }
}
