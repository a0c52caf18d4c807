/**
 * The parts of the service as real processes on PostgreSQL, with clients, a site and a receiver of webhooks, while a killer
 * chooses by a seed what goes wrong. What was seen is judged by the promises of the service.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:http"
import { isDeepStrictEqual } from "node:util"
import { Effect, Exit, Scope } from "effect"
import type { History, SeenPace } from "../kit/simulation/Promises.ts"
import { numbers } from "../kit/simulation/Scenario.ts"
import { type DatabaseLink, linkTo } from "../support/databaseLink.ts"
import { freshDatabase } from "../support/databases.ts"
import { daily, graph } from "../support/fixtures.ts"
import { listening } from "../support/listening.ts"
import type { OwnServer } from "../support/ownServer.ts"
import { dataDir, key, masterKey, ready, send, sluice } from "../support/processes.ts"
import { programOf } from "../support/programs.ts"
import { receiver } from "../support/receiver.ts"
import * as Faults from "./DatabaseFaults.ts"
import { type Planted, plant } from "./Planted.ts"

export interface Options {
  readonly seed: number
  /** How long things go wrong at least. Each kind of fault comes at least once. */
  readonly seconds: number
  /** How long nothing may change afterwards until everything has come to rest. */
  readonly stillMillis: number
  readonly say: (line: string) => void
  /** Removes the paces in the database, while the judge still counts on them: it has to find that. */
  readonly ignorePaces?: boolean
  /** The database server that nobody else uses: it is ended at once and started again, and a standby takes its place. */
  readonly server?: OwnServer
  /** A disk for the tables of that server, which gets full. No standby then takes its place: it would have the same disk. */
  readonly disk?: string | null
  /** What goes wrong, of all that can where it is not set. */
  readonly kinds?: ReadonlyArray<Kind>
  /** Loses a run and doubles another behind each fault of the database: the judge has to find both. */
  readonly plant?: boolean
}

/** What a chaos has brought to light, and how often each thing went wrong. */
export interface Seen {
  readonly history: History
  readonly faults: Readonly<Record<string, number>>
  readonly planted: ReadonlyArray<Planted>
}

/** Which part of the service is to be started. */
type Part = "api" | "scheduler" | "worker 1" | "worker 2"

/** What may go wrong with processes and the network. */
const kindsOfProcesses = ["kill", "freeze", "connections", "cut", "hang", "skew"] as const

/** What may go wrong with any database. */
const kindsOfDatabases = ["read-only", "session limit", "old snapshot"] as const

export type Kind =
  | (typeof kindsOfProcesses)[number]
  | (typeof kindsOfDatabases)[number]
  | "restart"
  | "full disk"
  | "failover"

interface Started {
  readonly child: ChildProcess
  /** Ends it, if it lives. */
  readonly end: Effect.Effect<void>
}

/** A site on which runs commit. */
const site = Effect.gen(function* () {
  const commits: Array<History["commits"][number]> = []
  const server = createServer((request, response) => {
    commits.push({ runId: (request.url ?? "").split("/").at(-1) ?? "", at: Date.now() })
    response.writeHead(204).end()
  })
  return { commits, url: `http://127.0.0.1:${yield* listening(server)}` }
})

