/**
 * Entity tags of answers, and the answer 304 to a request whose tag is still that of the answer.
 */
import { createHash } from "node:crypto"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"

/**
 * Tags a complete answer to a reading request, or answers 304 where `If-None-Match` has its tag. A tag that the answer has
 * already, such as `"3"` of a run window, names a revision and not all of the answer: it becomes `"3.…"` with the hash of
 * the content. Others are weak: they stay the same however the answer is compressed.
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
    // Answers depend on the key, which shared caches do not know.
    "cache-control": control ?? "private, no-cache"
  })
  return isMatch(headers["if-none-match"], tag) ? notModified(tagged) : tagged
}

const hashOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("base64url").slice(0, 27)

/** Tags are compared by what they name: a weak one is like a strong one (RFC 9110, 13.1.2). */
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
