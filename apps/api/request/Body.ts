/**
 * Reads request bodies: counted while they arrive, refused when they are no JSON that the service can keep.
 */
import { Effect, Result, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Errors from "./Errors.ts"

const megabyte = 1_048_576

/** How many bytes a body may have. */
const limitOf = (method: string, path: string): number => {
  if (/^\/workflow-builder\/agent\/session\/from-(workflow|failed-run)$/.test(path)) return 25 * megabyte
  if (/^\/run$|^\/workflows\/[^/]+\/validate-input$/.test(path)) return 25 * megabyte
  if (method === "POST" && /^\/workflows(\/upsert|\/import)?$/.test(path)) return 5 * megabyte
  if (method === "PUT" && /^\/workflows\/[^/]+$/.test(path)) return 5 * megabyte
  return megabyte
}

/** Deeper or larger JSON than this is nothing that the interface has a use for. */
const maxDepth = 100
const maxKeys = 200_000

const readsBody = new Set(["POST", "PUT", "PATCH", "DELETE"])

/**
 * Reads the body of a request before its handler does, and hands the handler a request with the body that was read.
 *
 * An empty body counts as none, whatever its content type says. Of a name that stands twice in an object the last one
 * counts.
 */
export const checked = <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!readsBody.has(request.method)) return yield* handler
    const path = request.url.split("?")[0] ?? ""
    const read = yield* readBody(request, limitOf(request.method, path))
    if (Result.isFailure(read)) return answer(read.failure)
    const text = read.success
    const web = new Request(new URL(request.url, "http://localhost"), {
      method: request.method,
      headers: { ...request.headers, ...(text === "" ? {} : { "content-type": "application/json" }) },
      ...(text === "" ? {} : { body: text })
    })
    const replaced = HttpServerRequest.fromWeb(web).modify({ url: request.url })
    return yield* Effect.provideService(handler, HttpServerRequest.HttpServerRequest, replaced)
  })

interface Refusal {
  readonly statusCode: 400 | 413 | 415
  readonly message: string
  readonly [field: string]: unknown
}

const answer = (refusal: Refusal) =>
  HttpServerResponse.jsonUnsafe(refusal, {
    status: refusal.statusCode,
    // What is left of a body that is too large is not read.
    headers: refusal.statusCode === 413 ? { connection: "close" } : {}
  })

const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number
): Effect.Effect<Result.Result<string, Refusal>> =>
  Effect.gen(function* () {
    const declared = request.headers["content-length"]
    const length = declared === undefined ? null : Number(declared)
    if (length !== null && length > limit) return Result.fail(tooLarge(limit, length))
    const chunks: Array<Uint8Array> = []
    let received = 0
    const complete = yield* request.stream.pipe(
      Stream.takeWhile((chunk) => {
        received += chunk.length
        if (received <= limit) chunks.push(chunk)
        return received <= limit
      }),
      Stream.runDrain,
      Effect.result
    )
    if (received > limit) return Result.fail(tooLarge(limit, length))
    if (Result.isFailure(complete)) return Result.fail(Errors.badRequest("The body ended before it was complete"))
    if (received === 0) return Result.succeed("")
    const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase()
    if (type !== "application/json" || request.headers["content-encoding"] !== undefined) {
      return Result.fail(
        Errors.general(
          415,
          `Expected a body with Content-Type: application/json and no Content-Encoding, got ${type || "no type"}`
        )
      )
    }
    return checkJson(chunks)
  })

const tooLarge = (limit: number, received: number | null): Refusal => ({
  statusCode: 413,
  code: "PAYLOAD_TOO_LARGE",
  message: `The body is larger than ${limit} bytes, the most that this endpoint accepts`,
  limit_bytes: limit,
  ...(received === null ? {} : { received_bytes: received })
})

const checkJson = (chunks: ReadonlyArray<Uint8Array>): Result.Result<string, Refusal> => {
  const bytes = Buffer.concat(chunks)
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return Result.fail(Errors.badRequest("The body is not valid UTF-8"))
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return Result.fail(Errors.badRequest(`The body is not valid JSON: ${error instanceof Error ? error.message : ""}`))
  }
  const problem = measure(value)
  return problem === null ? Result.succeed(text) : Result.fail(Errors.badRequest(problem))
}

const measure = (value: unknown): string | null => {
  let keys = 0
  let level: Array<object> = typeof value === "object" && value !== null ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return `The body is nested more than ${maxDepth} levels deep`
    const below: Array<object> = []
    for (const one of level) {
      for (const field of Object.values(one)) {
        if (typeof field === "object" && field !== null) below.push(field)
      }
      keys += Array.isArray(one) ? 0 : Object.keys(one).length
      if (keys > maxKeys) return `The body has more than ${maxKeys} names`
    }
    level = below
  }
  return null
}
