/**
 * Entity tags of answers, and the answer 304 to a request whose tag is still that of the answer.
 */
import { createHash } from "node:crypto"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"

/**
 * Adds an entity tag to a complete answer to a reading request, or answers 304 if `If-None-Match` has that tag. An
 * existing tag, such as `"3"` of a run window, identifies only a revision: the hash of the content is appended, as in
 * `"3.…"`. Other tags are weak, so that they do not depend on the compression.
 */
export const answer = (
  { headers, method }: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if ((method !== "GET" && method !== "HEAD") || response.status !== 200 || body._tag !== "Uint8Array") return response
  const control = response.headers["cache-control"]
  if (control?.includes("no-store") === true) return response
  const hash = hashOf(body.body)
  const tag = response.headers.etag?.replace(/"$/, `.${hash}"`) ?? `W/"${hash}"`
  const tagged = HttpServerResponse.setHeaders(response, {
    etag: tag,
    // Answers depend on the key, so shared caches must not store them.
    "cache-control": control ?? "private, no-cache"
  })
  return isMatch(headers["if-none-match"], tag) ? notModified(tagged) : tagged
}

const hashOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("base64url").slice(0, 27)

/** Weak comparison of tags: a weak tag equals a strong one (RFC 9110, 13.1.2). */
const isMatch = (known: string | undefined, tag: string): boolean => {
  if (known === undefined) return false
  if (known.trim() === "*") return true
  const named = tag.replace(/^W\//, "")
  return known.split(",").some((one) => one.trim().replace(/^W\//, "") === named)
}

const notModified = ({ headers }: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  const { "content-length": _length, "content-type": _type, "content-encoding": _encoding, ...others } = headers
  return HttpServerResponse.empty({ status: 304, headers: others })
}
