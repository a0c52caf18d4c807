/** Records the network requests of the pages of a browser context. */
import { Effect, type Scope } from "effect"
import type { BrowserContext, Request, Response } from "playwright-core"
import { type Exchange, isText } from "../../../core/browser/Exchange.ts"
import type { Observation } from "../../../core/browser/Observation.ts"

/** Answers larger than this are not read: nothing near as much of them is kept. */
const largestRead = 1_048_576

/** A request body larger than this is not reported. */
const largestSent = 65_536

/** How long the end waits for answers that are being read, in milliseconds. */
const settleMillis = 2_000

/**
 * Reports every request that begins after this call. The end of the scope waits briefly for answers that are being
 * read, and then reports the unfinished requests.
 */
export const watch = (
  context: BrowserContext,
  tell: (exchange: Exchange) => void,
  { begun, bytes = false, largestBody = largestRead }: Parameters<Observation["watchNetwork"]>[1] = {}
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    /** Requests without an end yet, with the instant at which they began. */
    const pending = new Map<Request, number>()
    const reading = new Set<Promise<void>>()

    const end = (request: Request): void => {
      const startedAt = pending.get(request)
      if (startedAt === undefined) return
      pending.delete(request)
      const read = describe(
        request,
        startedAt,
        Date.now() - startedAt,
        bytes ? bytesOf(largestBody) : textOf(largestBody)
      )
        .then(tell)
        .finally(() => reading.delete(read))
      reading.add(read)
    }
    const begin = (request: Request): void => {
      if (!/^https?:/i.test(request.url())) return
      const startedAt = Date.now()
      pending.set(request, startedAt)
      begun?.({ url: request.url(), resourceType: request.resourceType(), startedAt })
    }

    yield* Effect.acquireRelease(
      Effect.sync(() => {
        context.on("request", begin)
        context.on("requestfinished", end)
        context.on("requestfailed", end)
      }),
      () =>
        Effect.gen(function* () {
          context.off("request", begin)
          context.off("requestfinished", end)
          context.off("requestfailed", end)
          yield* Effect.promise(() => Promise.all(reading)).pipe(Effect.timeoutOption(settleMillis))
          for (const [request, startedAt] of pending) tell(unended(request, startedAt))
        })
    )
  })

const unended = (request: Request, startedAt: number): Exchange => ({
  method: request.method(),
  url: request.url(),
  resourceType: request.resourceType(),
  startedAt,
  durationMillis: null,
  status: null,
  failure: null,
  requestHeaders: request.headers(),
  responseHeaders: {},
  body: null,
  requestBody: sentBy(request)
})

/** The body of a request, where it is text. */
const sentBy = (request: Request): string | null => {
  const bytes = request.postDataBuffer()
  return bytes === null || bytes.length > largestSent ? null : bytes.toString("utf8")
}

const describe = async (request: Request, startedAt: number, tookMillis: number, read: ReadBody): Promise<Exchange> => {
  const [response, requestHeaders] = await Promise.all([
    request.response().catch(() => null),
    request.allHeaders().catch(() => request.headers())
  ])
  const { responseEnd } = request.timing()
  const ended = {
    ...unended(request, startedAt),
    durationMillis: responseEnd >= 0 ? responseEnd : tookMillis,
    requestHeaders,
    failure: request.failure()?.errorText ?? null
  }
  if (response === null) return ended
  return {
    ...ended,
    status: response.status(),
    responseHeaders: await response.allHeaders().catch(() => response.headers()),
    ...(await read(request, response))
  }
}

/** Reads the body of an answer in the form in which it is reported. */
type ReadBody = (request: Request, response: Response) => Promise<Pick<Exchange, "body" | "bytes">>

const textOf =
  (largestBody: number): ReadBody =>
  async (request, response) => {
    const isStored = isText(response.headers()["content-type"] ?? "")
    const text = isStored ? ((await bodyOf(request, response, largestBody))?.toString("utf8") ?? null) : null
    return { body: text }
  }

const bytesOf =
  (largestBody: number): ReadBody =>
  async (request, response) => {
    // A stream of events has no end to wait for.
    const isStream = /^text\/event-stream/i.test(response.headers()["content-type"] ?? "")
    return { body: null, bytes: isStream ? null : await bodyOf(request, response, largestBody) }
  }

const bodyOf = async (request: Request, response: Response, largestBody: number): Promise<Buffer | null> => {
  const status = response.status()
  if (status < 200 || status === 204 || (status >= 300 && status < 400)) return null
  try {
    const { responseBodySize } = await request.sizes()
    if (responseBodySize > largestBody) return null
    const body = await response.body()
    // It was sent packed, and is larger than it seemed.
    return body.length > largestBody ? null : body
  } catch {
    return null
  }
}
