/** The public address of the service, the base of addresses in its answers. */
import { Context, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"

/**
 * Without a trailing slash, such as `https://sluice.example.com` or `https://example.com/sluice`; none if it is not
 * set.
 */
export const PublicUrl = Context.Reference<Option.Option<string>>("sluice/apps/api/http/PublicUrl", {
  defaultValue: Option.none
})

/** The public address, or else the address of the request, such as `http://127.0.0.1:8787`. */
export const origin = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  return Option.getOrElse(yield* PublicUrl, () => `http://${headers.host ?? "localhost"}`)
})
