import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Logger, LogLevel, References } from "effect"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import { LogFilter } from "../../../adapters/log/LogFilter.ts"
import { formatters } from "../../../adapters/log/LogFormat.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as Telemetry from "../../../adapters/telemetry/Telemetry.ts"
import { isAskedFor } from "../../../apps/cli/Telemetry.ts"
import * as Dispatcher from "../../../core/event/webhook/Dispatcher.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Trace from "../../../core/runtime/Trace.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf } from "../../support/browser.ts"
import { canary, leaksIn, plainCanary } from "../../support/canaries.ts"
import { asMember } from "../../support/credentials.ts"
import { listening } from "../../support/listening.ts"
import { collector, type Span, variablesFor } from "../../support/otlp.ts"
import { type Received, receiver } from "../../support/receiver.ts"
import { layerWith, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

const site = "https://bank.example"
const browser = ScriptedBrowser.layer({ [`${site}/`]: [{ selector: "#user", value: "" }] })

const dispatching = Layer.effectDiscard(
  Effect.gen(function* () {
    const { under } = yield* ArtifactLinks
    yield* Effect.forkScoped(
      Dispatcher.run({ ...Dispatcher.defaults, links: (workspace) => under("https://sluice.example.com", workspace) })
    )
  })
).pipe(
  Layer.provideMerge(
    layerWith({ sending: { ...HttpSender.defaults, allowPrivateNetworks: true }, stores: Memory.layer })
  )
)

const caller = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" }
const given = `00-${caller.traceId}-${caller.spanId}-01`

const telemetry = (part: string, url: string, more: Record<string, string> = {}) =>
  Telemetry.layer({ environment: { ...variablesFor(url), ...more }, part, version: "1.0.0" })

/** Submits a run that fails, carries it out, and waits for its webhook. Everything is flushed when it has ended. */
const carriedOut = Effect.fnUntraced(function* (url: string, traceparent: string | null) {
  const secrets = [canary("user name"), canary("password"), canary("input")] as const
  const received: Array<Received> = []
  const hook = yield* receiver(200)
  yield* Effect.gen(function* () {
    const { ask, me, sealed } = yield* asMember()
    const { send } = yield* Service
    const [name, password] = secrets.map(({ value }) => sealed(value))
    yield* ask("POST", "/vault", { permissioned_user_id: "ada", domain: site, user_name: name, password })
    const workflow = yield* ask("POST", "/workflows", {
      name: "Bank",
      vault_schema: { BANK: { type: "credential", domain: site } },
      ...graphOf(`${site}/`, [
        { action: "INPUT_TEXT", parameters: { selector: "#user", text: "{{context.inputs.BANK.USER_NAME}}" } },
        {
          action: "INPUT_TEXT",
          parameters: { selector: "#none", text: "{{context.inputs.BANK.PASSWORD}}", wait_time: 0 }
        }
      ])
    })
    yield* send({
      method: "POST",
      path: "/run",
      key: me.key,
      headers: { "x-request-id": "request-1", ...(traceparent === null ? {} : { traceparent }) },
      json: {
        workflow_id: workflow.body.id,
        run_input_variables: { BANK: "ada", note: secrets[2].value },
        webhook: { url: `${hook.url}/${secrets[2].value}`, secret: "of the receiver" }
      }
    })
    const worker = Layer.fresh(AgentExecutor.layer.pipe(Layer.provide(browser)))
    yield* Effect.gen(function* () {
      const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
      assert.strictEqual(claimed[0]?.run.options.requestId, "request-1")
      yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one), { discard: true })
    }).pipe(Effect.provide(worker), Effect.provide(telemetry("worker", url)))
    while (received.at(-1)?.body.event !== "execution.failed") received.push(yield* hook.next)
  }).pipe(
    Effect.provide(dispatching),
    Effect.provide(telemetry("api", url)),
    Effect.provideService(References.MinimumLogLevel, "Warn")
  )
  return { secrets, received }
})

