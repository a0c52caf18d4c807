/**
 * Exports traces and metrics over OTLP, configured by the environment variables of OpenTelemetry. Without a receiver,
 * no exporter is loaded.
 *
 * The ambient tracer is unchanged: only spans of `core/runtime/Trace` are exported.
 */
import { randomFillSync } from "node:crypto"
import { Config, ConfigProvider, Context, Effect, Layer, Logger, Option, References, Schema, type Scope } from "effect"
import type { HttpClient } from "effect/http"
import { OtlpLogger, OtlpMetrics, OtlpResource, OtlpSerialization } from "effect/observability"
import * as Trace from "../../core/runtime/Trace.ts"
import { LogFilter } from "../log/LogFilter.ts"
import * as Receiver from "./Receiver.ts"
import * as SpanExporter from "./SpanExporter.ts"
import * as TraceJson from "./TraceJson.ts"
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

/** Random ids in hexadecimal, taken from bytes that are drawn together. */
const ids = () => {
  const drawn = Buffer.alloc(4_096)
  let at = drawn.length
  return (length: number): string => {
    if (at + length > drawn.length) {
      randomFillSync(drawn)
      at = 0
    }
    at += length
    return drawn.toString("hex", at - length, at)
  }
}

/** What the spans and metrics of this process have in common. */
interface Resource {
  readonly serviceName: string
  readonly serviceVersion: string
  readonly attributes: Readonly<Record<string, string | number>>
}

/** The defaults of OpenTelemetry SDKs, except that logs are exported only if configured. */
const usual = { OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "none" }

const withDefaults = (environment: Options["environment"]): Record<string, string> => {
  const set = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
  const named = Object.keys(set).some((name) => /^OTEL_EXPORTER_OTLP_(\w+_)?ENDPOINT$/.test(name))
  return { ...usual, ...(named ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" }), ...set }
}

type Signal = "LOGS" | "METRICS" | "TRACES"

/** A setting of all signals, or of this one alone. */
const setting = <A>(signal: Signal, name: string, config: (path: string) => Config.Config<A>) =>
  Config.option(
    config(`OTEL_EXPORTER_OTLP_${signal}_${name}`).pipe(Config.orElse(() => config(`OTEL_EXPORTER_OTLP_${name}`)))
  )

const count = (name: string, usual: number) => Config.Int(name).pipe(Config.withDefault(usual))

/**
 * Where and how spans are sent. Batches are larger than the defaults of OpenTelemetry, 512 of 2,048, because a request
 * costs as much as hundreds of spans.
 */
const sending = Config.all({
  own: Config.option(Config.URL("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")),
  all: Config.option(Config.URL("OTEL_EXPORTER_OTLP_ENDPOINT")),
  headers: setting("TRACES", "HEADERS", (path) => Config.Record(Schema.String, Schema.StringFromUriComponent, path)),
  compression: setting("TRACES", "COMPRESSION", (path) => Config.Literals(["gzip", "none"], path)),
  delay: count("OTEL_BSP_SCHEDULE_DELAY", 5_000),
  batchSize: count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 2_048),
  queueSize: count("OTEL_BSP_MAX_QUEUE_SIZE", 8_192)
})

/** The longest that a request to the receiver takes, in milliseconds. */
const timeout = Config.Int("OTEL_EXPORTER_OTLP_TIMEOUT").pipe(Config.withDefault(10_000))

/** The address for spans under that for all signals. */
const underAll = (all: URL): string => {
  const url = new URL(all)
  url.pathname += `${url.pathname.endsWith("/") ? "" : "/"}v1/traces`
  return url.href
}

/** The recorder of spans, which are encoded when they end. */
const recorderOf = Effect.fnUntraced(function* (
  resource: Resource,
  all: Readonly<Record<string, string>>
): Effect.fn.Return<Trace.Recorder | null, Config.ConfigError, HttpClient.HttpClient | Scope.Scope> {
  const to = yield* sending
  const url = Option.getOrUndefined(to.own)?.href ?? Option.getOrUndefined(Option.map(to.all, underAll))
  if (url === undefined) return null
  const attributes = yield* OtlpResource.fromConfig(resource)
  const batch = isJson(all) ? TraceJson.make(attributes) : TraceProtobuf.make(attributes)
  const random = ids()
  return {
    samples: samplerOf(all),
    traceId: () => random(16),
    spanId: () => random(8),
    ended: yield* SpanExporter.make({
      url,
      headers: Option.getOrUndefined(to.headers),
      compresses: Option.getOrUndefined(to.compression) === "gzip",
      batch,
      delay: to.delay,
      batchSize: to.batchSize,
      queueSize: to.queueSize
    })
  }
})

/** Exports the entries of the log that the process writes. */
const exportedLogs = (resource: Resource) =>
  Layer.effect(
    Logger.CurrentLoggers,
    Effect.gen(function* () {
      const isLogged = yield* LogFilter
      const present = yield* Logger.CurrentLoggers
      const exporting = yield* Layer.build(OtlpLogger.layerFromConfig({ resource, mergeWithExisting: false }))
      const filtered = [...Context.get(exporting, Logger.CurrentLoggers)].map((logger) =>
        Logger.make<unknown, void>((entry) => {
          if (isLogged(entry.logLevel)) logger.log(entry)
        })
      )
      return new Set([...present, ...filtered])
    })
  )

const isJson = (all: Readonly<Record<string, string>>): boolean => all.OTEL_EXPORTER_OTLP_PROTOCOL === "http/json"

/** Records the spans of a process and sends them with its metrics, until the layer is released. */
export const layer = ({ environment, part, version }: Options): Layer.Layer<never> => {
  const all = withDefaults(environment)
  const resource = {
    serviceName: all.OTEL_SERVICE_NAME ?? "sluice",
    serviceVersion: version,
    attributes: { "sluice.part": part, "process.pid": process.pid }
  }
  const variables = ConfigProvider.layer(ConfigProvider.fromEnv({ env: all }))
  const provided = Layer.mergeAll(
    isJson(all) ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf,
    Layer.unwrap(Effect.map(Effect.orDie(timeout), Receiver.layer)).pipe(Layer.provide(variables)),
    variables,
    // The exporters log an outage at Debug with the address of the receiver, which may contain a key.
    Layer.succeed(References.MinimumLogLevel, "Info")
  )
  const isTraced = all.OTEL_TRACES_EXPORTER === "otlp" && all.OTEL_SDK_DISABLED?.toLowerCase() !== "true"
  return Layer.mergeAll(
    isTraced ? Layer.effect(Trace.Recorder, Effect.orDie(recorderOf(resource, all))) : Layer.empty,
    OtlpMetrics.layerFromConfig({ resource }),
    all.OTEL_LOGS_EXPORTER === "otlp" ? exportedLogs(resource) : Layer.empty
  ).pipe(Layer.provide(provided))
}
