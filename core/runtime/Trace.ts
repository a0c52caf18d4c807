/**
 * The spans of a run, from the request that submits it to the webhooks that report its end, in one trace across
 * processes.
 *
 * Spans are recorded only with a recorder. They contain names, ids, counts and codes, but no address, input, output or
 * error message. Positions in a trace are passed as `traceparent` headers of W3C Trace Context.
 */
import { Cause, Clock, Context, Effect, Exit, Option, Tracer } from "effect"

export interface Recorder {
  readonly tracer: Tracer.Tracer
  /** Whether to record a trace that continues this position, or a new trace for `null`. */
  readonly samples: (parent: Tracer.AnySpan | null) => boolean
  /** The start of a trace that no process records. */
  readonly unrecorded: () => Tracer.ExternalSpan
}

/** The recorder of this process; `null` where nothing is recorded. */
export const Recorder: Context.Reference<Recorder | null> = Context.Reference("sluice/core/runtime/Trace/Recorder", {
  defaultValue: (): Recorder | null => null
})

/** The position in the current trace; `null` outside of a trace. */
export const Current: Context.Reference<Tracer.AnySpan | null> = Context.Reference(
  "sluice/core/runtime/Trace/Current",
  { defaultValue: (): Tracer.AnySpan | null => null }
)

/** The id of the current request; `null` outside of one. */
export const RequestId: Context.Reference<string | null> = Context.Reference("sluice/core/runtime/Trace/RequestId", {
  defaultValue: (): string | null => null
})

const header = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/

/** The position in a `traceparent`; `null` for an invalid text. */
export const parse = (traceparent: string | null | undefined): Tracer.ExternalSpan | null => {
  const [, traceId = "", spanId = "", flags = ""] = header.exec(traceparent ?? "") ?? []
  if (traceId === "") return null
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
}

/** The `traceparent` of a position. */
export const traceparentOf = ({ sampled, spanId, traceId }: Tracer.AnySpan): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** The `traceparent` of the current position; `null` outside of a trace. */
export const traceparent: Effect.Effect<string | null> = Effect.map(Current, (span) =>
  span === null ? null : traceparentOf(span)
)

/** The request and the position in its trace that a submission belongs to. */
export const origin = Effect.gen(function* () {
  const position = yield* traceparent
  const requestId = yield* RequestId
  return { ...(position === null ? {} : { traceparent: position }), ...(requestId === null ? {} : { requestId }) }
})

/** The id of the trace of a stored `traceparent`, if the trace is recorded. */
export const idOf = (kept: string | undefined): string | null => {
  const span = parse(kept)
  return span === null ? null : span.traceId
}

/** Continues the trace of a stored `traceparent`, if any. */
export const continued =
  (kept: string | null | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const parent = parse(kept)
    return parent === null ? effect : Effect.provideService(effect, Current, parent)
  }

type Attributes = Readonly<Record<string, string | number | boolean | null>>

export interface Options {
  readonly kind?: Tracer.SpanKind
  readonly attributes?: Attributes
  /** Whether this span may start a trace and decides whether it is recorded. */
  readonly decides?: boolean
}

const start = (
  { tracer }: Recorder,
  name: string,
  parent: Tracer.AnySpan | null,
  { attributes = {}, kind = "internal" }: Options,
  startTime: bigint
): Tracer.Span => {
  const span = tracer.span({
    name,
    parent: Option.fromNullishOr(parent),
    annotations: Context.empty(),
    links: [],
    startTime,
    kind,
    root: parent === null,
    sampled: true
  })
  attach(span, attributes)
  return span
}

const attach = (span: Tracer.Span, attributes: Attributes): void => {
  for (const key in attributes) {
    const value = attributes[key] ?? null
    if (value !== null) span.attribute(key, value)
  }
}

/** A failure in a trace: its kind, without its message and stack. */
const described = (cause: Cause.Cause<unknown>): Error => {
  const failed = cause.reasons.find((reason) => reason._tag === "Fail")?.error
  const kind = typeof failed === "object" && failed !== null && "_tag" in failed ? String(failed._tag) : "InternalError"
  const error = new Error(kind)
  error.name = kind
  delete error.stack
  return error
}

const shown = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<void, Error> => {
  if (Exit.isSuccess(exit)) return Exit.void
  return Cause.hasInterruptsOnly(exit.cause) ? Exit.interrupt() : Exit.fail(described(exit.cause))
}

/**
 * Records an effect as a span. Without a recorder, and in a trace that is not recorded, this is the effect itself.
 *
 * The implementation reads the fiber directly and ends the span synchronously. A run has a span for each browser
 * operation, and additional effects would be most of the cost of a span.
 */
export const inSpan =
  (name: string, options: Options = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const recorder = fiber.getRef(Recorder)
      if (recorder === null) return effect
      const parent = fiber.getRef(Current)
      const isSampled = options.decides === true ? recorder.samples(parent) : parent?.sampled === true
      if (!isSampled) {
        if (options.decides !== true || parent?.sampled === false) return effect
        return Effect.provideService(effect, Current, recorder.unrecorded())
      }
      const clock = fiber.getRef(Clock.Clock)
      const span = start(recorder, name, parent, options, clock.currentTimeNanosUnsafe())
      return Effect.onExitPrimitive(Effect.provideService(effect, Current, span), (exit) => {
        span.end(clock.currentTimeNanosUnsafe(), shown(exit))
        return undefined
      })
    })

const nanosPerMilli = 1_000_000n

/** Records a span of the current trace between two instants, in epoch milliseconds. */
export const record = (
  name: string,
  { from, to }: { readonly from: number; readonly to: number },
  options: Options = {}
): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const recorder = fiber.getRef(Recorder)
    const parent = fiber.getRef(Current)
    if (recorder === null || parent?.sampled !== true) return Effect.void
    const nanos = (millis: number) => BigInt(Math.round(millis)) * nanosPerMilli
    start(recorder, name, parent, options, nanos(Math.min(from, to))).end(nanos(to), Exit.void)
    return Effect.void
  })

/** Whether spans of the current trace are recorded. */
export const isRecording: Effect.Effect<boolean> = Effect.flatMap(Recorder, (recorder) =>
  Effect.map(Current, (span) => recorder !== null && span?.sampled === true)
)

/** Adds attributes to the current span after its start, and sets its final name. */
export const annotate = (attributes: Attributes, name?: string): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const span = fiber.getRef(Current)
    if (span?._tag !== "Span") return Effect.void
    if (name !== undefined) Object.assign(span, { name })
    attach(span, attributes)
    return Effect.void
  })
