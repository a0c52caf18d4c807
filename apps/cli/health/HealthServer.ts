/** The server of the health port. It needs no key and answers nothing about workspaces. */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"

export interface Served {
  readonly host: string
  readonly port: number
  readonly reasons: Effect.Effect<ReadonlyArray<string>>
  readonly versions: Readonly<Record<string, string | null>>
}

const readyz = (reasons: Effect.Effect<ReadonlyArray<string>>) =>
  Effect.map(reasons, (found) =>
    found.length === 0
      ? HttpServerResponse.jsonUnsafe({ status: "ready", reasons: [] })
      : HttpServerResponse.jsonUnsafe({ status: "not ready", reasons: found }, { status: 503 })
  )

/** Serves until the scope closes. Fails when the port cannot be opened. */
export const serve = ({ host, port, reasons, versions }: Served) =>
  Effect.gen(function* () {
    const routes = Layer.mergeAll(
      HttpRouter.add("GET", "/healthz", Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "live" }))),
      HttpRouter.add("GET", "/readyz", readyz(reasons)),
      HttpRouter.add("GET", "/version", Effect.succeed(HttpServerResponse.jsonUnsafe(versions)))
    )
    const server = () => createServer({ requestTimeout: 10_000, headersTimeout: 5_000 })
    const listening = NodeHttpServer.layer(server, { host, port, gracefulShutdownTimeout: "100 millis" })
    const context = yield* Layer.build(
      HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(Layer.provideMerge(listening))
    ).pipe(Effect.mapError(({ cause }) => ({ reason: cause instanceof Error ? cause.message : String(cause) })))
    const { address } = Context.get(context, HttpServer.HttpServer)
    yield* Effect.logInfo("Health port opened").pipe(
      Effect.annotateLogs({ address: HttpServer.formatAddress(address) })
    )
  })
