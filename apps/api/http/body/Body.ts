/**
 * Reads request bodies. Size and structure are measured while they arrive, and a body over a limit is refused
 * immediately.
 *
 * A refused body is never parsed, and a large one is parsed in pieces, so that no body blocks other requests.
 */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliDecompress, gunzip } from "node:zlib"
import { Effect, Result, type Schema, Stream } from "effect"
import { Headers, HttpServerError, type HttpServerRequest } from "effect/http"
import * as JsonParser from "../../../../adapters/json/JsonParser.ts"
import type { Problem } from "../../../../core/workflow/Workflow.ts"
import { mebibytes } from "../../Annotations.ts"
import * as Errors from "../Errors.ts"
import * as FormBody from "./FormBody.ts"
import * as JsonMeter from "./JsonMeter.ts"
import * as LargeBody from "./LargeBody.ts"
import * as Text from "./Text.ts"
import * as Utf8 from "./Utf8.ts"

/**
 * Limits on the structure of a body, by the limit of its size. Higher limits would have no use in the interface and
 * slow down parsing. Small bodies have lower limits, because most of their values are validated one by one, which takes
 * longer than parsing.
 */
const limitsOf = (maxBytes: number): JsonMeter.Limits => {
  const always = { depth: 100, numberBytes: 1_000 }
  if (maxBytes <= mebibytes(1)) return { ...always, names: 60_000, nameBytes: mebibytes(1), values: 100_000 }
  const values = maxBytes <= mebibytes(5) ? 200_000 : 500_000
  return { ...always, names: 100_000, nameBytes: mebibytes(4), values }
}

const tooMuch = (excess: JsonMeter.Excess, limits: JsonMeter.Limits, position: number): string => {
  const { depth, nameBytes, names, numberBytes, values } = limits
  return {
    depth: `The body is nested more than ${depth} levels deep`,
    names: `The body has more than ${names} names`,
    nameBytes: `The names in the body take more than ${nameBytes} bytes`,
    values: `The body has more than ${values} values`,
    numberBytes: `Expected a JSON body whose numbers have at most ${numberBytes} characters, got more outside of a string, from byte ${position - numberBytes - 1} on`
  }[excess]
}

/** A body that was read. Afterwards the request provides it, a long one only once. */
export interface BodyRead {
  /** The value that the endpoint decodes in place of the text of the request; `null` if it decodes that text. */
  readonly parsed: LargeBody.Parsed
  /** The SHA-256 of its bytes, in hexadecimal; only when it was asked for. */
  readonly digest: string
  /** The texts in it that cannot be stored, each at its path. */
  readonly problems: ReadonlyArray<Problem>
}

export interface Refusal {
  readonly statusCode: 400 | 413 | 415
  readonly message: string
  readonly [field: string]: unknown
}

/** Whether requests with this method have a body that is read. */
export const mayHaveBody = (method: string): boolean => readsBody.has(method)

const readsBody = new Set(["POST", "PUT", "PATCH", "DELETE"])

/** The length of a piece, in characters; and the declared length up to which a body is taken in one piece, in bytes. */
const onePiece = 65_536

/**
 * Reads the body of a request whose method may have one. An empty body counts as none, for any content type. With `takesForm` it
 * may be a form, which is read as the JSON body that it stands for.
 *
 * The text is UTF-8 within all limits; whether it is JSON is found when it is parsed.
 */
export const read = (
  request: HttpServerRequest.HttpServerRequest,
  options: { readonly maxBytes: number; readonly digested: boolean; readonly takesForm: boolean }
): Effect.Effect<Result.Result<BodyRead, Refusal>> => {
  const limit = options.maxBytes
  const declared = request.headers["content-length"]
  const length = declared === undefined ? null : Number(declared)
  if (length !== null && length > limit) return Effect.succeed(Result.fail(tooLarge(limit, length)))
  const reading = begin(request, limit, length, options)
  const encoding = encodingOf(request)
  const pieces =
    encoding !== null
      ? decoded(request, encoding, options, reading.add)
      : length !== null && length <= onePiece
        ? Effect.map(request.arrayBuffer, (bytes) => reading.add(new Uint8Array(bytes)))
        : // A refusal stops reading; the rest of the body is ignored.
          request.stream.pipe(
            Stream.runForEachArray((chunks) => {
              for (const chunk of chunks) {
                const refused = reading.add(chunk)
                if (refused !== null) return Effect.fail(refused)
              }
              return Effect.void
            }),
            Effect.as(null),
            Effect.catchIf(isRefusal, Effect.succeed)
          )
  return Effect.matchEffect(pieces, {
    onFailure: () => Effect.succeed(Result.fail(Errors.badRequest("The body ended before it was complete"))),
    onSuccess: (refused) => (refused === null ? reading.end : Effect.succeed(Result.fail(refused)))
  })
}

