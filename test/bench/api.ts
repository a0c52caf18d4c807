/** The cost of POST /run, against a server that only inserts a row. */
import { execFile, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect } from "effect"
import { freshDatabase } from "../support/databases.ts"
import * as ServerFork from "../support/ServerFork.ts"
import type { Load, Seen } from "./Load.ts"
import { median, millis, type Row, rate } from "./Row.ts"

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Puts a load on a server, from another process. */
const put = async (load: Load): Promise<Seen> => {
  const { stdout } = await promisify(execFile)(process.execPath, [file("./Load.ts"), JSON.stringify(load)])
  const seen = JSON.parse(stdout) as Seen
  if (seen.failed > 0) throw new Error(`${seen.failed} requests to ${load.url} failed`)
  return seen
}

const plainServer = (databaseUrl: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = fork(file("./PlainServer.ts"), {
        env: { ...process.env, SLUICE_TEST_SERVER_DATABASE: databaseUrl }
      })
      const [ready] = await once(child, "message")
      return { child, url: (ready as { readonly url: string }).url }
    }),
    ({ child }) => Effect.sync(() => child.disconnect())
  )

const connections = 32
const rounds = 3

const speed = Effect.gen(function* () {
  const ours = yield* ServerFork.start(yield* freshDatabase)
  const plain = yield* plainServer(yield* freshDatabase)
  const body = JSON.stringify({ workflow_id: ours.workflowId, run_input_variables: { customer: "c-1", amount: 12 } })
  const headers = { "cc-key": ours.key, "content-type": "application/json" }
  const load = (url: string, seconds: number, perSecond: number | null = null) =>
    put({ url: `${url}/run`, headers, body, connections, seconds, rate: perSecond })
  return yield* Effect.promise(async () => {
    const [own, bare]: [Array<number>, Array<number>] = [[], []]
    // Long enough for both to be compiled as they are in service.
    await load(ours.url, 10)
    await load(plain.url, 10)
    for (let round = 0; round < rounds; round++) {
      own.push((await load(ours.url, 4)).perSecond)
      bare.push((await load(plain.url, 4)).perSecond)
    }
    const half = await load(ours.url, 4, median(own) / 2)
    return { own: median(own), bare: median(bare), half }
  })
})

const memory = Effect.gen(function* () {
  const server = yield* ServerFork.start(yield* freshDatabase)
  const characters = 25_000_000
  const body = JSON.stringify({ workflow_id: server.workflowId, run_input_variables: { text: "a".repeat(characters) } })
  const post = () =>
    fetch(`${server.url}/run`, {
      method: "POST",
      headers: { "cc-key": server.key, "content-type": "application/json" },
      body
    }).then(async (answer) => {
      if (answer.status !== 201) throw new Error(await answer.text())
    })
  return yield* Effect.promise(async () => {
    const costs: Array<number> = []
    for (let round = 0; round < 5; round++) {
      const { rss } = await server.rest()
      await post()
      costs.push(((await server.memory()).peak - rss) / characters)
    }
    return median(costs)
  })
})

export const api = async (): Promise<ReadonlyArray<Row>> => {
  const { bare, half, own } = await Effect.runPromise(Effect.scoped(speed))
  const cost = await Effect.runPromise(Effect.scoped(memory))
  return [
    {
      name: `POST /run, ${connections} connections`,
      value: rate(own),
      reference: `${rate(bare)} bare insert`,
      ratio: own / bare,
      target: "≥ 0.6",
      ok: own / bare >= 0.6
    },
    {
      name: "POST /run at half that rate, p99",
      value: millis(half.p99),
      reference: "50 ms",
      ratio: half.p99 / 50,
      target: "≤ 1",
      ok: half.p99 <= 50
    },
    {
      name: "memory for an input of 25 MB",
      value: `${Math.round(cost * 25)} MB`,
      reference: "25 MB",
      ratio: cost,
      target: "≤ 4",
      ok: cost <= 4
    }
  ]
}
