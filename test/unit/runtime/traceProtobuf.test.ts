import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type OtlpResource, OtlpSerialization, type OtlpTracer } from "effect/observability"
import * as TraceJson from "../../../adapters/telemetry/TraceJson.ts"
import * as TraceProtobuf from "../../../adapters/telemetry/TraceProtobuf.ts"
import type { EndedSpan } from "../../../core/runtime/Trace.ts"

const span: EndedSpan = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  parentSpanId: null,
  name: "POST /run",
  kind: "server",
  from: 1_764_000_000_123_456_789n,
  to: 1_764_000_000_223_456_789n,
  attributes: {},
  failure: null,
  interrupted: false
}

const attributes: EndedSpan["attributes"] = {
  text: "é😀",
  empty: "",
  yes: true,
  no: false,
  ...Object.fromEntries([0, 127, 128, 201, 2 ** 31, Number.MAX_SAFE_INTEGER, -1].map((one) => [`integer ${one}`, one])),
  double: -1.5,
  large: 2 ** 60,
  nothing: null,
  long: "x".repeat(20_000)
}

const failed: EndedSpan = {
  ...span,
  kind: "client",
  parentSpanId: "00f067aa0ba902b7",
  attributes,
  failure: "PageFailure"
}
const interrupted: EndedSpan = {
  ...failed,
  kind: "consumer",
  from: 1n,
  to: 2n ** 64n - 1n,
  failure: null,
  interrupted: true
}

const resource: OtlpResource.Resource = {
  attributes: [
    { key: "service.name", value: { stringValue: "sluice" } },
    { key: "process.pid", value: { intValue: 4_711 } }
  ],
  droppedAttributesCount: 0
}

const bytesOf = (body: ReturnType<ReturnType<typeof TraceJson.make>["take"]>): Uint8Array =>
  body._tag === "Uint8Array" ? body.body : new Uint8Array(0)

/** Messages are written from their end, and so lists are. */
const reversed = (data: OtlpTracer.TraceData): OtlpTracer.TraceData => ({
  resourceSpans: data.resourceSpans.map(({ resource, scopeSpans }) => ({
    resource: { ...resource, attributes: resource.attributes.toReversed() },
    scopeSpans: scopeSpans.map(({ scope, spans }) => ({
      scope,
      spans: spans.toReversed().map((one) => ({ ...one, attributes: one.attributes.toReversed() }))
    }))
  }))
})

it.effect("the binary form of traces is, byte by byte, what Effect makes of their form in JSON", () =>
  Effect.gen(function* () {
    const { traces } = yield* OtlpSerialization.OtlpSerialization
    const [binary, json] = [TraceProtobuf.make(resource), TraceJson.make(resource)]
    for (const spans of [
      [],
      [span],
      [failed, span, interrupted],
      Array.from({ length: 20 }, () => failed),
      [{ ...span, kind: "internal" as const }]
    ]) {
      for (const one of spans) {
        binary.add(one)
        json.add(one)
      }
      assert.deepStrictEqual([binary.size, json.size], [spans.length, spans.length])
      const data = JSON.parse(new TextDecoder().decode(bytesOf(json.take()))) as OtlpTracer.TraceData
      assert.strictEqual(data.resourceSpans[0]?.scopeSpans[0]?.spans.length, spans.length)
      const expected = traces(reversed(data))
      assert.deepStrictEqual(
        Buffer.from(bytesOf(binary.take())).toString("base64"),
        Buffer.from(bytesOf(expected)).toString("base64")
      )
      assert.deepStrictEqual([binary.size, json.size], [0, 0])
    }
  }).pipe(Effect.provide(OtlpSerialization.layerProtobuf))
)
