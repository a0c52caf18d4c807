import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Lock from "../../adapters/embedded/Lock.ts"
import { demoUsers } from "../../apps/demo/DemoUsers.ts"
import * as Site from "../../apps/demo/Site.ts"
import { demoWorkflow } from "../../apps/demo/Workflow.ts"
import { migratedDatabase } from "../support/databases.ts"
import { credentialOf } from "../support/demoSite.ts"
import { daily } from "../support/fixtures.ts"
import { collector, variablesFor } from "../support/otlp.ts"
import { freePort } from "../support/ownServer.ts"
import {
  completed,
  dataDir,
  encryptionKey,
  healthOf,
  key,
  masterKey,
  metricsComplaints,
  migratedDataDir,
  readinessOf,
  ready,
  send,
  sluice,
  untilReady,
  untilStatus
} from "../support/processes.ts"
import { receiver } from "../support/receiver.ts"
import { isAll, sampled } from "../support/scale.ts"
import { until } from "../support/waiting.ts"

const closedNow = () => {
  const hour = (new Date().getUTCHours() + 6) % 22
  return daily(hour, hour + 1)
}

/** Waits until there is no such process any more. */
const untilGone = (pid: string) =>
  until(
    `the end of process ${pid}`,
    Effect.sync(() => isAlive(pid)),
    (lives) => !lives
  )

