/**
 * Signed requests to one bucket of an S3-compatible store, addressed by its path.
 *
 * A request is retried a few times, with growing pauses, if the store is busy, fails or cannot be reached. Each try has
 * a timeout. Only the code of an error of the store is reported, because its text may contain the request.
 */
import { AwsClient } from "aws4fetch"
import { Effect, Redacted, Schedule, Schema } from "effect"

export interface Options {
  /** Such as `https://s3.eu-central-1.amazonaws.com` or `http://127.0.0.1:9000`. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: Redacted.Redacted<string>
  /** The prefix of the keys of objects, such as `sluice/`. */
  readonly prefix: string
  /** Timeout of one try until the store begins to answer, in milliseconds. */
  readonly timeoutMillis: number
  /** Maximum number of retries of a request. */
  readonly retries: number
  /** The pause before the first retry, in milliseconds. It doubles with each retry. */
  readonly retryMillis: number
}

export const defaults = { region: "us-east-1", prefix: "", timeoutMillis: 20_000, retries: 4, retryMillis: 100 }

/** Raised when the store did not answer, or answered with an error. */
export class S3Failure extends Schema.TaggedError<S3Failure>()("S3Failure", {
  /** The HTTP status; 0 when there was no answer. */
  status: Schema.Int,
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export interface Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE" | "HEAD"
  /** The key of an object without the prefix; `null` for the bucket itself. */
  readonly key: string | null
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export interface S3Client {
  /** Sends a request. A missing object counts as an answer; any other error status is a failure. */
  readonly send: (request: Request) => Effect.Effect<Response, S3Failure>
}

export const make = (options: Options): S3Client => {
  const { accessKey, bucket, endpoint, prefix, region, retries, retryMillis, secretKey, timeoutMillis } = options
  const client = new AwsClient({
    accessKeyId: accessKey,
    secretAccessKey: Redacted.value(secretKey),
    service: "s3",
    region,
    retries: 0
  })

  const addressOf = ({ key, query = {} }: Request): string => {
    const path = key === null ? bucket : `${bucket}/${prefix}${key}`
    const url = new URL(`${endpoint.replace(/\/$/, "")}/${path.split("/").map(encodeURIComponent).join("/")}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url.href
  }

  const once = (request: Request) =>
    Effect.tryPromise({
      try: async (signal) => {
        const { body, headers = {}, method } = request
        const signed = await client.sign(addressOf(request), {
          method,
          headers: { ...headers, ...(body === undefined ? {} : { "x-amz-content-sha256": await digest(body) }) },
          // No body lies in shared memory.
          ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> })
        })
        const begun = new AbortController()
        const timer = setTimeout(() => begun.abort(new Error(`no answer within ${timeoutMillis} ms`)), timeoutMillis)
        try {
          return await fetch(signed, { signal: AbortSignal.any([signal, begun.signal]), redirect: "error" })
        } finally {
          clearTimeout(timer)
        }
      },
      catch: (error) => new S3Failure({ status: 0, reason: `the S3 store could not be reached: ${reasonOf(error)}` })
    }).pipe(Effect.flatMap((answer) => judged(request, answer)))

  return {
    send: (request) =>
      once(request).pipe(
        Effect.retry({
          while: ({ status }) => passing.has(status),
          schedule: Schedule.exponential(retryMillis).pipe(Schedule.jittered, Schedule.upTo({ times: retries }))
        })
      )
  }
}

/**
 * The statuses of failures that may pass: no answer, too many requests, and failures of the store or of a proxy before
 * it.
 */
const passing = new Set([0, 429, 500, 502, 503, 504])

const judged = ({ method }: Request, answer: Response): Effect.Effect<Response, S3Failure> => {
  // A missing object is an answer, but a missing bucket for an upload is a failure.
  const mayBeMissing = method !== "PUT" && method !== "POST"
  if (answer.ok) return Effect.succeed(answer)
  if (answer.status === 404 && mayBeMissing) {
    // An unread body would keep the connection in use.
    return Effect.as(Effect.ignore(Effect.tryPromise(async () => answer.body?.cancel())), answer)
  }
  return Effect.flatMap(
    Effect.promise(() => answer.text().catch(() => "")),
    (text) => {
      const code = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(text)?.[1]
      const said = code === undefined ? "" : ` (${code})`
      return new S3Failure({ status: answer.status, reason: `the S3 store answered with ${answer.status}${said}` })
    }
  )
}

const digest = async (body: Uint8Array): Promise<string> =>
  // No body lies in shared memory.
  Buffer.from(await crypto.subtle.digest("SHA-256", body as Uint8Array<ArrayBuffer>)).toString("hex")

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (cause instanceof Error) return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message
  return String(cause)
}
