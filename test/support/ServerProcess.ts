/**
 * The HTTP interface in a separate process, so that its costs are separate from those of its clients. `ServerFork.ts` starts
 * it, and receives its address and, on request, its use of memory.
 */
import { randomUUID } from "node:crypto"
import { openSync } from "node:fs"
import { Effect, Layer, Logger, ManagedRuntime, Redacted, References } from "effect"
import * as BundleSigning from "../../adapters/crypto/BundleSigning.ts"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as SignedLinks from "../../adapters/crypto/SignedLinks.ts"
import * as HttpSender from "../../adapters/http/HttpSender.ts"
import * as HttpSink from "../../adapters/http/HttpSink.ts"
import * as LineWriter from "../../adapters/log/LineWriter.ts"
import { formatters } from "../../adapters/log/LogFormat.ts"
import * as MailClient from "../../adapters/mail/MailClient.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryArtifacts from "../../adapters/memory/run/MemoryArtifacts.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as Telemetry from "../../adapters/telemetry/Telemetry.ts"
import * as LiveTickets from "../../apps/api/live/LiveTickets.ts"
import { Readiness } from "../../apps/api/Readiness.ts"
import * as Server from "../../apps/api/Server.ts"
import { isAskedFor } from "../../apps/cli/Telemetry.ts"
import * as RunLog from "../../core/run/RunLog.ts"
import { Keys } from "../../core/workspace/Keys.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { makeWorkflow, makeWorkspace } from "./fixtures.ts"
import * as HeldLoop from "./heldLoop.ts"

const url = process.env.SLUICE_TEST_SERVER_DATABASE
const stores =
  url === undefined
    ? Layer.provideMerge(RunLog.layer, Memory.layer)
    : Layer.provideMerge(RunLog.layer, Postgres.layer(Redacted.make(url), 10))
const storage = Layer.mergeAll(stores, Crypto.layer, MemoryArtifacts.layer)

// The log is part of the cost of a request, and no test reads it.
const writer = LineWriter.make({ descriptor: openSync("/dev/null", "w"), dropped: String })
const log = Layer.merge(
  Logger.layer([Logger.map(formatters.json ?? Logger.formatJson, writer.line)]),
  Layer.succeed(References.MinimumLogLevel, process.env.SLUICE_LOG_LEVEL === "none" ? "None" : "Info")
)
const telemetry = isAskedFor(process.env)
  ? Telemetry.layer({ environment: process.env, part: "api", version: "1.0.0" })
  : Layer.empty
const runtime = ManagedRuntime.make(
  Server.layer({ host: "127.0.0.1", port: 0 }).pipe(
    Layer.provide([
      SignedLinks.layer,
      BundleSigning.layer,
      LiveTickets.layer,
      HttpSender.layer(HttpSender.defaults),
      HttpSink.layer(HttpSink.defaults),
      MailClient.layer({ allowPrivateNetworks: false }),
      Layer.succeed(Readiness, { reasons: Effect.succeed([]) })
    ]),
    Layer.provideMerge(Encryption.layer(Redacted.make("00".repeat(32)))),
    Layer.provideMerge(storage as Layer.Layer<Layer.Success<typeof Memory.layer | typeof Crypto.layer>>),
    Layer.provide(Layer.merge(log, telemetry))
  )
)

const ready = await runtime.runPromise(
  Effect.gen(function* () {
    const caller = yield* makeWorkspace("Owner")
    const { workflow } = yield* makeWorkflow(caller)
    const keys = yield* Keys
    const key = yield* keys.make
    yield* (yield* WorkspaceStore).addKey({
      id: randomUUID(),
      hash: yield* keys.hash(key),
      name: null,
      ...caller,
      createdAt: 0,
      revokedAt: null
    })
    return { url: yield* Server.address, key: Redacted.value(key), workflowId: workflow.id }
  })
)

let peak = 0
const sample = () => {
  const { external, heapUsed, rss } = process.memoryUsage()
  peak = Math.max(peak, rss)
  return { rss, heapUsed, external, peak }
}

let watch: HeldLoop.Watch | undefined

process.on("message", (question: "rest" | "memory" | { readonly bound: number }) => {
  if (typeof question === "object") return process.send?.({ held: watch?.lap(question.bound) })
  if (question === "rest") {
    if (watch === undefined) setInterval(sample, 2).unref()
    watch ??= HeldLoop.start()
    globalThis.gc?.()
    peak = 0
    watch.lap()
  }
  return process.send?.(sample())
})
process.once("disconnect", () => process.exit(0))
process.send?.(ready)