const isAlive = (pid: string): boolean => {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

/** The Chromium processes that descend from a process. */
const browsersOf = (pid: number): number => {
  const rows = execFileSync("ps", ["-eo", "pid,ppid,args"], { encoding: "utf8" })
    .split("\n")
    .map((row) => row.trim().split(/\s+/))
  const below = new Set([String(pid)])
  for (let grown = -1; grown !== below.size; ) {
    grown = below.size
    for (const [id = "", parent = ""] of rows) if (below.has(parent)) below.add(id)
  }
  return rows.filter(([id = "", , program = ""]) => below.has(id) && /chrom/.test(program)).length
}

/** Signs in to the console, as a browser does. */
const consoleSession = (url: string) =>
  Effect.promise(async () => {
    const headers = { origin: url, "content-type": "application/json" }
    const answer = await fetch(`${url}/console/session`, { method: "POST", headers, body: JSON.stringify({ key }) })
    assert.strictEqual(answer.status, 200)
    const { page_secret } = (await answer.json()) as { readonly page_secret: string }
    return { cookie: answer.headers.getSetCookie()[0]?.split(";")[0] ?? "", "x-sluice-session": page_secret }
  })

const start = (
  url: string,
  site: string,
  runWindow: unknown,
  webhook?: { readonly url: string; readonly secret: string }
) =>
  Effect.gen(function* () {
    // The second time it is there already.
    yield* send(url, "POST", "/vault", credentialOf("clerk", demoUsers.clerk, site, encryptionKey))
    const workflow = yield* send(url, "POST", "/workflows", { ...demoWorkflow(site), run_window: runWindow })
    const run = yield* send(url, "POST", "/run", {
      workflow_id: workflow.id,
      run_input_variables: { MARLOW: "clerk", status: "open" },
      ...(webhook === undefined ? {} : { webhook })
    })
    return { workflowId: String(workflow.id), session: String(run.session_id) }
  })

type Collector = Effect.Success<typeof collector>

/** The names of the spans of the trace of a run, each with its part, once the webhook has its end. */
const traceOf = Effect.fnUntraced(function* ({ spans, until }: Collector, session: string) {
  const ofRun = () => spans().filter(({ attributes }) => attributes["sluice.session_id"] === session)
  yield* until(() => {
    const seen = new Set(ofRun().map(({ attributes, name }) => `${name} ${attributes["sluice.event"] ?? ""}`))
    return ["POST /run ", "run ", "webhook execution.success"].every((one) => seen.has(one))
  })
  // The record of the run is asked for in traces of their own.
  const submitted = ofRun().filter(({ name }) => name === "POST /run")
  assert.lengthOf(submitted, 1)
  const [{ traceId: whole = "" } = {}] = submitted
  return spans().flatMap(({ name, part, traceId }) => (traceId === whole ? [`${part} ${name}`] : []))
})

describe.concurrent("sluice up", () => {
  it.live("shows the demo on empty data, refuses a second process, and ends in order when it is asked to", () =>
    Effect.gen(function* () {
      const folder = yield* migratedDataDir
      const port = yield* Effect.promise(freePort)
      const settings = { SLUICE_DATA_DIR: folder, SLUICE_HEALTH_PORT: "0", PORT: String(port) }
      const service = yield* sluice(["up"], settings)
      const health = yield* healthOf(service)
      const atFirst = yield* readinessOf(health)
      assert.strictEqual(atFirst?.ok, false)
      // It may say which step it is at.
      assert.match(atFirst?.reasons.join() ?? "", /^This process is starting(: it opens its database)?$/)
      // The interface is asked from before it listens. When it is ready, there are the browser, the workspace and the key.
      const asked = `http://127.0.0.1:${port}`
      yield* untilReady(asked)
      assert.isAbove(browsersOf(service.child.pid ?? 0), 0)
      assert.property(yield* send(asked, "GET", "/me"), "workspace_id")
      yield* untilReady(health)
      const url = yield* ready(service)
      assert.strictEqual(url, asked)
      yield* service.said(/That was workflow/)
      const output = service.output()
      assert.match(output, /held: The run window is closed and next opens at \d{4}-\d{2}-\d{2}T/)
      assert.strictEqual(output.match(/succeeded/g)?.length, 2)
      assert.include(output, key)
      assert.strictEqual(yield* metricsComplaints(health), "")
      // What the console shows in the first minute: a way in, runs with pictures, and one that waits for its window.
      assert.match(output, new RegExp(`^Console {5}${url}/#sign-in=[\\w-]+ `, "m"))
      assert.match(output, /^Demo site {3}http:\/\/127\.0\.0\.1:\d+\/login$/m)
      const runs = (yield* send(url, "GET", "/runs")) as unknown as ReadonlyArray<Record<string, string | null>>
      assert.deepStrictEqual(
        runs.map(({ hold, status }) => [status, hold]),
        [["execution.paused", "run_window"], ...[1, 2].map(() => ["execution.success", null])]
      )
      const done = yield* send(url, "GET", `/run/${runs[2]?.session_id}`)
      assert.isNotEmpty(done.screenshot_urls)

      const second = yield* sluice(["up"], { SLUICE_DATA_DIR: folder })
      assert.strictEqual(yield* second.ended, 1)
      assert.include(second.output(), `Cannot open the data folder ${folder}: process ${service.child.pid} uses it`)
      assert.deepInclude(Lock.inUse(folder), { pid: service.child.pid ?? 0, address: url })

      const browser = execFileSync("pgrep", ["-P", String(service.child.pid)], { encoding: "utf8" })
        .trim()
        .split("\n")
      service.child.kill("SIGTERM")
      yield* service.ended
      yield* Effect.forEach(browser, untilGone)
    }).pipe(Effect.scoped)
  )

  it.live("keeps what it answered for through kill -9, and starts held runs afterwards", () =>
    Effect.gen(function* () {
      const folder = yield* migratedDataDir
      const site = yield* Site.serve(0)
      const settings = { SLUICE_DATA_DIR: folder, SLUICE_DEMO: "0", SLUICE_ALLOW_PRIVATE_NETWORKS: "1" }
      const first = yield* sluice(["up"], settings)
      const before = yield* ready(first)
      const page = yield* consoleSession(before)
      const { session, workflowId } = yield* start(before, site, closedNow())
      const pid = first.child.pid ?? 0
      const children = execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
        .trim()
        .split("\n")
      first.child.kill("SIGKILL")
      yield* first.ended
      // No process is left to end the browser: it ends because its pipe closed.
      yield* Effect.forEach(children, untilGone)

      const second = yield* sluice(["up"], settings)
      const url = yield* ready(second)
      assert.include(first.output(), key)
      assert.notInclude(second.output(), key)
      // A page of the console that is still open is signed in. The name of its cookie has the port, which is another one.
      const cookie = page.cookie.replace(new URL(before).port, new URL(url).port)
      const answer = yield* Effect.promise(() => fetch(`${url}/console/session`, { headers: { ...page, cookie } }))
      assert.property(yield* Effect.promise(() => answer.json()), "workspace_id")
      yield* untilStatus(url, session, "execution.paused")
      yield* send(url, "DELETE", `/workflows/${workflowId}/run-window`)
      yield* untilStatus(url, session, "execution.success")
    }).pipe(Effect.scoped)
  )

  it.live("says what to do when its settings are wrong", () =>
    Effect.gen(function* () {
      const folder = yield* migratedDataDir
      const cases: ReadonlyArray<readonly [Record<string, string>, string]> = [
        [{ SLUICE_MASTER_KEY: "short-and-secret" }, "64 hexadecimal digits"],
        [{ PORT: "eighty" }, "--port"],
        [
          { SLUICE_CHROMIUM: "/nowhere/chromium" },
          'Cannot use "/nowhere/chromium" for --chromium (SLUICE_CHROMIUM): expected the path of a Chromium program'
        ],
        [
          {
            DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
            SLUICE_MASTER_KEY: masterKey,
            SLUICE_WAIT_SECONDS: "0"
          },
          "Cannot use the database at DATABASE_URL"
        ]
      ]
      yield* Effect.forEach(
        sampled(cases, 4),
        ([env, message]) =>
          Effect.gen(function* () {
            const settings = { SLUICE_DATA_DIR: folder, SLUICE_DEMO: "0", ...env }
            const { code, output } = yield* completed(["up"], settings)
            assert.strictEqual(code, 1)
            assert.include(output, message)
            assert.notInclude(output, "short-and-secret")
          }),
        { concurrency: 2, discard: true }
      )
    }).pipe(Effect.scoped)
  )
})

describe.concurrent("separate processes on one database", () => {
  it.live("share the work; a worker that is killed has its run done by another", () =>
    Effect.gen(function* () {
      const [folder, databaseUrl] = [yield* dataDir, yield* migratedDatabase]
      const site = yield* Site.serve(0)
      const [traces, hook] = [yield* collector, yield* receiver(200)]
      const webhook = { url: `${hook.url}/tide-pool`, secret: "kelp-and-keystone" }
      const settings = {
        DATABASE_URL: databaseUrl,
        SLUICE_MASTER_KEY: masterKey,
        SLUICE_DATA_DIR: folder,
        SLUICE_HEALTH_PORT: "0",
        SLUICE_ALLOW_PRIVATE_NETWORKS: "1",
        ...variablesFor(traces.url)
      }
      const { SLUICE_HEALTH_PORT: _, ...unwatched } = settings
      const migrated = yield* sluice(["migrate"], unwatched)
      assert.strictEqual(yield* migrated.ended, 0)
      const api = yield* sluice(["api"], settings)
      const workers = [yield* sluice(["worker"], settings), yield* sluice(["worker"], settings)]
      const url = yield* ready(api)
      const { session, workflowId } = yield* start(url, site, closedNow(), webhook)
      yield* untilStatus(url, session, "execution.paused")
      const scheduler = yield* sluice(["scheduler"], settings)
      yield* Effect.forEach(workers, ({ said }) => said(/worker started/))
      yield* send(url, "POST", "/runs/unpause", { pause_resource: "run_window", resource_ids: [workflowId] })
      yield* untilStatus(url, session, "execution.success")
      // One run is found in the logs of all processes by its id.
      const logged = (message: string) => new RegExp(`message="?${message}"?.* session_id=${session}`)
      yield* api.said(logged("Run held"))
      const outputs = workers.map(({ output }) => output())
      assert.isTrue(
        outputs.some((text) => logged("Attempt started").test(text)),
        outputs.join("\n")
      )
      const watched = yield* Effect.forEach([api, scheduler, ...workers], healthOf)
      assert.deepStrictEqual(yield* Effect.forEach(watched, metricsComplaints), ["", "", "", ""])

      // The run is one trace across them.
      const trace = yield* traceOf(traces, session)
      for (const name of ["api POST /run", "worker run waits", "worker run claimed", "worker run", "api webhook"]) {
        assert.include(trace, name)
      }
      assert.isTrue(
        trace.some((name) => name.startsWith("worker node INPUT_TEXT")),
        trace.join()
      )
      assert.isTrue(
        trace.some((name) => name.startsWith("worker browser ")),
        trace.join()
      )
      const secret = [demoUsers.clerk.password, demoUsers.clerk.user, key, encryptionKey, masterKey, webhook.secret]
      for (const text of [...secret, "tide-pool", site, databaseUrl]) assert.notInclude(traces.bodies.join(), text)

      const next = yield* start(url, site, null)
      yield* untilStatus(url, next.session, "execution.start")
      // Both workers are asked to end in turn: the run is finished in its grace, or given back to the other.
      workers[0]?.child.kill("SIGTERM")
      yield* untilStatus(url, next.session, "execution.success")
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isAll)("refuse a worker whose artifacts the interface would not find", () =>
    Effect.gen(function* () {
      const settings = { DATABASE_URL: yield* migratedDatabase, SLUICE_MASTER_KEY: masterKey }
      yield* ready(yield* sluice(["api"], { ...settings, SLUICE_DATA_DIR: yield* dataDir }))
      const elsewhere = yield* completed(["worker"], { ...settings, SLUICE_DATA_DIR: yield* dataDir })
      assert.strictEqual(elsewhere.code, 1)
      assert.match(elsewhere.output, /keeps artifacts in another place\. Give every process the same SLUICE_DATA_DIR/)
    }).pipe(Effect.scoped)
  )
})
