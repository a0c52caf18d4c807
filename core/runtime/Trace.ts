/**
 * The spans of a run, from the request that submits it to the webhooks that report its end, in one trace across
 * processes.
 *
 * Spans are recorded only with a recorder. They contain names, ids, counts and codes, but no address, input, output or
 * error message. Positions in a trace are passed as `traceparent` headers of W3C Trace Context.
 */
import { Cause, Clock, Context, Effect, Exit } from "effect"

/** A position in a trace: the span that the next ones belong to. Ids are in lower-case hexadecimal. */
export interface Position {
  /** 32 digits. */
  readonly traceId: string
  /** 16 digits. */
  readonly spanId: string
  /** Whether the spans of the trace are recorded. */
  readonly sampled: boolean
}

export type Kind = "internal" | "server" | "client" | "consumer"

export type Attributes = Readonly<Record<string, string | number | boolean | null>>

/** A span that has ended. Instants are in epoch nanoseconds; attributes that are `null` are left out. */
export interface EndedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: Kind
  readonly from: bigint
  readonly to: bigint
  readonly attributes: Attributes
  /** The kind of the failure that ended it; `null` where it succeeded or was interrupted. */
  readonly failure: string | null
  readonly interrupted: boolean
}

export interface Recorder {
  /** Whether to record a trace that continues this position, or a new trace for `null`. */
  readonly samples: (parent: Position | null) => boolean
  /** The id of a new trace. */
  readonly traceId: () => string
  /** The id of a new span. */
  readonly spanId: () => string
  /** Takes a span that has ended. It keeps neither the span nor its attributes, and does not throw. */
  readonly ended: (span: EndedSpan) => void
}

/** The recorder of this process; `null` where nothing is recorded. */
export const Recorder: Context.Reference<Recorder | null> = Context.Reference("sluice/core/runtime/Trace/Recorder", {
  defaultValue: (): Recorder | null => null
})

/** The position in the current trace; `null` outside of a trace. */
export const Current: Context.Reference<Position | null> = Context.Reference("sluice/core/runtime/Trace/Current", {
  defaultValue: (): Position | null => null
})

/** The id of the current request; `null` outside of one. */
export const RequestId: Context.Reference<string | null> = Context.Reference("sluice/core/runtime/Trace/RequestId", {
  defaultValue: (): string | null => null
})

const header = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/

/** The position in a `traceparent`; `null` for an invalid text. */
export const parse = (traceparent: string | null | undefined): Position | null => {
  const [, traceId = "", spanId = "", flags = ""] = header.exec(traceparent ?? "") ?? []
  if (traceId === "") return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The `traceparent` of a position. */
export const traceparentOf = ({ sampled, spanId, traceId }: Position): string =>
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

const none: Attributes = {}

/** A span of this process. What only its end decides is set by `end`. */
class Span implements Position, EndedSpan {
  readonly sampled = true
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly kind: Kind
  readonly from: bigint
  name: string
  attributes: Attributes
  to: bigint
  failure: string | null = null
  interrupted = false

  constructor(
    recorder: Recorder,
    parent: Position | null,
    { attributes = none, kind = "internal", name }: Options & { readonly name: string },
    from: bigint
  ) {
    this.traceId = parent?.traceId ?? recorder.traceId()
    this.spanId = recorder.spanId()
    this.parentSpanId = parent?.spanId ?? null
    this.kind = kind
    this.from = from
    this.to = from
    this.name = name
    this.attributes = attributes
  }
}

/** The kind of a failure, without its message and stack. */
const kindOf = (cause: Cause.Cause<unknown>): string => {
  const failed = cause.reasons.find((reason) => reason._tag === "Fail")?.error
  return typeof failed === "object" && failed !== null && "_tag" in failed ? String(failed._tag) : "InternalError"
}

const end = (recorder: Recorder, span: Span, to: bigint, exit: Exit.Exit<unknown, unknown>): void => {
  span.to = to
  if (Exit.isFailure(exit)) {
    span.interrupted = Cause.hasInterruptsOnly(exit.cause)
    span.failure = span.interrupted ? null : kindOf(exit.cause)
  }
  recorder.ended(span)
}

export interface Options {
  readonly kind?: Kind
  readonly attributes?: Attributes
  /** Whether this span may start a trace and decides whether it is recorded. */
  readonly decides?: boolean
}

/**
 * Records an effect as a span. Without a recorder, and in a trace that is not recorded, this is the effect itself.
 *
 * The implementation works on the fiber and ends the span synchronously: additional effects would be most of the cost of
 * a span.
 */
export const inSpan = (name: string, options: Options = {}) => {
  const described = { ...options, name }
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const recorder = fiber.getRef(Recorder)
      if (recorder === null) return effect
      const parent = fiber.getRef(Current)
      const isSampled = options.decides === true ? recorder.samples(parent) : parent?.sampled === true
      if (!isSampled) {
        if (options.decides !== true || parent?.sampled === false) return effect
        const unrecorded = { traceId: recorder.traceId(), spanId: recorder.spanId(), sampled: false }
        return Effect.provideService(effect, Current, unrecorded)
      }
      const clock = fiber.getRef(Clock.Clock)
      const span = new Span(recorder, parent, described, clock.currentTimeNanosUnsafe())
      const before = fiber.context
      fiber.setContext(Context.add(before, Current, span))
      return Effect.onExitPrimitive(effect, (exit) => {
        fiber.setContext(before)
        end(recorder, span, clock.currentTimeNanosUnsafe(), exit)
        return undefined
      })
    })
}

type LeafOptions = Omit<Options, "decides">

/**
 * Records an effect in which no other span begins, such as a verb of the browser. It costs less than `inSpan`, because
 * the context of the effect stays as it is.
 */
export const inLeafSpan = (name: string, options: LeafOptions = {}) => {
  const described = { ...options, name }
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const recorder = fiber.getRef(Recorder)
      const parent = fiber.getRef(Current)
      if (recorder === null || parent?.sampled !== true) return effect
      const clock = fiber.getRef(Clock.Clock)
      const span = new Span(recorder, parent, described, clock.currentTimeNanosUnsafe())
      return Effect.onExitPrimitive(effect, (exit) => {
        end(recorder, span, clock.currentTimeNanosUnsafe(), exit)
        return undefined
      })
    })
}

const nanosPerMilli = 1_000_000n

/** Records a span of the current trace between two instants, in epoch milliseconds. */
export const record = (
  name: string,
  { from, to }: { readonly from: number; readonly to: number },
  options: LeafOptions = {}
): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const recorder = fiber.getRef(Recorder)
    const parent = fiber.getRef(Current)
    if (recorder === null || parent?.sampled !== true) return Effect.void
    const nanos = (millis: number) => BigInt(Math.round(millis)) * nanosPerMilli
    const span = new Span(recorder, parent, { ...options, name }, nanos(Math.min(from, to)))
    end(recorder, span, nanos(to), Exit.void)
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
    if (!(span instanceof Span)) return Effect.void
    if (name !== undefined) span.name = name
    span.attributes = span.attributes === none ? attributes : { ...span.attributes, ...attributes }
    return Effect.void
  })
