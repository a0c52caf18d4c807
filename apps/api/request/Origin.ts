/** The address under which a request reached the service: what addresses in its answer begin with. */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"

/** Such as `http://127.0.0.1:8787`. */
export const origin = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ headers }) => `http://${headers.host ?? "localhost"}`
)
