/** The address under which the outside reaches the service: what addresses in its answers begin with. */
import { Context, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"

/** Without a slash at its end, such as `https://sluice.example.com` or `https://example.com/sluice`; none when it was not set. */
export const PublicUrl = Context.Reference<Option.Option<string>>("sluice/apps/api/http/PublicUrl", {
  defaultValue: Option.none
})

/** The public address, or else the one that the request was sent to, such as `http://127.0.0.1:8787`. */
export const origin = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  return Option.getOrElse(yield* PublicUrl, () => `http://${headers.host ?? "localhost"}`)
})
