/** The server of the health port. It needs no key and answers nothing about workspaces. */
import { createServer } from "node:http"
import { monitorEventLoopDelay } from "node:perf_hooks"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer, Metric } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import * as Gauges from "../../../core/runtime/Gauges.ts"
import * as ZoneReport from "../../api/installation/ZoneReport.ts"
import * as Ports from "../guards/Ports.ts"

export interface Versions {
  readonly version: string
  readonly node: string
  readonly tz_data: string | null
  readonly migration: string
}

export interface Served {
  readonly host: string
  readonly port: number
  readonly reasons: Effect.Effect<ReadonlyArray<string>>
  /** The lead of the clock of this machine over that of the database, in milliseconds. */
  readonly skew: Effect.Effect<number>
  readonly versions: Versions
}

const readyz = (reasons: Effect.Effect<ReadonlyArray<string>>) =>
  Effect.map(Effect.zip(reasons, ZoneReport.now), ([found, tz_data]) =>
    found.length === 0
      ? HttpServerResponse.jsonUnsafe({ status: "ready", reasons: [], tz_data })
      : HttpServerResponse.jsonUnsafe({ status: "not ready", reasons: found, tz_data }, { status: 503 })
  )

const buildInfo = Metric.gauge("sluice_build_info", { description: "1, with the versions of this process as labels" })

const tzData = Metric.gauge("sluice_tzdata_info", {
  description: "1, with the version of the time zone data of this process as its label"
})

const clockSkew = Metric.gauge("sluice_clock_skew_seconds", {
  description: "By how much the clock of this machine is ahead of that of the database"
})

const loopDelay = Metric.gauge("sluice_event_loop_delay_seconds", {
  description:
    "How late the event loop ran its timers since the process was last asked, by percentile; 100 is the longest"
})

const memory = Metric.gauge("process_resident_memory_bytes", { description: "Memory that the process holds" })

/** Sets the gauges of this instant, and answers all metrics in the text format of Prometheus. */
const metrics = ({
  delay,
  reasons,
  skew,
  versions
}: Pick<Served, "reasons" | "skew" | "versions"> & { readonly delay: ReturnType<typeof monitorEventLoopDelay> }) =>
  Effect.gen(function* () {
    const { migration, node, tz_data, version } = versions
    yield* Metric.update(Metric.withAttributes(buildInfo, { version, node, migration }), 1)
    yield* Metric.update(Metric.withAttributes(tzData, { version: tz_data ?? "unknown" }), 1)
    yield* Gauges.setReady((yield* reasons).length === 0)
    yield* Metric.update(clockSkew, (yield* skew) / 1_000)
    yield* Metric.update(memory, process.memoryUsage.rss())
    // The label `quantile` belongs to summaries alone.
    for (const percentile of [50, 99, 100]) {
      const nanos = delay.count === 0 ? 0 : delay.percentile(percentile)
      yield* Metric.update(Metric.withAttributes(loopDelay, { percentile: String(percentile) }), nanos / 1e9)
    }
    delay.reset()
    return HttpServerResponse.text(yield* PrometheusMetrics.format(), {
      contentType: "text/plain; version=0.0.4; charset=utf-8"
    })
  })

/** Serves until the scope closes. Fails when the port cannot be opened. */
export const serve = ({ host, port, reasons, skew, versions }: Served) =>
  Effect.gen(function* () {
    const delay = monitorEventLoopDelay({ resolution: 20 })
    delay.enable()
    yield* Effect.addFinalizer(() => Effect.sync(() => delay.disable()))
    const routes = Layer.mergeAll(
      HttpRouter.add("GET", "/healthz", Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "live" }))),
      HttpRouter.add("GET", "/readyz", readyz(reasons)),
      HttpRouter.add("GET", "/version", Effect.succeed(HttpServerResponse.jsonUnsafe(versions))),
      HttpRouter.add("GET", "/metrics", metrics({ delay, reasons, skew, versions }))
    )
    const server = () => createServer({ requestTimeout: 10_000, headersTimeout: 5_000 })
    const listening = NodeHttpServer.layer(server, { host, port, gracefulShutdownTimeout: "100 millis" })
    const context = yield* Layer.build(
      HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(Layer.provideMerge(listening))
    ).pipe(Effect.mapError(({ cause }) => ({ reason: cause instanceof Error ? Ports.reasonOf(cause) : String(cause) })))
    const { address } = Context.get(context, HttpServer.HttpServer)
    yield* Effect.logInfo("Health port opened").pipe(
      Effect.annotateLogs({ address: HttpServer.formatAddress(address) })
    )
  })
