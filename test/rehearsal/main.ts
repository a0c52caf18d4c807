/**
 * `npm run rehearse -- [--proxy nginx | caddy] [--rate 20] [--former CHECKOUT]`: the installation of `deploy/compose.yaml` as
 * processes of this machine, behind a proxy of its packages, with submissions all the while:
 *
 * 1. a run with a browser, whose picture comes from the store through the proxy
 * 2. each process is replaced in turn
 * 3. the next version migrates the database, works beside this one, and takes its place process by process
 *
 * Nothing may fail. With `--former`, the checkout of a former version is this version, and this one is the next.
 */
import { spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { parseArgs } from "node:util"
import { Cause, Effect, Exit } from "effect"
import { graphOf } from "../support/browser.ts"
import { freshDatabase } from "../support/databases.ts"
import { daily } from "../support/fixtures.ts"
import { startServer } from "../support/ownServer.ts"
import { key, send, untilStatus } from "../support/processes.ts"
import * as Load from "./Load.ts"
import * as NextVersion from "./NextVersion.ts"
import * as Topology from "./Topology.ts"

const { values } = parseArgs({
  options: {
    proxy: { type: "string", default: "nginx" },
    rate: { type: "string", default: "20" },
    former: { type: "string" }
  }
})
const { former, proxy } = values
const rate = Number(values.rate)
if ((proxy !== "nginx" && proxy !== "caddy") || !(rate > 0)) {
  process.stderr.write("Expected --proxy nginx or caddy, and --rate above 0\n")
  process.exit(1)
}
if (spawnSync(proxy, [proxy === "nginx" ? "-v" : "version"]).status !== 0) {
  process.stderr.write(`There is no ${proxy} on PATH: install its package\n`)
  process.exit(1)
}

const began = performance.now()
const say = (line: string) =>
  process.stdout.write(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${line}\n`)

/** A page for runs to open. */
const site = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
    const server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<h1>Open</h1>"))
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, close: () => void server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** Submits a run that a window holds, and answers what was wrong with that; `null` for nothing. */
const submission = (url: string, workflowId: string): Effect.Effect<string | null> =>
  Effect.promise(async () => {
    try {
      const answer = await fetch(`${url}/run`, {
        method: "POST",
        headers: { "cc-key": key, "content-type": "application/json", "idempotency-key": randomUUID() },
        body: JSON.stringify({ workflow_id: workflowId, run_input_variables: {} })
      })
      const text = await answer.text()
      return answer.status === 201 ? null : `${answer.status} ${text.slice(0, 200)}`
    } catch (error) {
      return error instanceof Error ? String(error.cause ?? error) : "unknown"
    }
  })

/** Submits a run for a browser, and waits until it has succeeded. */
const carriedOut = Effect.fnUntraced(function* (url: string, workflowId: string) {
  const run = yield* send(url, "POST", "/run", { workflow_id: workflowId, run_input_variables: {} })
  const session = String(run.session_id)
  yield* untilStatus(url, session, "execution.success")
  return session
})

/** The bytes of a picture of a run, by its address behind the proxy. */
const pictureOf = Effect.fnUntraced(function* (url: string, session: string) {
  // The stream of a run that has ended ends as well.
  const events = yield* Effect.promise(() =>
    fetch(`${url}/run/${session}/events`, { headers: { "cc-key": key } }).then((answer) => answer.text())
  )
  const [address] = events.match(new RegExp(`${url}/artifacts/[^"]+`)) ?? []
  if (address === undefined) return yield* Effect.die(new Error(`No event names a picture: ${events}`))
  return yield* Effect.promise(() => fetch(address).then((answer) => answer.arrayBuffer()))
})

const withoutNumbers = (line: string): string => line.replace(/\d+/g, "#").replace(/\s+/g, " ")

/** Lines that differ by numbers alone, each once, with how often it stands there. */
const counted = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(withoutNumbers(line), (counts.get(withoutNumbers(line)) ?? 0) + 1)
  return [...counts].map(([line, count]) => `${count} times: ${line}`)
}

const rehearsed = Effect.gen(function* () {
  const own = process.cwd()
  const first = former ?? own
  const next = former === undefined ? yield* NextVersion.make : own
  const { members, migrate, said, url } = yield* Topology.start(yield* freshDatabase, proxy, first)
  say(`two of each part are ready behind ${proxy}`)
  const page = yield* site
  const graph = graphOf(page.url, [{ action: "SCREENSHOT", parameters: {} }])
  const open = yield* send(url, "POST", "/workflows", { name: "Open", ...graph })
  const hour = (new Date().getUTCHours() + 6) % 22
  const held = yield* send(url, "POST", "/workflows", { name: "Held", ...graph, run_window: daily(hour, hour + 1) })
  const [openId, heldId] = [String(open.id), String(held.id)]
  const session = yield* carriedOut(url, openId)
  const picture = yield* pictureOf(url, session)
  say(`a run succeeded, and its picture of ${picture.byteLength} bytes came from the store`)

  const { end, seen } = yield* Load.start(rate, submission(url, heldId))
  const roll = Effect.fnUntraced(function* (checkout: string, what: string) {
    for (const { part, port, replace } of members) {
      const { code, errors } = yield* replace(checkout)
      yield* carriedOut(url, openId)
      say(`${part} ${port} ended with ${code}, and ${what}; ${seen.accepted} accepted, ${seen.failures.length} failed`)
      if (code !== 0) seen.failures.push(`${part} ended with ${code}`)
      seen.failures.push(...errors.map((line) => `${part}: ${line.slice(0, 500)}`))
    }
  })
  yield* roll(first, "another took its place")
  yield* migrate(next)
  say(`the next version has migrated the database; ${seen.accepted} accepted, ${seen.failures.length} failed`)
  yield* carriedOut(url, openId)
  yield* roll(next, "the next version took its place")
  const { accepted, failures, slowest } = yield* end
  const { held_runs } = yield* send(url, "GET", `/workflows/${heldId}/run-window`)
  const kept = Number(held_runs)
  if (kept < Math.min(accepted, 1_000)) failures.push(`${accepted} were accepted, and ${kept} are held`)
  for (const line of counted(failures)) say(line)
  for (const line of counted(said.join("").split("\n"))) say(`${proxy}: ${line}`)
  say(`${accepted} submissions accepted, ${failures.length} failed, the slowest took ${Math.round(slowest)} ms`)
  return failures.length
}).pipe(Effect.scoped)

// A signal ends what was started here before it ends this process.
const asked = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => asked.abort())

const server = await startServer(["max_connections=200"])
process.env.SLUICE_TEST_DATABASE_URL = server.url
try {
  const exit = await Effect.runPromiseExit(rehearsed, { signal: asked.signal })
  if (asked.signal.aborted) say("ended by a signal")
  else if (Exit.isFailure(exit)) process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
  process.exitCode = Exit.isSuccess(exit) && exit.value === 0 ? 0 : 1
} finally {
  await server.stop()
}
