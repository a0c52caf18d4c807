/**
 * Whole runs, several at a time: the service as `sluice up` starts it, from the submission to the record, against the same
 * steps by plain Playwright with one browser and a context for each run. Both do the demo workflow, signed in with a
 * password, on one site, in turn.
 */

import { fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import { demoUsers } from "../../apps/demo/DemoUsers.ts"
import * as Site from "../../apps/demo/Site.ts"
import { demoWorkflow } from "../../apps/demo/Workflow.ts"
import { withDescendants } from "../support/chromiums.ts"
import { credentialOf } from "../support/demoSite.ts"
import { encryptionKey, migratedDataDir, ready, send, sluice } from "../support/processes.ts"
import { chromiumPath } from "../support/realBrowser.ts"
import type { Order } from "./DensityByHand.ts"
import { millisOf, rest } from "./ProcessTime.ts"
import { median, type Row } from "./Row.ts"

/** How many runs are done at a time. */
const places = [4, 8, 16]
/** Each way does so many rounds that count, after one that warms up. */
const rounds = Number(process.env.SLUICE_BENCH_ROUNDS ?? 3)
const runsInRound = 32

/** A way of doing runs: the process that does them, and what it answers for a number of them. */
interface Way {
  readonly pid: number
  readonly act: (runs: number) => Promise<ReadonlyArray<unknown>>
}

/** One round: runs a minute, processor time of a run in milliseconds, and memory at most in bytes. */
interface Round {
  readonly rate: number
  readonly cpu: number
  readonly memory: number
}

/** The memory of a process and all below it, in bytes; what several share counts once. */
const memoryOf = (pid: number): number =>
  withDescendants([pid]).reduce((sum, one) => {
    try {
      return sum + Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, "utf8"))?.[1] ?? 0) * 1_024
    } catch {
      return sum
    }
  }, 0)

const byHand = (site: string, atOnce: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = fork(fileURLToPath(new URL("./DensityByHand.ts", import.meta.url)), [chromiumPath])
      await once(child, "message")
      const act = async (runs: number) => {
        const answer = once(child, "message")
        child.send({ site, runs, atOnce } satisfies Order)
        return (await answer)[0] as ReadonlyArray<unknown>
      }
      return { child, way: { pid: child.pid ?? 0, act } satisfies Way }
    }),
    ({ child }) => Effect.sync(() => child.disconnect())
  ).pipe(Effect.map(({ way }) => way))

const byService = Effect.fnUntraced(function* (site: string, atOnce: number) {
  const service = yield* sluice(["up"], {
    SLUICE_DATA_DIR: yield* migratedDataDir,
    SLUICE_DEMO: "0",
    SLUICE_ALLOW_PRIVATE_NETWORKS: "1",
    SLUICE_CONCURRENCY: String(atOnce)
  })
  const url = yield* ready(service)
  // One run at a time uses a credential, unless it says otherwise.
  const credential = credentialOf("clerk", demoUsers.clerk, site, encryptionKey)
  yield* send(url, "POST", "/vault", { ...credential, allow_multiple_sessions: true, max_concurrency: atOnce })
  const workflow = yield* send(url, "POST", "/workflows", demoWorkflow(site))
  const ask = (method: string, path: string, json?: unknown) => Effect.runPromise(send(url, method, path, json))
  const act = async (runs: number) => {
    const submitted = Array.from({ length: runs }, () =>
      ask("POST", "/run", { workflow_id: workflow.id, run_input_variables: { MARLOW: "clerk", status: "open" } })
    )
    const results: Array<unknown> = []
    for (const { session_id } of await Promise.all(submitted)) {
      for (let ended = false; !ended; ) {
        const { data, status } = (await ask("GET", `/run/${session_id}`)) as Readonly<Record<string, unknown>>
        ended = status === "execution.success" || status === "execution.failed"
        if (ended) results.push(status === "execution.success" ? data : status)
        else await setTimeout(100)
      }
    }
    return results
  }
  return { pid: service.child.pid ?? 0, act } satisfies Way
})

const round = async ({ act, pid }: Way, expected: unknown) => {
  await rest()
  let memory = 0
  const watch = setInterval(() => {
    memory = Math.max(memory, memoryOf(pid))
  }, 1_000)
  const [before, began] = [millisOf([pid]), performance.now()]
  const results = await act(runsInRound)
  const took = performance.now() - began
  const cpu = (millisOf([pid]) - before) / runsInRound
  clearInterval(watch)
  const wrong = results.filter((one) => !isDeepStrictEqual(one, expected))
  if (wrong[0] !== undefined) process.stdout.write(`  ${JSON.stringify(wrong[0]).slice(0, 300)}\n`)
  return { measured: { rate: (runsInRound * 60_000) / took, cpu, memory } satisfies Round, wrong: wrong.length }
}

const measure = (atOnce: number) =>
  Effect.gen(function* () {
    const site = yield* Site.serve(0)
    const [service, hand] = [yield* byService(site, atOnce), yield* byHand(site, atOnce)]
    const [expected] = yield* Effect.promise(() => hand.act(1))
    const [ours, theirs]: [Array<Round>, Array<Round>] = [[], []]
    let wrong = 0
    for (let turn = 0; turn <= rounds; turn++) {
      for (const [way, all] of [
        [service, ours],
        [hand, theirs]
      ] as const) {
        const seen = yield* Effect.promise(() => round(way, expected))
        if (turn > 0) all.push(seen.measured)
        wrong += seen.wrong
      }
    }
    const of = (all: ReadonlyArray<Round>) => ({
      rate: median(all.map((one) => one.rate)),
      cpu: median(all.map((one) => one.cpu)),
      memory: median(all.map((one) => one.memory))
    })
    return { ours: of(ours), theirs: of(theirs), wrong }
  }).pipe(Effect.scoped)

const rowsOf = (
  atOnce: number,
  { ours, theirs, wrong }: Effect.Success<ReturnType<typeof measure>>
): ReadonlyArray<Row> => {
  const name = `whole runs, ${atOnce} at a time`
  const [rate, cpu, memory] = [ours.rate / theirs.rate, ours.cpu / theirs.cpu, ours.memory / theirs.memory]
  return [
    {
      name: `${name}: runs a minute`,
      value: ours.rate.toFixed(0),
      reference: `${theirs.rate.toFixed(0)} by Playwright`,
      ratio: rate,
      target: "≥ 1.50",
      ok: rate >= 1.5
    },
    {
      name: `${name}: processor`,
      value: `${ours.cpu.toFixed(0)} ms`,
      reference: `${theirs.cpu.toFixed(0)} ms`,
      ratio: cpu,
      target: "≤ 1.00",
      ok: cpu <= 1
    },
    {
      name: `${name}: memory`,
      value: `${(ours.memory / 2 ** 20).toFixed(0)} MiB`,
      reference: `${(theirs.memory / 2 ** 20).toFixed(0)} MiB`,
      ratio: memory,
      target: "≤ 1.00",
      ok: memory <= 1
    },
    { name: `${name}: wrong`, value: String(wrong), reference: "0", ratio: wrong, target: "0", ok: wrong === 0 }
  ]
}

export const density = async (): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const atOnce of places) rows.push(...rowsOf(atOnce, await Effect.runPromise(measure(atOnce))))
  return rows
}