/** A worker whose clock is ahead by so much, or behind where it is negative. */
const worker = (database: string, siteUrl: string, skewMillis: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const clock = `data:text/javascript,const now = Date.now; Date.now = () => now() - ${-skewMillis}`
      return spawn(
        process.execPath,
        [...(skewMillis === 0 ? [] : ["--import", clock]), programOf("chaosWorker"), database, siteUrl],
        { stdio: "ignore" }
      )
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** Sends a request until it is answered with success, and answers the body; `null` when `isOver`. */
const insisting = (urlOf: () => string, isOver: () => boolean) =>
  Effect.fnUntraced(function* (method: string, path: string, json?: unknown, named?: string) {
    while (!isOver()) {
      const answer = yield* Effect.promise(async () => {
        try {
          const response = await fetch(`${urlOf()}${path}`, {
            method,
            headers: {
              "cc-key": key,
              "content-type": "application/json",
              ...(named === undefined ? {} : { "idempotency-key": named })
            },
            ...(json === undefined ? {} : { body: JSON.stringify(json) }),
            signal: AbortSignal.timeout(4_000)
          })
          return response.ok ? ((await response.json()) as Readonly<Record<string, unknown>>) : null
        } catch {
          // No answer: the request may have been carried out or not.
          return null
        }
      })
      if (answer !== null) return answer
      yield* Effect.sleep("250 millis")
    }
    return null
  })

/** A workflow that keeps to a pace. */
const pacedWorkflow = Effect.fnUntraced(function* (
  url: string,
  maxStartsPerMinute: number | null,
  maxRunning: number | null
) {
  const made = yield* send(url, "POST", "/workflows", { name: "Paced", ...graph(), max_retries: 5 })
  const workflowId = String(made.id)
  const pace = { max_starts_per_minute: maxStartsPerMinute, max_running: maxRunning }
  yield* send(url, "PUT", `/workflows/${workflowId}/pace`, pace)
  return { workflowId, maxStartsPerMinute, maxRunning } satisfies SeenPace
})

/** Reads what is in the database. */
const record = (database: string) =>
  Faults.withDatabase(
    database,
    Effect.fnUntraced(function* (sql) {
      const runs = yield* sql<{
        readonly id: string
        readonly workflow: string
        readonly input: string
        readonly status: string
      }>`select id, workflow_id as workflow, input, status from runs`
      const events = yield* sql<{
        readonly sequence: string
        readonly run: string
        readonly event: string
        readonly at: number
      }>`select sequence, run_id as run, event, extract(epoch from at)::float8 * 1000 as at from run_events order by sequence`
      const deliveries = yield* sql<{
        readonly id: string
        readonly sequence: string
        readonly status: string
        readonly next: string | null
      }>`select id, sequence, status, next_attempt_at::text as next from webhook_deliveries`
      return { runs, events, deliveries }
    })
  )

type Stored = Effect.Success<ReturnType<typeof record>>

/** What keeps everything from rest, one line for each kind. */
const unrest = ({ deliveries, events, runs }: Stored, accepted: ReadonlySet<string>): ReadonlyArray<string> => {
  const open = runs.filter(({ status }) => !ends.has(status))
  const made = new Set(deliveries.map(({ sequence }) => sequence))
  const unmade = events.filter(({ sequence }) => !made.has(sequence))
  const unsent = deliveries.filter(({ id }) => !accepted.has(id))
  return [
    ...(open.length === 0
      ? []
      : [`runs that have not ended: ${open.map(({ id, status }) => `${id} ${status}`).join()}`]),
    ...(unmade.length === 0 ? [] : [`events without a delivery: ${unmade.map(({ sequence }) => sequence).join()}`]),
    ...(unsent.length === 0
      ? []
      : [`deliveries that were not accepted: ${unsent.map((one) => `${one.id} ${one.status} ${one.next}`).join()}`])
  ]
}

/** How often the receiver refuses a delivery at most. */
const mostRefusals = 2

const ends = new Set(["execution.success", "execution.failed", "execution.stopped"])

/** A new database on a server of the chaos, which goes with it, or else on the one of the tests. */
const emptyDatabase = (server: OwnServer | undefined) => {
  if (server === undefined) return freshDatabase
  const url = new URL(server.url)
  url.pathname = "/chaos"
  return Effect.as(
    Faults.withDatabase(server.url, (sql) => sql`create database chaos`),
    url.href
  )
}

/** The URL of a database with a role that owns it and is held to its limits, which superusers are not. */
const limited = Effect.fnUntraced(function* (database: string) {
  const url = new URL(database)
  const name = url.pathname.slice(1)
  const execute = (...statements: ReadonlyArray<string>) =>
    Faults.withDatabase(database, (sql) => Effect.forEach(statements, (one) => sql.unsafe(one)))
  url.username = `owner_${name}`
  url.password = "x"
  const owner = url.username
  yield* Effect.acquireRelease(
    execute(`create role ${owner} login password '${url.password}'`, `alter database ${name} owner to ${owner}`),
    () => execute(`alter database ${name} owner to current_user`, `drop owned by ${owner}`, `drop role ${owner}`)
  )
  return url.href
})

export const chaos = Effect.fnUntraced(function* (options: Options) {
  const { disk = null, ignorePaces, say, seconds, seed, stillMillis } = options
  const below = numbers(seed)
  let { server } = options
  let database = yield* emptyDatabase(server)
  if (disk !== null) yield* Faults.moveTo(database, disk)
  const owned = yield* server === undefined ? limited(database) : Scope.provide(limited(database), yield* Scope.make())
  const [folder, pages] = [yield* dataDir, yield* site]
  const standbys = yield* Effect.scope
  const all = ["api", "scheduler", "worker 1", "worker 2"] as const
  const links = new Map<Part, DatabaseLink>()
  for (const part of all) links.set(part, yield* linkTo(owned))
  const urlFor = (part: Part) => links.get(part)?.url ?? owned
  const accepted = new Set<string>()
  let isFailing = true
  const refusals = new Map<string, number>()
  const target = yield* receiver(({ headers }, answer) => {
    const delivery = String(headers["x-sluice-delivery"])
    const refused = refusals.get(delivery) ?? 0
    // After a fourth failure the pause is longer than the rest that follows the faults.
    if (isFailing && refused < mostRefusals && below(8) === 0) {
      refusals.set(delivery, refused + 1)
      return void answer.writeHead(503).end()
    }
    accepted.add(delivery)
    answer.writeHead(200).end()
  })
  const settings = {
    DATABASE_URL: owned,
    SLUICE_MASTER_KEY: masterKey,
    SLUICE_DATA_DIR: folder,
    SLUICE_ALLOW_PRIVATE_NETWORKS: "1"
  }
  // It makes the workspace of the key as well.
  yield* Effect.scoped(Effect.flatMap(sluice(["migrate"], settings), ({ ended }) => ended))
  const parts = new Map<Part, Started>()
  let url = ""
  const start = Effect.fnUntraced(function* (part: Part, skewMillis = 0) {
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
    const end = Scope.close(scope, Exit.void)
    if (part === "api" || part === "scheduler") {
      const process = yield* Scope.provide(sluice([part], { ...settings, DATABASE_URL: urlFor(part) }), scope)
      parts.set(part, { child: process.child, end })
      if (part === "api") url = yield* ready(process)
    } else {
      const child = yield* Scope.provide(worker(urlFor(part), pages.url, skewMillis), scope)
      parts.set(part, { child, end })
    }
  })
  for (const part of all) yield* start(part)

  yield* send(url, "POST", "/webhook-endpoints", { url: target.url, secret: "a secret of the receiver of chaos" })
  const workflow = String((yield* send(url, "POST", "/workflows", { name: "Chaos", ...graph(), max_retries: 5 })).id)
  const [spread, narrow] = [yield* pacedWorkflow(url, 60, null), yield* pacedWorkflow(url, null, 2)]
  if (ignorePaces === true) {
    yield* Faults.withDatabase(
      database,
      (sql) => sql`update gates set max_starts_per_minute = null, max_running = null`
    )
  }
  const began = Date.now()
  let struck = 0
  let lastAt = Number.POSITIVE_INFINITY
  const isOver = () => Date.now() > began + seconds * 1_000 && struck >= kinds.length
  const isGivenUp = () => Date.now() > lastAt + stillMillis
  const insist = insisting(() => url, isGivenUp)

  const submissions: Array<{ readonly key: string; readonly answered: Array<string> }> = []
  const submit = Effect.fnUntraced(function* (name: string, workflowId: string) {
    const submission = { key: `chaos-${seed}-${name}-${submissions.length}`, answered: [] as Array<string> }
    submissions.push(submission)
    const input = { key: submission.key, millis: below(900) }
    const body = { workflow_id: workflowId, run_input_variables: input }
    const answer = yield* insist("POST", "/run", body, submission.key)
    if (answer !== null) submission.answered.push(String(answer.session_id))
  })
  const client = Effect.fnUntraced(function* (name: number) {
    while (!isOver()) {
      yield* submit(String(name), workflow)
      yield* Effect.sleep(100 + below(300))
    }
  })
  /** More runs at once than the paces allow, and fewer than they allow over time. */
  const rushing = Effect.gen(function* () {
    while (!isOver()) {
      for (const { workflowId } of [spread, narrow]) {
        yield* Effect.forEach([1, 2, 3, 4], (one) => submit(`rush-${one}`, workflowId), { concurrency: "unbounded" })
      }
      yield* Effect.sleep(4_000 + below(2_000))
    }
  })

  /** Closes the gate and opens it again. From the answer to the one until the sending of the other it is closed. */
  const closed: Array<History["closed"][number]> = []
  const closing = Effect.gen(function* () {
    while (!isOver()) {
      yield* Effect.sleep(1_000 + below(2_000))
      const hour = (new Date().getUTCHours() + 6) % 22
      const answer = yield* insist("PUT", `/workflows/${workflow}/run-window`, daily(hour, hour + 1))
      const from = Date.now()
      yield* Effect.sleep(500 + below(1_500))
      if (answer !== null) closed.push({ workflowId: workflow, from, until: Date.now() })
      yield* insist("DELETE", `/workflows/${workflow}/run-window`)
    }
  })

  const faults: Record<string, number> = {}
  const kinds: ReadonlyArray<Kind> = options.kinds ?? [
    ...kindsOfProcesses,
    ...kindsOfDatabases,
    ...(server === undefined ? [] : (["restart"] as const)),
    ...(disk === null ? [] : (["full disk"] as const)),
    ...(server === undefined || disk !== null ? [] : (["failover"] as const))
  ]
  let left: Array<Kind> = []
  /** Each kind comes once before one comes again. */
  const nextKind = () => {
    if (left.length === 0) left = [...kinds]
    return left.splice(below(left.length), 1)[0] ?? "kill"
  }
  const plants: Array<Planted> = []
  const signal = (pid: number, name: NodeJS.Signals) =>
    Effect.sync(() => {
      try {
        process.kill(pid, name)
      } catch {
        // It has ended.
      }
    })
  const strike = Effect.gen(function* () {
    const part = all[below(all.length)] ?? "worker 1"
    const pid = parts.get(part)?.child.pid ?? 0
    const kind = nextKind()
    // The network to the database fails for all parts or for one.
    const isAlone = kind === "kill" || kind === "freeze" || ((kind === "cut" || kind === "hang") && below(2) === 0)
    const name = isAlone ? `${kind} ${part}` : kind
    faults[name] = (faults[name] ?? 0) + 1
    if (kind === "kill") {
      yield* parts.get(part)?.end ?? Effect.void
      yield* start(part)
    } else if (kind === "skew") {
      // Up to 5 s it continues working; beyond that it must not.
      yield* parts.get("worker 2")?.end ?? Effect.void
      yield* start("worker 2", (below(2) === 0 ? 1 : -1) * (below(2) === 0 ? 4_000 : 40_000))
    } else if (kind === "restart") {
      yield* Effect.promise(async () => server?.restart())
    } else if (kind === "failover") {
      if (server === undefined) return
      server = yield* Scope.provide(Faults.failover(server, 500 + below(1_000)), standbys)
      const [from, to] = [new URL(database), new URL(server.url)]
      from.host = to.host
      database = from.href
      for (const link of links.values()) yield* link.turn(database)
    } else if (kind === "read-only") {
      yield* Faults.readOnly(database, 500 + below(2_500))
    } else if (kind === "session limit") {
      // None, or fewer than all parts need.
      yield* Faults.sessionLimit(database, below(2) * 4, 500 + below(2_500))
    } else if (kind === "full disk") {
      yield* Faults.fullDisk(disk ?? "", 500 + below(2_500))
    } else if (kind === "old snapshot") {
      // It is there while other things go wrong.
      yield* Effect.forkChild(Faults.oldSnapshot(database, 2_000 + below(20_000)))
    } else if (kind === "freeze") {
      yield* signal(pid, "SIGSTOP")
      yield* Effect.sleep(1_000 + below(4_000))
      yield* signal(pid, "SIGCONT")
    } else if (kind === "connections") {
      yield* Faults.withDatabase(database, Faults.endSessions)
    } else {
      const struck = [...links].flatMap(([owner, link]) => (isAlone && owner !== part ? [] : [link]))
      yield* Effect.forEach(struck, (link) => (kind === "cut" ? link.cut : link.freeze))
      yield* Effect.sleep(300 + below(2_000))
      yield* Effect.forEach(struck, (link) => link.restore)
    }
    if (options.plant === true && !kindsOfProcesses.some((one) => one === kind)) {
      const answered = () => submissions.flatMap((one) => one.answered)
      plants.push(...(yield* Faults.withDatabase(database, plant(kind, answered, plants))))
    }
  })
  const killer = Effect.gen(function* () {
    while (!isOver()) {
      yield* Effect.sleep(300 + below(1_200))
      yield* strike
      struck++
    }
    lastAt = Date.now()
  })

  yield* Effect.all([client(1), client(2), client(3), rushing, closing, killer], {
    concurrency: "unbounded",
    discard: true
  })
  isFailing = false
  say(`${submissions.length} submissions, faults: ${JSON.stringify(faults)}`)

  let seen = yield* record(database)
  const isAtRest = () =>
    seen.runs.every(({ status }) => ends.has(status)) &&
    seen.deliveries.length === seen.events.length &&
    seen.deliveries.every(({ id }) => accepted.has(id))
  for (let before = accepted.size, since = Date.now(); !isAtRest() && Date.now() < since + stillMillis; ) {
    yield* Effect.sleep("500 millis")
    const now = yield* record(database)
    if (accepted.size !== before || !isDeepStrictEqual(now, seen)) since = Date.now()
    before = accepted.size
    seen = now
  }
  if (!isAtRest()) for (const line of unrest(seen, accepted)) say(`Not at rest: ${line}`)
  for (const [part, { child }] of parts) {
    if (child.exitCode !== null) say(`The ${part} ended by itself, with exit code ${child.exitCode}`)
  }
  const sequences = new Map(seen.deliveries.map(({ id, sequence }) => [id, Number(sequence)]))
  const history: History = {
    submissions,
    runs: seen.runs.map(({ id, input, status, workflow }) => ({
      id,
      workflowId: workflow,
      key: String((JSON.parse(input) as Readonly<Record<string, unknown>>).key),
      status
    })),
    closed,
    paces: [spread, narrow],
    starts: seen.events.filter(({ event }) => event === "execution.start").map(({ at, run }) => ({ runId: run, at })),
    commits: pages.commits,
    events: seen.events.map(({ event, run, sequence }) => ({ sequence: Number(sequence), runId: run, event })),
    delivered: new Set([...accepted].flatMap((id) => sequences.get(id) ?? []))
  }
  return { history, faults, planted: plants } satisfies Seen
}, Effect.scoped)
