/**
 * The endpoints of the interface as a request meets them, before it is routed.
 */
import { HttpApi } from "effect/http-api"
import { Api } from "../Api.ts"
import { Authorization } from "./Authorization.ts"

export interface Endpoint {
  readonly method: string
  /** As it is described, such as `/run/:session_id`. */
  readonly path: string
  readonly needsKey: boolean
  readonly takesBody: boolean
}

const literal = new Map<string, Endpoint>()
const patterns: Array<{ readonly endpoint: Endpoint; readonly pattern: RegExp }> = []

HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path, payload }, middleware }) => {
    const endpoint: Endpoint = {
      method,
      path,
      needsKey: (middleware as ReadonlySet<unknown>).has(Authorization),
      takesBody: payload.size > 0
    }
    if (path.includes(":")) patterns.push({ endpoint, pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`) })
    else literal.set(`${method} ${path}`, endpoint)
  }
})

/** The endpoint that answers requests like this; `null` when none does. */
export const find = (method: string, path: string): Endpoint | null =>
  literal.get(`${method} ${path}`) ??
  patterns.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path))?.endpoint ??
  null
