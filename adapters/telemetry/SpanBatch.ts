/** Ended spans in the form in which they are sent, and the words and numbers that both forms of OTLP share. */
import type { HttpBody } from "effect/http"
import type { EndedSpan, Kind } from "../../core/runtime/Trace.ts"

/** Collects ended spans. */
export interface SpanBatch {
  /** The number of spans that wait to be sent. */
  readonly size: number
  /** Takes a span. It keeps nothing of it that changes. */
  readonly add: (span: EndedSpan) => void
  /** The body of a request with all spans of the batch, which is empty then. */
  readonly take: () => HttpBody.HttpBody
}

/** The instrumentation scope of all spans. */
export const scope = "sluice"

/** The numbers of the kinds of spans. */
export const kinds = { internal: 1, server: 2, client: 3, consumer: 5 } as const satisfies Record<Kind, number>

/** The number of the status of a span that has none, and of one that failed. */
export const [unset, failed] = [0, 2] as const

/** The attribute for the kind of a failure, and the one of a span that was interrupted. */
export const [errorType, interrupted] = ["error.type", "sluice.interrupted"] as const
