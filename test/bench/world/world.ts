/**
 * `npm run bench world`: tasks in applications that are not ours, by workflows and by hand.
 *
 * `SLUICE_WORLD` names the applications, separated by commas, `SLUICE_WORLD_TASKS` their tasks, and `SLUICE_WORLD_PARTS`
 * the parts: `tasks`, which are done `SLUICE_WORLD_ROUNDS` times after a first one that is not measured, and `changes` of
 * the site between two runs. `SLUICE_WORLD_WAYS=agent` does the tasks by workflows only, `hand` by hand only.
 */

import { mkdir } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { type Browser, chromium } from "playwright-core"
import * as HttpFiles from "../../../adapters/http/HttpFiles.ts"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import * as ElementMemory from "../../../core/agent/recovery/ElementMemory.ts"
import * as Json from "../../../core/workspace/Json.ts"
import { type Move, toGraph } from "../../gauntlet/Workflow.ts"
import { type Seen, walk } from "../../support/browser.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { processMillis } from "../ProcessTime.ts"
import { median, millis, type Row, timed } from "../Row.ts"
import type { Application, FileServer, Running, Task } from "./Application.ts"
import * as DokuWiki from "./DokuWiki.ts"
import * as HostileChanges from "./HostileChanges.ts"
import * as KitchenSink from "./KitchenSink.ts"
import * as MediaWiki from "./MediaWiki.ts"
import * as NodeRed from "./NodeRed.ts"
import * as PhpMyAdmin from "./PhpMyAdmin.ts"
import * as Roundcube from "./Roundcube.ts"
import * as TiddlyWiki from "./TiddlyWiki.ts"
import * as Verdaccio from "./Verdaccio.ts"
import * as WordPress from "./WordPress.ts"

const applications: ReadonlyArray<Application> = [
  DokuWiki.application,
  KitchenSink.application,
  MediaWiki.application,
  NodeRed.application,
  PhpMyAdmin.application,
  Roundcube.application,
  TiddlyWiki.application,
  Verdaccio.application,
  WordPress.application
]

/** Where applications are installed; a second bench finds them there. */
const folder = join(tmpdir(), "sluice-world")

