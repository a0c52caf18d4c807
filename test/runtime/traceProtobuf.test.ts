import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { OtlpSerialization, type OtlpTracer } from "effect/observability"
import * as TraceProtobuf from "../../adapters/telemetry/TraceProtobuf.ts"

type Span = OtlpTracer.ScopeSpan["spans"][number]

const span: Span = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  parentSpanId: undefined,
  name: "POST /run",
  kind: 2,
  startTimeUnixNano: "1764000000123456789",
  endTimeUnixNano: "1764000000223456789",
  attributes: [],
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  status: { code: 1 },
  links: [],
  droppedLinksCount: 0
}

const values: Span["attributes"] = [
  { key: "text", value: { stringValue: "é😀" } },
  { key: "empty", value: { stringValue: "" } },
  { key: "yes", value: { boolValue: true } },
  { key: "no", value: { boolValue: false } },
  ...[0, 127, 128, 201, 2 ** 31, Number.MAX_SAFE_INTEGER, 2 ** 63, -1, "9007199254740993", "-9223372036854775808"].map(
    (intValue) => ({ key: "integer", value: { intValue } })
  ),
  { key: "double", value: { doubleValue: -1.5 } },
  {
    key: "list",
    value: { arrayValue: { values: [{ stringValue: "a" }, { intValue: 1 }, { arrayValue: { values: [] } }] } }
  },
  { key: "pairs", value: { kvlistValue: { values: [{ key: "a", value: { boolValue: true } }] } } },
  { key: "bytes", value: { bytesValue: new Uint8Array([1, 2, 255]) } },
  { key: "nothing", value: {} },
  { key: "long", value: { stringValue: "x".repeat(20_000) } }
]

const failed: Span = {
  ...span,
  parentSpanId: "00f067aa0ba902b7",
  attributes: values,
  status: { code: 2, message: "PageFailure" },
  events: [
    { name: "exception", timeUnixNano: "1", attributes: values.slice(0, 3), droppedAttributesCount: 0 },
    { name: "", timeUnixNano: "18446744073709551615", attributes: [], droppedAttributesCount: 0 }
  ],
  links: [{ traceId: span.traceId, spanId: span.spanId, attributes: values.slice(0, 2), droppedAttributesCount: 0 }]
}

it.effect("the binary form of traces is, byte by byte, that of Effect", () =>
  Effect.gen(function* () {
    const { traces } = yield* OtlpSerialization.OtlpSerialization
    const batch = (spans: Array<Span>): OtlpTracer.TraceData => ({
      resourceSpans: [
        {
          resource: { attributes: values.slice(0, 5), droppedAttributesCount: 0 },
          scopeSpans: [{ scope: { name: "effect", version: "4.1.0" }, spans }]
        }
      ]
    })
    for (const spans of [[], [span], [failed, span, failed], Array.from({ length: 20 }, () => failed)]) {
      const body = traces(batch(spans))
      assert.deepStrictEqual(
        Buffer.from(TraceProtobuf.encode(batch(spans))).toString("base64"),
        Buffer.from(body._tag === "Uint8Array" ? body.body : []).toString("base64")
      )
    }
    assert.deepStrictEqual(TraceProtobuf.encode({ resourceSpans: [] }), new Uint8Array(0))
  }).pipe(Effect.provide(OtlpSerialization.layerProtobuf))
)