const begin = (
  request: HttpServerRequest.HttpServerRequest,
  limit: number,
  length: number | null,
  { digested, takesForm }: { readonly digested: boolean; readonly takesForm: boolean }
) => {
  const limits = limitsOf(limit)
  const type = request.headers["content-type"] ?? ""
  const form = takesForm && FormBody.isForm(type) ? FormBody.begin(type) : null
  const decoder = Utf8.make()
  const meter = JsonMeter.make(limits)
  const hash = digested ? createHash("sha256") : null
  let received = 0
  /** Complete pieces, and the start of the next one. Small chunks are joined, as each separate text takes memory. */
  const pieces: Array<string> = []
  let begun = ""
  let isSuspicious = false

  const add = (bytes: Uint8Array): Refusal | null => {
    if (bytes.length === 0) return null
    if (received === 0) {
      const refused = unlessReadable(request, takesForm)
      if (refused !== null) return refused
    }
    received += bytes.length
    if (received > limit) return tooLarge(limit, length)
    return form === null ? addJson(bytes) : addMade(form.add(bytes))
  }

  /** Adds what a form made. */
  const addMade = (made: Uint8Array | Refusal): Refusal | null => ("statusCode" in made ? made : addJson(made))

  const addJson = (bytes: Uint8Array): Refusal | null => {
    const excess = meter.add(bytes)
    if (excess !== null) return Errors.badRequest(tooMuch(excess, limits, meter.position()))
    const piece = decoder.add(bytes)
    if (piece === null) return notUtf8
    hash?.update(bytes)
    begun += piece
    if (begun.length >= onePiece) cut()
    return null
  }

  const cut = (): void => {
    isSuspicious ||= Text.isSuspicious(pieces.at(-1) ?? "", begun)
    pieces.push(begun)
    begun = ""
  }

  const end = Effect.gen(function* () {
    const refused = form === null || received === 0 ? null : addMade(form.end())
    if (refused !== null) return Result.fail(refused)
    if (!decoder.isComplete()) return Result.fail(notUtf8)
    if (begun !== "") cut()
    const problems = isSuspicious ? yield* Text.problemsOf(pieces) : []
    const isLarge = limit > mebibytes(1) && pieces.length > 1
    const complete = withBody(request, pieces, isLarge)
    return Result.succeed({
      parsed: isLarge ? complete.json : null,
      digest: hash?.digest("hex") ?? "",
      problems
    })
  })

  return { add, end }
}

const unlessReadable = ({ headers }: HttpServerRequest.HttpServerRequest, takesForm: boolean): Refusal | null => {
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase()
  if (type !== "application/json" && !(takesForm && FormBody.isForm(type))) {
    const expected = `application/json${takesForm ? " or multipart/form-data" : ""}`
    return Errors.general(415, `Expected a body with Content-Type: ${expected}, got ${type || "no type"}`)
  }
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
  if (encoding === "identity" || decoders.has(encoding)) return null
  const got = encoding.slice(0, 80)
  return Errors.general(
    415,
    `Expected a body with Content-Encoding: gzip, br or identity, got Content-Encoding: ${got}`
  )
}

type Decoder = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Buffer>

/** The encodings of bodies that are read, each with what decodes it outside of the event loop. */
const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["br", promisify(brotliDecompress)]
])

const encodingOf = ({ headers }: HttpServerRequest.HttpServerRequest): Decoder | null =>
  decoders.get(headers["content-encoding"]?.trim().toLowerCase() ?? "") ?? null

