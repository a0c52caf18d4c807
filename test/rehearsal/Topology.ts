/**
 * What `deploy/compose.yaml` starts, as processes of this machine: PostgreSQL, an S3-compatible store, two of each part,
 * and a proxy.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Redacted, Scope } from "effect"
import { freePort } from "../support/ownServer.ts"
import { completed, masterKey, sluice } from "../support/processes.ts"
import * as S3 from "../support/s3.ts"
import * as Proxy from "./Proxy.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-rehearsal-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const port = Effect.promise(freePort)

/** One of the processes. It keeps its ports when it is replaced. */
const member = Effect.fnUntraced(function* (
  part: "api" | "scheduler" | "worker",
  settings: Record<string, string>,
  checkout: string
) {
  const [own, health] = [yield* port, yield* port]
  const start = Effect.fnUntraced(function* (from: string) {
    const scope = yield* Scope.make()
    const process = yield* Scope.provide(
      Effect.gen(function* () {
        const env = {
          ...settings,
          PORT: String(own),
          SLUICE_HEALTH_PORT: String(health),
          SLUICE_DATA_DIR: yield* folder
        }
        return yield* sluice([part], env, from)
      }),
      scope
    )
    const ready = Effect.promise(() =>
      fetch(`http://127.0.0.1:${health}/readyz`).then(
        ({ ok }) => ok,
        () => false
      )
    )
    yield* Effect.repeat(Effect.delay(ready, "100 millis"), { until: (is) => is || process.child.exitCode !== null })
    if (process.child.exitCode !== null) yield* Effect.die(new Error(process.output()))
    return { process, scope }
  })
  let running = yield* start(checkout)
  yield* Effect.addFinalizer(() => Effect.suspend(() => Scope.close(running.scope, Exit.void)))
  /** Asks the process to end, as a supervisor does, and starts one of a checkout in its place. */
  const replace = Effect.fnUntraced(function* (from: string) {
    const { child, ended, output } = running.process
    child.kill("SIGTERM")
    const code = yield* ended
    const errors = output()
      .split("\n")
      .filter((line) => /level=(ERROR|FATAL)/i.test(line))
    yield* Scope.close(running.scope, Exit.void)
    running = yield* start(from)
    return { code, errors }
  })
  return { part, port: own, replace }
})

export interface Topology {
  readonly url: string
  readonly members: ReadonlyArray<Effect.Success<ReturnType<typeof member>>>
  /** What the proxy has logged. */
  readonly said: ReadonlyArray<string>
  readonly migrate: (checkout: string) => Effect.Effect<void>
}

/** Starts all of it from a checkout, on the database at a URL. */
export const start = Effect.fnUntraced(function* (databaseUrl: string, proxy: "nginx" | "caddy", checkout: string) {
  const { options } = yield* S3.serve
  const front = yield* port
  const url = `http://127.0.0.1:${front}`
  const settings = {
    DATABASE_URL: databaseUrl,
    SLUICE_MASTER_KEY: masterKey,
    SLUICE_S3_ENDPOINT: options.endpoint,
    SLUICE_S3_BUCKET: options.bucket,
    SLUICE_S3_ACCESS_KEY: options.accessKey,
    SLUICE_S3_SECRET_KEY: Redacted.value(options.secretKey),
    SLUICE_PUBLIC_URL: url,
    SLUICE_ALLOW_PRIVATE_NETWORKS: "1",
    SLUICE_CONCURRENCY: "2",
    SLUICE_DRAIN_SECONDS: "4"
  }
  const migrate = Effect.fnUntraced(function* (from: string) {
    const { code, output } = yield* completed(["migrate"], settings, from)
    if (code !== 0) yield* Effect.die(new Error(output))
  })
  yield* migrate(checkout)
  const parts = ["api", "api", "scheduler", "scheduler", "worker", "worker"] as const
  const members = yield* Effect.forEach(parts, (part) => member(part, settings, checkout), { concurrency: 2 })
  const apis = members.filter(({ part }) => part === "api").map((one) => one.port)
  const { said } = yield* Proxy.start(proxy, { port: front, behind: apis })
  return { url, members, migrate, said } satisfies Topology
})
