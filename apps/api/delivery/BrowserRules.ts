/** Headers of every answer that keep browsers from guessing its type, and from coming without TLS. */
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"

/** For a year, for this host alone: others of its domain are not the service's to decide about. */
const tls = "max-age=31536000"

/** Adds the headers to each answer. TLS is asked for where the public address has it. */
export const on = (publicUrl: Option.Option<string>) => {
  const isSecure = Option.exists(publicUrl, (url) => url.startsWith("https:"))
  const headers = { "x-content-type-options": "nosniff", ...(isSecure ? { "strict-transport-security": tls } : {}) }
  return Effect.map((response: HttpServerResponse.HttpServerResponse) =>
    HttpServerResponse.setHeaders(response, headers)
  )
}
