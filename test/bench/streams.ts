/**
 * The cost of streams: a thousand clients with an event a second each, served by one process on a real PostgreSQL
 * server.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { Agent, get } from "node:http"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { Keys } from "../../core/workspace/Keys.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { freshDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import type { Row } from "./Row.ts"

const clients = 1_000
const seconds = 90
/** Memory is compared after this many seconds, when caches are warm, and at the end. */
const warmAfter = 30
/** A bound that makes garbage go soon, so that the memory of the process shows what is kept. */
const heap = "--max-old-space-size=256"

/** The service as a separate process, and the address that it listens on. */
const serve = async (databaseUrl: string): Promise<{ readonly child: ChildProcess; readonly url: string }> => {
  const child = spawn(process.execPath, [heap, "apps/cli/main.ts", "api"], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      SLUICE_MASTER_KEY: "ab".repeat(32),
      SLUICE_RATE_LIMITS: "off",
      PORT: "0"
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  let text = ""
  const url = await new Promise<string>((resolve) => {
    child.stdout?.on("data", (piece) => {
      text += String(piece)
      const found = /sluice ready (\S+)/.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  return { child, url }
}

/** Counts the events of one client's stream, for as long as it is open. */
const listen = (url: string, key: string, clientId: string, agent: Agent) => {
  let events = 0
  const opened = new Promise<void>((resolve) => {
    get(`${url}/run/clients/${clientId}/events`, { headers: { "cc-key": key }, agent }, (answer) => {
      answer.setEncoding("latin1")
      let rest = ""
      answer.on("data", (piece: string) => {
        const frames = (rest + piece).split("\n\n")
        rest = frames.pop() ?? ""
        for (const frame of frames) if (frame.includes("event: run.event")) events++
        resolve()
      })
    })
  })
  return { opened, count: () => events }
}

const residentMegabytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024

export const streams = async (): Promise<ReadonlyArray<Row>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const runtime = ManagedRuntime.make(
        Postgres.layer(Redacted.make(databaseUrl), 4).pipe(Layer.provideMerge(Crypto.layer), Layer.orDie)
      )
      const run = <A, E>(effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Services<typeof runtime>>) =>
        Effect.promise(() => runtime.runPromise(Effect.orDie(effect)))
      const { key, runs } = yield* run(
        Effect.gen(function* () {
          const keys = yield* Keys
          const caller = yield* makeWorkspace()
          const made = yield* keys.make
          const hash = yield* keys.hash(made)
          const stored = { id: randomUUID(), hash, ...caller, name: null, createdAt: 0, revokedAt: null }
          yield* (yield* WorkspaceStore).addKey(stored)
          const workflow = yield* makeWorkflow(caller)
          const all = Array.from({ length: clients }, () =>
            submission(workflow, { options: { clientId: randomUUID() } })
          )
          yield* Effect.forEach(all, (yield* RunStore).submit, { concurrency: 4 })
          return { key: Redacted.value(made), runs: all }
        })
      )
      const { child, url } = yield* Effect.acquireRelease(
        Effect.promise(() => serve(databaseUrl)),
        ({ child }) => Effect.sync(() => void child.kill("SIGKILL"))
      )
      const agent = new Agent({ keepAlive: true, maxSockets: clients })
      const listeners = runs.map(({ options }) => listen(url, key, String(options.clientId), agent))
      yield* Effect.promise(() => Promise.all(listeners.map(({ opened }) => opened)))

      const resident: Array<number> = []
      const payload = (id: string) => ({ runId: id, workflowId: "w", step: "Working", next: null })
      for (let second = 0; second < seconds; second++) {
        const began = performance.now()
        // A hundred runs at a time, spread over the second as they are in life.
        for (let piece = 0; piece < 10; piece++) {
          const some = runs.slice((piece * clients) / 10, ((piece + 1) * clients) / 10)
          yield* run(
            Effect.gen(function* () {
              const sql = yield* SqlClient.SqlClient
              const rows = some.map(({ id }) => ({ id, payload: JSON.stringify(payload(id)) }))
              yield* sql`
                insert into run_events (run_id, at, event, payload)
                select id, now(), 'execution.step', payload
                from json_to_recordset(${JSON.stringify(rows)}::json) as new (id uuid, payload text)`
              yield* sql`select pg_notify('sluice', '{"_tag":"events"}')`
            })
          )
          yield* Effect.sleep(Math.max(began + (piece + 1) * 100 - performance.now(), 0))
        }
        resident.push(residentMegabytes(child.pid ?? 0))
      }
      const wanted = clients * (seconds + 1)
      const received = () => listeners.reduce((total, { count }) => total + count(), 0)
      for (let waited = 0; waited < 100 && received() < wanted; waited++) yield* Effect.sleep("100 millis")
      yield* Effect.promise(() => runtime.dispose())
      const [warm, end] = [resident[warmAfter] ?? 0, Math.max(...resident.slice(-5))]
      return [
        {
          name: `${clients} streams, an event a second each: received`,
          value: received().toLocaleString("en"),
          reference: `${wanted.toLocaleString("en")} sent`,
          ratio: received() / wanted,
          target: "= 1",
          ok: received() === wanted
        },
        {
          name: `memory of the process, ${seconds} s in`,
          value: `${end.toFixed(0)} MiB`,
          reference: `${warm.toFixed(0)} MiB after ${warmAfter} s`,
          ratio: end / warm,
          target: "≤ 1.10",
          ok: end / warm <= 1.1
        }
      ]
    }).pipe(Effect.scoped)
  )
