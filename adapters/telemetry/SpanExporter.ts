/**
 * Sends spans to a receiver in batches, in the background. What a receiver does not take never slows the process: the
 * number of spans that wait is bounded, one request is sent at a time, and further spans are dropped.
 */
import { Duration, Effect, Latch, Schedule, Semaphore } from "effect"
import { type Headers, HttpClient, HttpClientRequest } from "effect/http"
import type { EndedSpan } from "../../core/runtime/Trace.ts"
import type { SpanBatch } from "./SpanBatch.ts"

export interface Options {
  readonly url: string
  readonly headers: Headers.Input | undefined
  readonly compresses: boolean
  readonly batch: SpanBatch
  /** The longest that a span waits to be sent. */
  readonly delay: Duration.Input
  /** The number of spans that are sent without waiting that long. */
  readonly batchSize: number
  /** The largest number of spans that wait while a request is under way. */
  readonly queueSize: number
}

/** The attempts for a batch that the receiver cannot take now. */
const attempts = 3

/** The longest that the end of the process waits for the last batch. */
const lastWait = Duration.seconds(3)

/** Takes ended spans until the scope closes, and sends the last ones then. */
export const make = Effect.fnUntraced(function* ({ batch, batchSize, compresses, delay, queueSize, ...to }: Options) {
  const client = (yield* HttpClient.HttpClient).pipe(
    HttpClient.filterStatusOk,
    HttpClient.retryTransient({ times: attempts - 1, schedule: Schedule.spaced("1 second") })
  )
  const request = HttpClientRequest.post(to.url, { headers: to.headers })
  const isFull = yield* Latch.make()
  const oneAtATime = Semaphore.withPermit(yield* Semaphore.make(1))
  let isTaken = true

  // Why a batch was not taken is logged by the client.
  const send = Effect.suspend(() => {
    isFull.closeUnsafe()
    if (batch.size === 0) return Effect.void
    const sent = HttpClientRequest.setBody(request, batch.take())
    return Effect.flatMap(
      compresses ? HttpClientRequest.compressBody(sent, "gzip") : Effect.succeed(sent),
      client.execute
    )
  }).pipe(
    Effect.matchCause({
      onFailure: () => {
        isTaken = false
      },
      onSuccess: () => {
        isTaken = true
      }
    }),
    Effect.withTracerEnabled(false),
    oneAtATime
  )

  yield* isFull.await.pipe(Effect.timeoutOption(delay), Effect.andThen(send), Effect.forever, Effect.forkScoped)
  // A receiver that did not take the batch before keeps no process from its end.
  yield* Effect.addFinalizer(() => Effect.suspend(() => (isTaken ? Effect.timeoutOption(send, lastWait) : Effect.void)))

  return (span: EndedSpan): void => {
    if (batch.size >= queueSize) return
    batch.add(span)
    if (batch.size === batchSize) isFull.openUnsafe()
  }
})
