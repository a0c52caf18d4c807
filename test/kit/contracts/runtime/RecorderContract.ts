/**
 * The promises of every implementation of `Recorder`, which takes the spans of a process.
 *
 * Where the spans go is yours to look at.
 */
import { Context, Effect } from "effect"
import { type EndedSpan, Recorder } from "../../../../core/runtime/Trace.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"

/** A span where the recorder has brought it. */
export interface BroughtSpan extends Pick<EndedSpan, "traceId" | "spanId" | "parentSpanId" | "name"> {
  readonly attributes: Readonly<Record<string, unknown>>
}

/** The place that the recorder under test brings spans to. */
export class Brought extends Context.Service<
  Brought,
  {
    /** What has arrived for a trace, once that are so many spans. */
    readonly spansOf: (traceId: string, count: number) => Effect.Effect<ReadonlyArray<BroughtSpan>>
  }
>()("sluice/test/kit/contracts/runtime/RecorderContract") {}

const promise = <A, E>(
  title: string,
  test: (recorder: Recorder, brought: Brought["Service"]) => Effect.Effect<A, E>
): Contract.ContractPromise<Brought> =>
  Contract.promise(
    `a recorder of spans ${title}`,
    Effect.gen(function* () {
      const recorder = yield* Recorder
      if (recorder === null) throw new assert.PromiseBroken("expected a recorder, got none")
      return yield* Contract.ends("what spans are waited for", test(recorder, yield* Brought))
    })
  )

const drawn = (make: () => string): ReadonlyArray<string> => Array.from({ length: 5_000 }, make)

const span = (recorder: Recorder, traceId: string, more: Partial<EndedSpan> = {}): EndedSpan => ({
  traceId,
  spanId: recorder.spanId(),
  parentSpanId: null,
  name: "run",
  kind: "internal",
  from: 1_767_225_600_000_000_000n,
  to: 1_767_225_600_000_000_001n,
  attributes: {},
  failure: null,
  interrupted: false,
  ...more
})

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Brought>> = [
  promise("makes ids of 32 and of 16 lower-case hexadecimal digits, none twice", (recorder) =>
    Effect.sync(() => {
      for (const [make, form] of [
        [recorder.traceId, /^(?!0{32})[0-9a-f]{32}$/],
        [recorder.spanId, /^(?!0{16})[0-9a-f]{16}$/]
      ] as const) {
        const ids = drawn(make)
        for (const id of ids) assert.match(id, form)
        assert.strictEqual(new Set(ids).size, ids.length)
      }
    })
  ),
  promise("says of a new trace and of each position whether it is recorded", (recorder) =>
    Effect.sync(() => {
      const parent = { traceId: recorder.traceId(), spanId: recorder.spanId() }
      for (const position of [null, { ...parent, sampled: true }, { ...parent, sampled: false }]) {
        assert.include([true, false], recorder.samples(position))
      }
    })
  ),
  promise("brings each span once, at its place in the trace", (recorder, { spansOf }) =>
    Effect.gen(function* () {
      const traceId = recorder.traceId()
      const root = span(recorder, traceId)
      const below = Array.from({ length: 20 }, (_, index) =>
        span(recorder, traceId, { name: `step ${index}`, parentSpanId: root.spanId, attributes: { index } })
      )
      for (const one of [...below, root]) recorder.ended(one)
      const brought = yield* spansOf(traceId, 21)
      assert.strictEqual(new Set(brought.map(({ spanId }) => spanId)).size, 21)
      for (const { name, parentSpanId, spanId } of [...below, root]) {
        const found = brought.find((one) => one.spanId === spanId)
        assert.deepStrictEqual([found?.traceId, found?.name, found?.parentSpanId], [traceId, name, parentSpanId])
      }
    })
  ),
  promise("keeps nothing that it was given, and leaves out attributes without a value", (recorder, { spansOf }) =>
    Effect.gen(function* () {
      const traceId = recorder.traceId()
      const attributes: Record<string, string | null> = { kept: "before", none: null }
      recorder.ended(span(recorder, traceId, { attributes }))
      attributes.kept = "after"
      attributes.later = "more"
      const [found] = yield* spansOf(traceId, 1)
      assert.deepStrictEqual(found?.attributes, { kept: "before" })
    })
  ),
  promise("takes every span, and does not throw", (recorder, { spansOf }) =>
    Effect.gen(function* () {
      const traceId = recorder.traceId()
      const odd: ReadonlyArray<Partial<EndedSpan>> = [
        { name: "", failure: "LeaseLost" },
        { name: "päss ✓ \u0000 \ud800", interrupted: true },
        { kind: "server", attributes: { many: 2 ** 53, half: -0.5, is: true, text: "x".repeat(100_000) } },
        { kind: "consumer", from: 5n, to: 4n }
      ]
      for (const more of odd) recorder.ended(span(recorder, traceId, more))
      assert.lengthOf(yield* spansOf(traceId, odd.length), odd.length)
    })
  )
]
