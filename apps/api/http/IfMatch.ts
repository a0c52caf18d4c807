/**
 * The header `If-Match`, by which a change names the states that it may replace, and the tags of these states.
 */
import { Effect } from "effect"
import { type Headers, HttpEffect, HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"

/**
 * The tags of a request; `null` if any state may be replaced. They are without the quotes, the mark of a weak tag, which
 * compression adds, and the hash of the answer behind a dot.
 */
export const tagsOf = (headers: Headers.Headers): ReadonlyArray<string> | null => {
  const sent = headers["if-match"]?.trim()
  if (sent === undefined || sent === "*") return null
  return sent.split(",").map((tag) => tag.trim().replace(/^(?:W\/)?"([^".]*)(?:\.[\w-]{1,64})?"$/, "$1"))
}

/** Adds the tag of a state to the answer that shows it. The answer to GET has a hash of its content behind it. */
export const tagged = (tag: string) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "etag", `"${tag}"`))
  )

/** Describes the header of an endpoint that takes it. */
export const described = (description: string) =>
  OpenApi.annotations({
    transform: (operation) => ({
      ...operation,
      parameters: [
        // Its type names no members: those of OpenAPI are a list.
        ...(operation.parameters as ReadonlyArray<unknown>),
        { name: "If-Match", in: "header", required: false, description, schema: { type: "string" } }
      ]
    })
  })