/** Reads a body that was sent with an encoding. The limit of the endpoint is that of what was sent, and of what it becomes. */
const decoded = (
  request: HttpServerRequest.HttpServerRequest,
  decode: Decoder,
  { maxBytes: limit, takesForm }: { readonly maxBytes: number; readonly takesForm: boolean },
  add: (bytes: Uint8Array) => Refusal | null
): Effect.Effect<Refusal | null, HttpServerError.HttpServerError> =>
  Effect.gen(function* () {
    const refused = unlessReadable(request, takesForm)
    if (refused !== null) return refused
    const sent: Array<Uint8Array> = []
    let received = 0
    const excess = yield* request.stream.pipe(
      Stream.runForEachArray((chunks) => {
        for (const chunk of chunks) {
          received += chunk.length
          sent.push(chunk)
        }
        return received > limit ? Effect.fail(tooLarge(limit, null)) : Effect.void
      }),
      Effect.as(null),
      Effect.catchIf(isRefusal, Effect.succeed)
    )
    if (excess !== null || received === 0) return excess
    const bytes = yield* Effect.promise(() =>
      decode(Buffer.concat(sent), { maxOutputLength: limit }).catch((error: { readonly code?: string }) =>
        error.code === "ERR_BUFFER_TOO_LARGE" ? tooLarge(limit, null) : notDecoded
      )
    )
    if ("statusCode" in bytes) return bytes
    for (let from = 0; from < bytes.length; from += onePiece) {
      const problem = add(bytes.subarray(from, from + onePiece))
      if (problem !== null) return problem
      if (from > 0) yield* Effect.yieldNow
    }
    return null
  })

const notDecoded: Refusal = Errors.badRequest("The body is not in the encoding that Content-Encoding names")

const notUtf8: Refusal = Errors.badRequest("The body is not valid UTF-8")

const tooLarge = (limit: number, received: number | null): Refusal => ({
  statusCode: 413,
  code: "PAYLOAD_TOO_LARGE",
  message: `The body is larger than ${limit} bytes, the limit of this endpoint`,
  limit_bytes: limit,
  ...(received === null ? {} : { received_bytes: received })
})

const isRefusal = (error: object): error is Refusal => "statusCode" in error

/**
 * The request, with the body that was read of it. Other state of the request, such as its response, stays. A
 * body of several pieces is given once and not kept, as it is large and what was parsed of it is too.
 */
const withBody = (
  request: HttpServerRequest.HttpServerRequest,
  read: ReadonlyArray<string>,
  isLarge: boolean
): HttpServerRequest.HttpServerRequest => {
  let held: ReadonlyArray<string> | null = read
  const take = Effect.sync(() => {
    if (held === null) throw new Error("A long body can be taken only once")
    const pieces = held
    if (pieces.length > 1) held = null
    return pieces
  })
  return over(request, take, isLarge)
}

const typed = (headers: Headers.Headers): Headers.Headers =>
  headers["content-type"] === "application/json" ? headers : Headers.set(headers, "content-type", "application/json")

const over = (
  request: HttpServerRequest.HttpServerRequest,
  take: Effect.Effect<ReadonlyArray<string>>,
  isLarge: boolean
): HttpServerRequest.HttpServerRequest => {
  const { modify } = request
  // Work on a long text begins in a separate turn.
  const text = Effect.flatMap(take, (pieces) =>
    Effect.as(pieces.length > 1 ? Effect.yieldNow : Effect.void, pieces.join(""))
  )
  const json = take.pipe(
    Effect.flatMap(
      (pieces): Effect.Effect<Schema.Json, SyntaxError> =>
        pieces.length === 0 ? Effect.succeed(null) : JsonParser.parse(pieces)
    ),
    Effect.mapError(
      (cause) =>
        new HttpServerError.HttpServerError({ reason: new HttpServerError.RequestParseError({ request, cause }) })
    )
  )
  const bytes = Effect.map(text, (body) => new TextEncoder().encode(body))
  // Almost every endpoint reads one of these: what the others need is made when it is asked for.
  const own: PropertyDescriptorMap = {
    // An empty body has no type, for any header.
    headers: { value: typed(request.headers) },
    text: { value: isLarge ? Effect.succeed(LargeBody.standIn) : text },
    json: { value: json },
    arrayBuffer: { get: () => Effect.map(bytes, ({ buffer }) => buffer) },
    stream: { get: () => Stream.fromEffect(bytes) },
    modify: {
      value: (options: Parameters<HttpServerRequest.HttpServerRequest["modify"]>[0]) =>
        over(modify.call(request, options), take, isLarge)
    }
  }
  return Object.defineProperties(request, own)
}
