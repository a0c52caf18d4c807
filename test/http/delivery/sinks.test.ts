import { it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as HttpSink from "../../../adapters/http/HttpSink.ts"
import * as FileSinkContract from "../../kit/contracts/run/FileSinkContract.ts"
import { fileServer, token } from "../../support/fileServer.ts"

/** A server of files, and another address of it that the sink must not reach. */
const serverOf = (type: "http" | "webdav") =>
  Layer.effect(
    FileSinkContract.SinkServer,
    Effect.map(fileServer(type === "webdav"), ({ files, port, state, url }) => ({
      allowed: { type, url, access: Redacted.make({ token }) },
      forbidden: { url: `http://127.0.0.2:${port}/files/`, urlByName: `http://localhost:${port}/files/` },
      holds: Effect.sync(() => Object.fromEntries([...files].map(([path, bytes]) => [path, bytes.toString("utf8")]))),
      sent: Effect.sync(() => state.sent),
      away: (isAway: boolean) =>
        Effect.sync(() => {
          state.isAway = isAway
        })
    }))
  )

const suite = (name: string, server: Layer.Layer<FileSinkContract.SinkServer>) => {
  for (const { keeps, title } of FileSinkContract.promises) {
    it.live(`${title} (${name})`, () =>
      Effect.gen(function* () {
        const { allowed } = yield* FileSinkContract.SinkServer
        const origin = new URL(allowed.url).origin
        yield* Effect.provide(keeps, HttpSink.layer({ ...HttpSink.defaults, allowedOrigins: [origin] }))
      }).pipe(Effect.provide(server))
    )
  }
}

suite("http", serverOf("http"))
suite("webdav", serverOf("webdav"))
