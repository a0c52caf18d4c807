/** Collects spans as OTLP in JSON, for receivers that do not read protobuf. */
import { HttpBody } from "effect/http"
import type { OtlpResource, OtlpTracer } from "effect/observability"
import type { EndedSpan } from "../../core/runtime/Trace.ts"
import { errorType, failed, interrupted, kinds, type SpanBatch, scope, unset } from "./SpanBatch.ts"

type Span = OtlpTracer.ScopeSpan["spans"][number]

const valueOf = (value: string | number | boolean): OtlpResource.AnyValue => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: value } : { doubleValue: value }
}

const shown = (span: EndedSpan): Span => {
  const attributes = {
    ...span.attributes,
    ...(span.failure === null ? {} : { [errorType]: span.failure }),
    ...(span.interrupted ? { [interrupted]: true } : {})
  }
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? undefined,
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: String(span.from),
    endTimeUnixNano: String(span.to),
    attributes: Object.entries(attributes).flatMap(([key, value]) =>
      value === null ? [] : [{ key, value: valueOf(value) }]
    ),
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    status: span.failure === null ? { code: unset } : { code: failed, message: span.failure },
    links: [],
    droppedLinksCount: 0
  }
}

/** A batch whose spans are all of one resource. */
export const make = (resource: OtlpResource.Resource): SpanBatch => {
  let spans: Array<Span> = []
  return {
    get size() {
      return spans.length
    },
    add: (span) => void spans.push(shown(span)),
    take: () => {
      const data: OtlpTracer.TraceData = {
        resourceSpans: [{ resource, scopeSpans: [{ scope: { name: scope }, spans }] }]
      }
      spans = []
      return HttpBody.jsonUnsafe(data)
    }
  }
}