const serveFiles = async (): Promise<FileServer & { readonly stop: () => void }> => {
  const texts = new Map<string, string>()
  const server = createServer((request, response) => {
    const content = texts.get(request.url ?? "")
    response.writeHead(content === undefined ? 404 : 200, { "content-type": "application/octet-stream" })
    response.end(content)
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const address = server.address()
  const origin = `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`
  return {
    origin,
    offer: (name, content) => {
      texts.set(`/${name}`, content)
      return `${origin}/${name}`
    },
    stop: () => server.close()
  }
}

/** What a workflow has read, with the texts of the files that it downloaded. */
const dataOf = ({ files, outcome }: Seen): unknown => {
  if (outcome._tag !== "Success") throw new Error(JSON.stringify(outcome))
  return { ...Json.objectOf(outcome.data), ...(files.length === 0 ? {} : { files: files.map((file) => file.text) }) }
}

type Agent = (task: Task, options?: Parameters<typeof walk>[2]) => Promise<Seen>

/** A browser for tasks by hand, started again where it has ended. */
const handBrowser = () => {
  let running: Browser | null = null
  return {
    get: async (): Promise<Browser> => {
      if (running?.isConnected()) return running
      running = await chromium.launch({ executablePath, args: [...PlaywrightBrowser.switches] })
      // A browser without any page ends its renderer, and its next page pays for a new one.
      await running.newPage()
      return running
    },
    close: async () => await running?.close()
  }
}
type HandBrowser = ReturnType<typeof handBrowser>

const byHand = async (browser: HandBrowser, task: Task): Promise<unknown> => {
  const context = await (await browser.get()).newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    return await task.byHand(page)
  } finally {
    await context.close()
  }
}

/** How long a step waits for an element that a change of the site has taken away, in milliseconds. */
const changedWait = 8_000

const hurried = (moves: ReadonlyArray<Move>): ReadonlyArray<Move> =>
  moves.map((move) =>
    move._tag === "Step" && typeof move.parameters.selector === "string" && move.action !== "FILE_UPLOAD"
      ? { ...move, parameters: { ...move.parameters, wait_time: changedWait } }
      : move
  )

/**
 * Does the tasks again after each change of the site, with what a first run remembered of its elements. A wrong click is
 * one on a decoy, or a run that says success although the task was not done.
 */
const changed = async (name: string, running: Running, agent: Agent): Promise<ReadonlyArray<Row>> => {
  const total = { changes: 0, recovered: 0, wrong: 0 }
  for (const task of running.tasks) {
    const { targets, url, workflow } = task
    if (targets === undefined) continue
    const { learned, memories } = Effect.runSync(ElementMemory.of(Effect.succeed([])))
    await task.prepare()
    dataOf(await agent(task, { memories, recovery }))
    const remembered = learned()
    for (const kind of HostileChanges.kinds) {
      const altered = await HostileChanges.serve(running, kind, targets)
      const known = Effect.runSync(ElementMemory.of(Effect.succeed(remembered)))
      const moved = { ...task, url: url.replace(running.origin, altered.origin), workflow: hurried(workflow) }
      let ended = "failed"
      try {
        await task.prepare()
        const seen = await agent(moved, { memories: known.memories, recovery })
        if (seen.outcome._tag !== "Success") ended = seen.outcome._tag === "Failed" ? seen.outcome.failure.message : "?"
        else
          ended = await task.verify(dataOf(seen)).then(
            () => "recovered",
            (error) => `wrong: ${reasonOf(error)}`
          )
      } finally {
        altered.stop()
      }
      total.changes++
      if (ended === "recovered" && altered.pressed() === 0) total.recovered++
      else
        process.stdout.write(`  ${name}, ${task.name}, ${kind}: ${ended.slice(0, 300)}, ${altered.pressed()} decoys\n`)
      if (ended.startsWith("wrong") || altered.pressed() > 0) total.wrong++
    }
  }
  const { changes, recovered, wrong } = total
  const base = { reference: `${changes} changes`, name: `${name}: recovered from changes` }
  return [
    {
      ...base,
      value: `${recovered} recovered`,
      ratio: recovered / changes,
      target: "≥ 0.80",
      ok: recovered / changes >= 0.8
    },
    { ...base, name: `${name}: wrong clicks`, value: `${wrong} wrong`, ratio: wrong, target: "0", ok: wrong === 0 }
  ]
}

const recovery = { popups: true, timing: true, selectors: true }

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 600)

type Way = "agent" | "hand"

/** What one way of doing a task took in each round that was done, in milliseconds. */
interface Taken {
  readonly wall: Array<number>
  readonly processor: Array<number>
}

const nothingTaken = (): Taken => ({ wall: [], processor: [] })

/**
 * Does the tasks of an application in both ways, in turn, each of them first in every other round. A task that one way
 * never did counts for neither in the time of all.
 */
