/** A receiver of OTLP over HTTP that reads traces and metrics in JSON, and keeps all of them. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { until } from "./waiting.ts"

export interface Span {
  /** The part of the service that recorded the span. */
  readonly part: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: number
  readonly failed: boolean
  readonly attributes: Readonly<Record<string, unknown>>
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface Sent {
  readonly resourceSpans?: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<Attribute> }
    readonly scopeSpans: ReadonlyArray<{
      readonly spans: ReadonlyArray<{
        readonly traceId: string
        readonly spanId: string
        readonly parentSpanId?: string
        readonly name: string
        readonly kind: number
        readonly status: { readonly code: number }
        readonly attributes: ReadonlyArray<Attribute>
      }>
    }>
  }>
  readonly resourceMetrics?: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<{ readonly name: string }> }>
  }>
}

const plain = (attributes: ReadonlyArray<Attribute>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansOf = ({ resourceSpans = [] }: Sent): ReadonlyArray<Span> =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, kind, name, parentSpanId = null, spanId, status, traceId }) => ({
        part: String(plain(resource.attributes)["sluice.part"]),
        traceId,
        spanId,
        parentSpanId,
        name,
        kind,
        failed: status.code === 2,
        attributes: plain(attributes)
      }))
    )
  )

/** Receives until the scope closes. */
export const collector = Effect.acquireRelease(
  Effect.callback<{
    readonly url: string
    readonly bodies: ReadonlyArray<string>
    readonly spans: () => ReadonlyArray<Span>
    readonly metrics: () => ReadonlySet<string>
    /** Waits until the received data satisfies a condition. */
    readonly until: (holds: () => boolean) => Effect.Effect<void>
    readonly close: () => void
  }>((resume) => {
    const bodies: Array<string> = []
    const spans: Array<Span> = []
    const metrics = new Set<string>()
    const untilHolds = (holds: () => boolean) =>
      Effect.asVoid(
        until(
          "what is sent to the receiver",
          Effect.sync(() => ({ spans, metrics, holds: holds() })),
          (seen) => seen.holds
        )
      )
    const server = createServer((request, answer) => {
      const pieces: Array<Buffer> = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("end", () => {
        const body = Buffer.concat(pieces).toString("utf8")
        bodies.push(`${request.url} ${body}`)
        const sent = JSON.parse(body) as Sent
        spans.push(...spansOf(sent))
        for (const { scopeMetrics } of sent.resourceMetrics ?? []) {
          for (const one of scopeMetrics) for (const { name } of one.metrics) metrics.add(name)
        }
        answer.writeHead(200, { "content-type": "application/json" }).end("{}")
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      const close = () => void server.close()
      resume(
        Effect.succeed({
          url: `http://127.0.0.1:${port}`,
          bodies,
          spans: () => spans,
          metrics: () => metrics,
          until: untilHolds,
          close
        })
      )
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** The variables of OpenTelemetry that send to a receiver with a short delay. */
export const variablesFor = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_BSP_SCHEDULE_DELAY: "500",
  OTEL_METRIC_EXPORT_INTERVAL: "2000"
})
