/**
 * The address under which the outside reaches the service.
 */
import { Context, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"

/** Without a trailing slash, such as `https://sluice.example.com`; none when it was not set. */
export const PublicUrl = Context.Reference<Option.Option<string>>("sluice/apps/api/PublicUrl", {
  defaultValue: Option.none
})

/** The public address, or else the one that the request was sent to. */
export const originOfRequest = (publicUrl: Option.Option<string>) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    Option.getOrElse(publicUrl, () => `http://${headers.host ?? "localhost"}`)
  )