const measured = async (
  name: string,
  running: Running,
  agent: Agent,
  browser: HandBrowser,
  rounds: number,
  ways: ReadonlyArray<Way>
) => {
  const rows: Array<Row> = []
  const total = { passed: 0, flakes: 0, both: 0 }
  const sums = { agent: { wall: 0, processor: 0 }, hand: { wall: 0, processor: 0 } }
  for (const task of running.tasks) {
    const took = { agent: nothingTaken(), hand: nothingTaken() }
    let failed = 0
    for (let round = 0; round <= rounds; round++) {
      // Started outside of the time that is measured.
      if (ways.includes("hand")) await browser.get()
      for (const way of round % 2 === 0 ? ways : [...ways].reverse()) {
        await task.prepare()
        let data: unknown = null
        try {
          const before = processMillis()
          const wall = await timed(async () => {
            data = way === "agent" ? dataOf(await agent(task)) : await byHand(browser, task)
          })
          const processor = processMillis() - before
          await task.verify(data)
          if (round === 0) continue
          took[way].wall.push(wall)
          took[way].processor.push(processor)
        } catch (error) {
          process.stdout.write(`  ${name}, ${task.name}, ${way}, round ${round}: ${reasonOf(error)}\n`)
          if (way === "agent") failed++
        }
      }
    }
    if (took.agent.wall.length > 0 && took.hand.wall.length > 0) {
      total.both++
      for (const way of ["agent", "hand"] as const) {
        sums[way].wall += median(took[way].wall)
        sums[way].processor += median(took[way].processor)
      }
    }
    total.flakes += failed
    if (failed === 0) total.passed++
    const [own, other] = [median(took.agent.wall), median(took.hand.wall)]
    rows.push({
      name: `${name}: ${task.name}`,
      value: millis(own),
      reference: `${millis(other)} by hand`,
      ratio: own / other,
      target: failed === 0 ? "passed" : "0 failed",
      ok: failed === 0
    })
  }
  const ratio = sums.agent.wall / sums.hand.wall
  const ofAll = `${name}: all ${total.both} tasks that both ways did`
  const flakes = {
    name: `${name}: flakes`,
    value: `${total.flakes} failed`,
    reference: `${running.tasks.length * (rounds + 1)} runs`,
    ratio: total.flakes,
    target: "0",
    ok: total.flakes === 0
  }
  if (total.both === 0) return [...rows, flakes]
  return [
    ...rows,
    {
      name: `${ofAll}, time`,
      value: millis(sums.agent.wall),
      reference: `${millis(sums.hand.wall)} by hand`,
      ratio,
      target: "≤ 1.10",
      ok: ratio <= 1.1
    },
    {
      name: `${ofAll}, processor time`,
      value: millis(sums.agent.processor),
      reference: `${millis(sums.hand.processor)} by hand`,
      ratio: sums.agent.processor / sums.hand.processor,
      target: "-",
      ok: true
    },
    flakes
  ]
}

/** The names that a variable lists, separated by commas; a name that is not `accepted` is refused. */
const listed = (variable: string, accepted: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = process.env[variable]?.split(",")
  if (names === undefined) return accepted
  return names.map((name) => {
    const known = accepted.find((one) => one.toLowerCase() === name.toLowerCase())
    if (known === undefined) throw new Error(`${variable} names "${name}"; it may name ${accepted.join(", ")}.`)
    return known
  })
}

export const world = async (): Promise<ReadonlyArray<Row>> => {
  const rounds = Number(process.env.SLUICE_WORLD_ROUNDS ?? 9)
  const parts = listed("SLUICE_WORLD_PARTS", ["tasks", "changes"])
  const wantedWays = listed("SLUICE_WORLD_WAYS", ["agent", "hand"])
  const ways = (["agent", "hand"] as const).filter((way) => wantedWays.includes(way))
  const wanted = listed(
    "SLUICE_WORLD",
    applications.map(({ name }) => name)
  )
  const wantedTasks = process.env.SLUICE_WORLD_TASKS?.split(",")
  await mkdir(folder, { recursive: true })
  const files = await serveFiles()
  const browser = handBrowser()
  const rows: Array<Row> = []
  try {
    for (const { name, start, version } of applications) {
      if (!wanted.includes(name)) continue
      const { tasks, ...started } = await start(folder, files)
      const running: Running = { ...started, tasks: tasks.filter((one) => wantedTasks?.includes(one.name) ?? true) }
      process.stdout.write(`${name} ${version} at ${running.origin}\n`)
      const layer = Layer.mergeAll(
        PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowPrivateNetworks: true }),
        HttpFiles.layer({ ...HttpFiles.defaults, allowedOrigins: [files.origin] })
      )
      const measure = Effect.gen(function* () {
        const services = yield* Effect.context<Effect.Services<ReturnType<typeof walk>>>()
        const agent: Agent = ({ url, workflow }, options = {}) =>
          Effect.runPromiseWith(services)(walk(toGraph(url, workflow), {}, options))
        return yield* Effect.promise(async () => [
          ...(parts.includes("tasks") ? await measured(name, running, agent, browser, rounds, ways) : []),
          ...(parts.includes("changes") ? await changed(name, running, agent) : [])
        ])
      })
      try {
        rows.push(...(await Effect.runPromise(measure.pipe(Effect.provide(layer), Effect.scoped))))
      } finally {
        await running.stop()
      }
    }
  } finally {
    await browser.close()
    files.stop()
  }
  return rows
}
