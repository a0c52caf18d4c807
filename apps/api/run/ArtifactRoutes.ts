/**
 * Serves artifacts or byte ranges of them at their signed addresses.
 *
 * Content of sites is never displayed as a page of this service: files are downloaded instead of opened, and scripts in
 * an opened file do not run.
 */
import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ArtifactFiles, type StoredArtifact } from "../../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { OpenedArtifacts } from "../../../core/run/artifact/OpenedArtifacts.ts"
import * as SnapshotPolicy from "../../../core/run/evidence/SnapshotPolicy.ts"
import { outage } from "../../../core/runtime/Supervisor.ts"
import * as Errors from "../http/Errors.ts"
import * as Proof from "../http/Proof.ts"
import * as ByteRange from "./ByteRange.ts"
import * as FileName from "./FileName.ts"

/**
 * Files that the service makes, which may be shown. The snapshot of a page runs nothing, loads nothing and sends
 * nothing.
 */
const shown: Readonly<Record<string, string>> = {
  "image/jpeg": "image/jpeg",
  "image/png": "image/png",
  "video/webm": "video/webm",
  "text/html": "text/html; charset=utf-8"
}

const mediaType = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}(;[ -~]{0,100})?$/i

const inert = {
  "cache-control": "private, max-age=3600",
  // A browser shows an image or a video in a generated page, which loads it again from here.
  "content-security-policy":
    "sandbox; script-src 'none'; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; form-action 'none'",
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "accept-ranges": "bytes"
}

const headersOf = ({ fileName, mediaType: written }: StoredArtifact): Readonly<Record<string, string>> => {
  const own = fileName === null ? shown[written] : undefined
  if (own !== undefined) {
    const policy = written === "text/html" ? { "content-security-policy": `sandbox; ${SnapshotPolicy.policy}` } : {}
    return { ...inert, ...policy, "content-type": own }
  }
  return {
    ...inert,
    "content-type": mediaType.test(written) ? written : "application/octet-stream",
    "content-disposition": FileName.attachment(fileName ?? "file")
  }
}

const missing = HttpServerResponse.jsonUnsafe(Errors.general(404, "No such artifact, or its address has expired"), {
  status: 404,
  headers: { "cache-control": "no-store" }
})

/** For every problem of an address, the answer is the same 404. */
const serve = Effect.fnUntraced(function* (opened: OpenedArtifacts["Service"]) {
  const links = yield* ArtifactLinks
  const { id = "" } = yield* HttpRouter.params
  const request = yield* HttpServerRequest.HttpServerRequest
  const query = new URL(request.url, "http://localhost").searchParams
  const valid = yield* links.verify(id, query.get("expires") ?? "", query.get("signature") ?? "")
  return valid ? yield* Proof.proven(`link to ${id}`, download(id, request, opened)) : missing
})

const download = Effect.fnUntraced(function* (
  id: string,
  request: HttpServerRequest.HttpServerRequest,
  opened: OpenedArtifacts["Service"]
) {
  const files = yield* ArtifactFiles
  const found = yield* Effect.result(files.find(id))
  if (found._tag === "Failure") {
    yield* outage(found.failure.message, "artifacts")
    return HttpServerResponse.jsonUnsafe(
      Errors.general(503, "The artifact store does not answer. Send the request again later"),
      {
        status: 503,
        headers: { "cache-control": "no-store", "retry-after": "5" }
      }
    )
  }
  if (Option.isNone(found.success)) return missing
  if (request.method === "GET") yield* opened.note(id)
  return answer(found.success.value, request)
})

const answer = (kept: StoredArtifact, { headers: asked, method }: HttpServerRequest.HttpServerRequest) => {
  const { size } = kept
  const headers = headersOf(kept)
  // Artifacts have no version, so a partial download of an earlier state cannot be continued.
  const range = asked["if-range"] === undefined ? ByteRange.read(asked.range, size) : "all"
  if (range === "unsatisfiable") {
    return HttpServerResponse.empty({ status: 416, headers: { "content-range": `bytes */${size}` } })
  }
  const part = range === "all" ? undefined : range
  const length = part === undefined ? size : part.end - part.start + 1
  const { "content-type": contentType, ...others } = headers
  const options = {
    status: part === undefined ? 200 : 206,
    contentType: contentType ?? "application/octet-stream",
    contentLength: length,
    headers: part === undefined ? others : { ...others, "content-range": `bytes ${part.start}-${part.end}/${size}` }
  }
  if (method === "HEAD")
    return HttpServerResponse.empty({ ...options, headers: { ...options.headers, ...ofNoBody(options) } })
  return HttpServerResponse.stream(kept.read(part), options)
}

const ofNoBody = ({
  contentLength,
  contentType
}: {
  readonly contentLength: number
  readonly contentType: string
}) => ({
  "content-length": String(contentLength),
  "content-type": contentType
})

/** The router has no routes for HEAD alone. */
export const routes = Layer.unwrap(
  Effect.map(OpenedArtifacts, (opened) =>
    HttpRouter.add(
      "*",
      "/artifacts/:id",
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method }) =>
        method === "GET" || method === "HEAD"
          ? serve(opened)
          : Effect.succeed(
              HttpServerResponse.jsonUnsafe(
                Errors.general(405, `Method ${method} is not allowed here: expected GET or HEAD`),
                { status: 405, headers: { allow: "GET, HEAD" } }
              )
            )
      )
    )
  )
)
