import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Telemetry from "../../../adapters/telemetry/Telemetry.ts"
import { type EndedSpan, Recorder } from "../../../core/runtime/Trace.ts"
import * as Contract from "../../kit/contracts/Contract.ts"
import * as RecorderContract from "../../kit/contracts/runtime/RecorderContract.ts"
import { collector, variablesFor } from "../../support/otlp.ts"

/** A recorder that sends to a receiver. */
const exporting = (more: Readonly<Record<string, string>> = {}) =>
  Layer.unwrap(
    Effect.map(collector, ({ spans, until, url }) => {
      const of = (traceId: string) => spans().filter((one) => one.traceId === traceId)
      const spansOf = (traceId: string, count: number) =>
        Effect.map(
          until(() => of(traceId).length >= count),
          () => of(traceId)
        )
      const environment = { ...variablesFor(url), OTEL_BSP_SCHEDULE_DELAY: "20", ...more }
      return Layer.merge(
        Layer.succeed(RecorderContract.Brought, { spansOf }),
        Telemetry.layer({ environment, part: "api", version: "1.0.0" })
      )
    })
  )

const withoutNull = (attributes: EndedSpan["attributes"]) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null))

/** A recorder of a few lines, which keeps spans in memory, with what it does otherwise. */
const own = (fault: (sound: Recorder, kept: Array<EndedSpan>) => Partial<Recorder> = () => ({})) =>
  Layer.suspend(() => {
    const kept: Array<EndedSpan> = []
    let made = 0
    const id = (digits: number) => (++made).toString(16).padStart(digits, "0")
    const sound: Recorder = {
      samples: () => true,
      traceId: () => id(32),
      spanId: () => id(16),
      ended: (span) => void kept.push({ ...span, attributes: withoutNull(span.attributes) })
    }
    const spansOf = (traceId: string) => Effect.sync(() => kept.filter((one) => one.traceId === traceId))
    return Layer.merge(
      Layer.succeed(RecorderContract.Brought, { spansOf }),
      Layer.succeed(Recorder, { ...sound, ...fault(sound, kept) })
    )
  })

const brokenBy = (recorder: Layer.Layer<RecorderContract.Brought>) =>
  Effect.map(Contract.broken(RecorderContract.promises, Effect.provide(Layer.fresh(recorder))), (broken) =>
    broken.map(({ title }) => title.replace("a recorder of spans ", ""))
  )

const titles = {
  ids: "makes ids of 32 and of 16 lower-case hexadecimal digits, none twice",
  samples: "says of a new trace and of each position whether it is recorded",
  brings: "brings each span once, at its place in the trace",
  keeps: "keeps nothing that it was given, and leaves out attributes without a value",
  takes: "takes every span, and does not throw"
}

const faults: Readonly<Record<string, readonly [Layer.Layer<RecorderContract.Brought>, ReadonlyArray<string>]>> = {
  "that makes ids in capitals": [own(({ spanId }) => ({ spanId: () => spanId().replace(/^0/, "A") })), [titles.ids]],
  "that throws for a position that is not recorded": [
    own(() => ({
      samples: (parent) => {
        if (parent?.sampled === false) throw new Error("not sampled")
        return true
      }
    })),
    [titles.samples]
  ],
  "that brings spans without their place": [
    own(({ ended }) => ({ ended: (span) => ended({ ...span, parentSpanId: null }) })),
    [titles.brings]
  ],
  "that keeps the attributes that it was given": [
    own((_, kept) => ({ ended: (span) => void kept.push(span) })),
    [titles.keeps]
  ],
  "that takes only what has a name": [
    own(({ ended }) => ({
      ended: (span) => {
        if (span.name !== "") ended(span)
      }
    })),
    [titles.takes]
  ]
}

describe("the contract of recorders of spans", () => {
  it.live.each([
    ["in JSON", exporting({ OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" })],
    ["in memory", own()]
  ] as const)("is kept by one that brings them %s", ([, recorder]) =>
    Effect.map(brokenBy(recorder), (broken) => assert.deepStrictEqual(broken, []))
  )

  it.live.each(Object.keys(faults))("finds one %s", (fault) =>
    Effect.gen(function* () {
      const [recorder, broken] = faults[fault] ?? [own(), []]
      assert.deepStrictEqual(yield* brokenBy(recorder), [...broken])
    })
  )
})