const named = (spans: ReadonlyArray<Span>, name: string) => {
  const found = spans.find((span) => span.name === name)
  assert.isDefined(found, `${name} among ${spans.map((span) => span.name).join(", ")}`)
  return found as Span
}

describe("traces and metrics over OTLP", () => {
  it.live("have one trace for a run, from its request to its webhook, with nothing secret in it", () =>
    Effect.gen(function* () {
      const { bodies, metrics, spans, url } = yield* collector
      const { received, secrets } = yield* carriedOut(url, given)
      const ours = spans().filter(({ traceId }) => traceId === caller.traceId)
      const request = named(ours, "POST /run")
      const run = named(ours, "run")
      const node = named(ours, "node INPUT_TEXT")
      assert.deepStrictEqual(
        [
          request,
          named(ours, "run waits"),
          run,
          named(ours, "webhook"),
          node,
          named(ours, "browser elements.type")
        ].map(({ parentSpanId, part }) => [part, parentSpanId]),
        [
          ["api", caller.spanId],
          ["worker", request.spanId],
          ["worker", request.spanId],
          ["api", request.spanId],
          ["worker", run.spanId],
          ["worker", node.spanId]
        ]
      )
      assert.deepInclude(request.attributes, {
        "http.route": "/run",
        "sluice.request_id": "request-1",
        "sluice.session_id": run.attributes["sluice.session_id"]
      })
      assert.isTrue(ours.some(({ failed, name }) => name === "browser elements.type" && failed))
      for (const { headers } of received) {
        assert.match(String(headers.traceparent), new RegExp(`^00-${caller.traceId}-[0-9a-f]{16}-01$`))
      }
      assert.isTrue(metrics().has("sluice_node_duration_seconds"))
      assert.deepStrictEqual(
        leaksIn(
          bodies.map((bytes) => ({ channel: "OTLP", bytes })),
          secrets
        ),
        []
      )
      assert.notInclude(bodies.join(), site)
    }).pipe(Effect.scoped)
  )

  it.live("leave out a trace that its caller does not record, and pass its position on", () =>
    Effect.gen(function* () {
      const { spans, url } = yield* collector
      const { received } = yield* carriedOut(url, given.replace(/01$/, "00"))
      assert.deepStrictEqual(
        spans().filter(({ traceId }) => traceId === caller.traceId),
        []
      )
      assert.isAbove(received.length, 0)
      for (const { headers } of received)
        assert.match(String(headers.traceparent), /^00-0af7651916cd43dd8448eb211c80319c-.*-00$/)
    }).pipe(Effect.scoped)
  )
})

/** A receiver that answers as it is told to, or never for `null`; `count` waits for so many requests in all. */
const standIn = Effect.gen(function* () {
  const switches: { status: number | null } = { status: 400 }
  let requests = 0
  const server = createServer((request, answer) => {
    request.resume()
    request.on("end", () => {
      requests++
      if (switches.status !== null) answer.writeHead(switches.status).end()
    })
  })
  const port = yield* listening(server)
  const count = (wanted: number) =>
    until(
      `${wanted} requests`,
      Effect.sync(() => requests),
      (seen) => seen >= wanted
    )
  return { port, switches, count, requests: () => requests }
})

