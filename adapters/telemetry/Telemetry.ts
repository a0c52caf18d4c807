/**
 * Exports traces and metrics over OTLP, configured by the environment variables of OpenTelemetry. Without a receiver,
 * no exporter is loaded.
 *
 * The ambient tracer is unchanged: only spans of `core/runtime/Trace` are exported.
 */
import { randomBytes } from "node:crypto"
import { ConfigProvider, Context, Effect, Layer, Tracer } from "effect"
import { FetchHttpClient, HttpBody } from "effect/http"
import { OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import * as Trace from "../../core/runtime/Trace.ts"
import * as TraceProtobuf from "./TraceProtobuf.ts"

export interface Options {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The part of the service that this process is. */
  readonly part: string
  readonly version: string
}

const samplers: Readonly<Record<string, { readonly follows: boolean; readonly always: number | null }>> = {
  always_on: { follows: false, always: 1 },
  always_off: { follows: false, always: 0 },
  traceidratio: { follows: false, always: null },
  parentbased_always_on: { follows: true, always: 1 },
  parentbased_always_off: { follows: true, always: 0 },
  parentbased_traceidratio: { follows: true, always: null }
}

/** The ratio in an argument such as `0.1`; 1 for an invalid text. */
const ratioOf = (written: string | undefined): number => {
  const ratio = Number(written ?? "1")
  return ratio >= 0 && ratio <= 1 ? ratio : 1
}

/** Decides which traces are recorded. By default, all are, unless the parent was not sampled. */
export const samplerOf = (
  { OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: Readonly<Record<string, string | undefined>>,
  random: () => number = Math.random
): Trace.Recorder["samples"] => {
  const { always, follows } = samplers[OTEL_TRACES_SAMPLER ?? ""] ?? { follows: true, always: 1 }
  const share = always ?? ratioOf(OTEL_TRACES_SAMPLER_ARG)
  return (parent) => (follows && parent !== null ? parent.sampled : random() < share)
}

const unrecorded = () =>
  Tracer.externalSpan({
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    sampled: false
  })

/** The defaults of OpenTelemetry SDKs, except that logs are exported only if configured. */
const usual = { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "none" }

const withDefaults = (environment: Options["environment"]): Record<string, string> => {
  const set = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
  const named = Object.keys(set).some((name) => /^OTEL_EXPORTER_OTLP_(\w+_)?ENDPOINT$/.test(name))
  return { ...usual, ...(named ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" }), ...set }
}

const protobuf = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, (all) => ({
    ...all,
    traces: (data: OtlpTracer.TraceData) => HttpBody.uint8Array(TraceProtobuf.encode(data), "application/x-protobuf")
  }))
).pipe(Layer.provide(OtlpSerialization.layerProtobuf))

/** Records the spans of a process and sends them with its metrics, until the layer is released. */
export const layer = ({ environment, part, version }: Options): Layer.Layer<never> => {
  const all = withDefaults(environment)
  const resource = {
    serviceName: all.OTEL_SERVICE_NAME ?? "sluice",
    serviceVersion: version,
    attributes: { "sluice.part": part, "process.pid": process.pid }
  }
  const serialization = all.OTEL_EXPORTER_OTLP_PROTOCOL === "http/json" ? OtlpSerialization.layerJson : protobuf
  const provided = Layer.mergeAll(
    serialization,
    FetchHttpClient.layer,
    ConfigProvider.layer(ConfigProvider.fromEnv({ env: all }))
  )
  const recorder = Layer.effect(
    Trace.Recorder,
    Effect.map(Layer.build(OtlpTracer.layerFromConfig({ resource })), (context) => ({
      // The layer replaces the default of a reference, which its type does not name.
      tracer: Context.get(context as Context.Context<never>, Tracer.Tracer),
      samples: samplerOf(all),
      unrecorded
    }))
  )
  const isTraced = all.OTEL_TRACES_EXPORTER === "otlp"
  // The parts replace defaults of references, which do not appear in the type.
  return Layer.mergeAll(
    isTraced ? recorder : Layer.empty,
    OtlpMetrics.layerFromConfig({ resource }),
    all.OTEL_LOGS_EXPORTER === "otlp" ? OtlpLogger.layerFromConfig({ resource }) : Layer.empty
  ).pipe(Layer.provide(provided)) as Layer.Layer<never>
}