describe("a receiver of telemetry that is away", () => {
  it.live("is logged once when it goes and once when it is back, without its path and keys", () =>
    Effect.gen(function* () {
      const { count, port, requests, switches } = yield* standIn
      const secrets = [plainCanary("path"), plainCanary("query"), plainCanary("header")] as const
      const [path, query, header] = secrets.map(({ value }) => value)
      const lines: Array<string> = []
      const logger = Logger.make((entry) => {
        lines.push(formatters.json?.log(entry) ?? "")
      })
      const said = (words: string) =>
        until(
          words,
          Effect.sync(() => lines),
          (all) => all.some((line) => line.includes(words))
        )
      const own = yield* Clock.Clock
      const timeout = 9_999
      // The ten seconds between two lines never pass, and the time for an answer only where the receiver gives none.
      const clock: Clock.Clock = Object.assign(Object.create(own), {
        currentTimeMillis: Effect.succeed(0),
        sleep: (duration: Duration.Duration) =>
          Duration.toMillis(duration) === timeout
            ? Effect.repeat(own.sleep(Duration.millis(5)), { until: () => switches.status === null })
            : own.sleep(duration)
      })
      const environment = {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/${path}?key=${query}`,
        OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${header}`,
        OTEL_EXPORTER_OTLP_TIMEOUT: String(timeout),
        OTEL_BSP_SCHEDULE_DELAY: "20",
        OTEL_METRIC_EXPORT_INTERVAL: "20"
      }
      const span = Trace.inSpan("POST /run", { decides: true })(Effect.void)
      const spans = Effect.forkChild(Effect.forever(Effect.andThen(span, Effect.sleep("5 millis"))))
      yield* Effect.gen(function* () {
        yield* spans
        const host = `The receiver of telemetry at 127.0.0.1:${port}`
        yield* said(`${host} is away: it answers 400`)
        yield* count(10)
        assert.lengthOf(
          lines.filter((line) => line.includes(host)),
          1,
          lines.join("\n")
        )
        switches.status = 200
        yield* said(`${host} takes it again`)
        // Another outage is not logged within ten seconds, whatever it is.
        switches.status = null
        yield* count(requests() + 3)
        switches.status = 200
        yield* count(requests() + 3)
        assert.lengthOf(
          lines.filter((line) => line.includes(host)),
          2,
          lines.join("\n")
        )
      }).pipe(
        Effect.provide(Telemetry.layer({ environment, part: "api", version: "1.0.0" })),
        Effect.scoped,
        Effect.provide(Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "All"))),
        Effect.provideService(Clock.Clock, clock)
      )
      assert.deepStrictEqual(
        leaksIn(
          lines.map((bytes) => ({ channel: "log", bytes })),
          [...secrets]
        ),
        []
      )
    }).pipe(Effect.scoped)
  )
})

it.live("the log is exported at the level of the process", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { bodies, until, url } = yield* collector
      const logged = Effect.gen(function* () {
        yield* Effect.logInfo("said in detail")
        yield* Effect.logWarning("said as a warning")
        yield* Effect.logError("said as an error")
      })
      yield* logged.pipe(
        Effect.provide(telemetry("api", url, { OTEL_LOGS_EXPORTER: "otlp" })),
        Effect.provideService(LogFilter, (level) => LogLevel.isGreaterThanOrEqualTo(level, "Warn")),
        Effect.provide(Logger.layer([]))
      )
      yield* until(() => bodies.some((body) => body.includes("said as an error")))
      assert.isTrue(bodies.some((body) => body.includes("said as a warning")))
      assert.isFalse(bodies.some((body) => body.includes("said in detail")))
    })
  )
)

describe("the variables of OpenTelemetry", () => {
  it("turn telemetry on by an endpoint alone, and off by the switch", () => {
    assert.isFalse(isAskedFor({}))
    assert.isFalse(isAskedFor({ OTEL_SERVICE_NAME: "sluice" }))
    assert.isTrue(isAskedFor({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }))
    assert.isTrue(isAskedFor({ OTEL_TRACES_EXPORTER: "otlp" }))
    assert.isFalse(isAskedFor({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318", OTEL_SDK_DISABLED: "true" }))
  })

  it("sample by ratio, and follow the decision of the caller where they say so", () => {
    const recorded = Trace.parse(given)
    const left = Trace.parse(given.replace(/01$/, "00"))
    const decisions = (sampler: string | undefined, ratio: string | undefined, random: number) => {
      const samples = Telemetry.samplerOf(
        { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio },
        () => random
      )
      return [samples(null), samples(recorded), samples(left)]
    }
    assert.deepStrictEqual(decisions(undefined, undefined, 0.99), [true, true, false])
    assert.deepStrictEqual(decisions("parentbased_traceidratio", "0.1", 0.2), [false, true, false])
    assert.deepStrictEqual(decisions("traceidratio", "0.1", 0.05), [true, true, true])
    assert.deepStrictEqual(decisions("always_off", undefined, 0), [false, false, false])
  })
})
