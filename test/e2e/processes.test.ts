import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Site from "../../apps/demo/Site.ts"
import { demoWorkflow } from "../../apps/demo/Workflow.ts"
import { executablePath } from "../support/browser.ts"
import { freshDatabase } from "../support/databases.ts"
import { daily } from "../support/fixtures.ts"

const key = "sk_test_0123456789012345678901234567890123"
const masterKey = "ab".repeat(32)

interface Process {
  readonly child: ChildProcess
  readonly output: () => string
  /** Resolves when the output matches. */
  readonly said: (pattern: RegExp) => Effect.Effect<RegExpMatchArray>
  readonly ended: Effect.Effect<number | null>
}

/** Runs `sluice` with these settings until the scope closes. */
const sluice = (args: ReadonlyArray<string>, env: Record<string, string>) =>
  Effect.acquireRelease(
    Effect.sync((): Process => {
      const child = spawn(process.execPath, ["apps/cli/main.ts", ...args], {
        env: {
          ...process.env,
          SLUICE_CHROMIUM: executablePath,
          SLUICE_BOOTSTRAP_KEY: key,
          PORT: "0",
          NO_COLOR: "1",
          ...env
        }
      })
      let text = ""
      const listeners = new Set<() => void>()
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk) => {
          text += String(chunk)
          for (const listener of listeners) listener()
        })
      }
      const ended = Effect.callback<number | null>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.succeed(child.exitCode))
        child.once("exit", (code) => resume(Effect.succeed(code)))
      })
      const said = (pattern: RegExp) =>
        Effect.callback<RegExpMatchArray>((resume) => {
          const look = () => {
            const found = text.match(pattern)
            if (found === null) return
            listeners.delete(look)
            resume(Effect.succeed(found))
          }
          listeners.add(look)
          look()
        }).pipe(
          Effect.timeoutOrElse({
            duration: "60 seconds",
            orElse: () => Effect.die(new Error(`Never said ${pattern}:\n${text}`))
          })
        )
      return { child, said, ended, output: () => text }
    }),
    ({ child, ended }) => {
      child.kill("SIGKILL")
      return ended
    }
  )

const dataDir = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-e2e-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const ready = (process: Process) => Effect.map(process.said(/sluice ready (http:\S+)/), (found) => String(found[1]))

const send = (url: string, method: string, path: string, json?: unknown) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { "cc-key": key, ...(json === undefined ? {} : { "content-type": "application/json" }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) })
    })
    return (await answer.json()) as Record<string, never> & { readonly [name: string]: never }
  })

type Answer = Readonly<Record<string, unknown>>

/** Asks for the record of a run until it has the status. */
const untilStatus = (url: string, session: string, status: string) =>
  Effect.gen(function* () {
    while (true) {
      const record = (yield* send(url, "GET", `/run/${session}`)) as unknown as {
        readonly status: string
        readonly errors: unknown
      }
      if (record.status === status) return record
      if (record.status === "execution.failed") throw new Error(JSON.stringify(record.errors))
      yield* Effect.sleep("30 millis")
    }
  }).pipe(Effect.timeout("40 seconds"))

const closedNow = () => {
  const hour = (new Date().getUTCHours() + 6) % 22
  return daily(hour, hour + 1)
}

/** Waits until there is no such process any more. */
const untilGone = (pid: string) =>
  Effect.gen(function* () {
    while (isAlive(pid)) yield* Effect.sleep("50 millis")
  }).pipe(
    Effect.timeoutOrElse({ duration: "15 seconds", orElse: () => Effect.die(new Error(`Process ${pid} lives on`)) })
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

const start = (url: string, site: string, runWindow: unknown) =>
  Effect.gen(function* () {
    const workflow = yield* send(url, "POST", "/workflows", { ...demoWorkflow, run_window: runWindow })
    const run = yield* send(url, "POST", "/run", {
      workflow_id: workflow.id,
      run_input_variables: { site, ...Site.credentials, status: "open" }
    })
    return { workflowId: String(workflow.id), session: String(run.session_id) }
  })

describe("sluice up", () => {
  it.live(
    "shows the demo on empty data, refuses a second process, and ends in order when it is asked to",
    () =>
      Effect.gen(function* () {
        const folder = yield* dataDir
        const service = yield* sluice(["up"], { SLUICE_DATA_DIR: folder })
        yield* service.said(/That was workflow/)
        const output = service.output()
        assert.match(output, /held: The run window is closed and next opens at \d{4}-\d{2}-\d{2}T/)
        assert.strictEqual(output.match(/succeeded/g)?.length, 2)
        assert.include(output, key)
        assert.isAbove(browsersOf(service.child.pid ?? 0), 0)

        const second = yield* sluice(["up"], { SLUICE_DATA_DIR: folder })
        assert.strictEqual(yield* second.ended, 1)
        assert.include(second.output(), `Cannot open the data folder ${folder}: process ${service.child.pid} uses it`)

        const browser = execFileSync("pgrep", ["-P", String(service.child.pid)], { encoding: "utf8" })
          .trim()
          .split("\n")
        service.child.kill("SIGTERM")
        yield* service.ended
        yield* Effect.forEach(browser, untilGone)

        const again = yield* sluice(["up"], { SLUICE_DATA_DIR: folder })
        yield* ready(again)
        assert.notInclude(again.output(), key)
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "keeps what it answered for through kill -9, and starts held runs afterwards",
    () =>
      Effect.gen(function* () {
        const folder = yield* dataDir
        const site = yield* Site.serve(0)
        const settings = { SLUICE_DATA_DIR: folder, SLUICE_DEMO: "0", SLUICE_ALLOW_PRIVATE_NETWORKS: "1" }
        const first = yield* sluice(["up"], settings)
        const { session, workflowId } = yield* start(yield* ready(first), site, closedNow())
        const pid = first.child.pid ?? 0
        const children = execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
          .trim()
          .split("\n")
        first.child.kill("SIGKILL")
        yield* first.ended
        // Nobody is left to end the browser: it ends because the pipe to it closed.
        yield* Effect.forEach(children, untilGone)

        const second = yield* sluice(["up"], settings)
        const url = yield* ready(second)
        yield* untilStatus(url, session, "execution.paused")
        yield* send(url, "DELETE", `/workflows/${workflowId}/run-window`)
        yield* untilStatus(url, session, "execution.success")
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "says what to do when its settings are wrong",
    () =>
      Effect.gen(function* () {
        const folder = yield* dataDir
        const cases: ReadonlyArray<readonly [Record<string, string>, string]> = [
          [{ PORT: "eighty" }, "--port"],
          [{ SLUICE_CHROMIUM: "/nowhere/chromium" }, "Set SLUICE_CHROMIUM to a Chromium that runs on this machine"],
          [
            { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none", SLUICE_MASTER_KEY: masterKey },
            "Cannot use the database at DATABASE_URL"
          ],
          [{ SLUICE_MASTER_KEY: "short-and-secret" }, "64 hexadecimal digits"]
        ]
        for (const [env, message] of cases) {
          const service = yield* sluice(["up"], { SLUICE_DATA_DIR: folder, SLUICE_DEMO: "0", ...env })
          assert.strictEqual(yield* service.ended, 1)
          assert.include(service.output(), message)
          assert.notInclude(service.output(), "short-and-secret")
        }
      }).pipe(Effect.scoped),
    120_000
  )
})

describe("separate processes on one database", () => {
  it.live(
    "share the work; a worker that is killed has its run done by another",
    () =>
      Effect.gen(function* () {
        const [folder, databaseUrl] = [yield* dataDir, yield* freshDatabase]
        const site = yield* Site.serve(0)
        const settings = {
          DATABASE_URL: databaseUrl,
          SLUICE_MASTER_KEY: masterKey,
          SLUICE_DATA_DIR: folder,
          SLUICE_ALLOW_PRIVATE_NETWORKS: "1"
        }
        const migrated = yield* sluice(["migrate"], settings)
        assert.strictEqual(yield* migrated.ended, 0)
        const api = yield* sluice(["api"], settings)
        const url = yield* ready(api)
        const { session, workflowId } = yield* start(url, site, closedNow())
        yield* untilStatus(url, session, "execution.paused")
        const workers = [yield* sluice(["worker"], settings), yield* sluice(["worker"], settings)]
        yield* sluice(["scheduler"], settings)
        yield* Effect.forEach(workers, ({ said }) => said(/worker started/))
        yield* send(url, "POST", "/runs/unpause", { pause_resource: "run_window", resource_ids: [workflowId] })
        yield* untilStatus(url, session, "execution.success")

        const next = yield* start(url, site, null)
        yield* untilStatus(url, next.session, "execution.start")
        // Both workers are asked to end in turn: the run is finished in its grace, or given back to the other.
        workers[0]?.child.kill("SIGTERM")
        yield* untilStatus(url, next.session, "execution.success")
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "keep a conversation between an API and a worker, and go on with it in another worker",
    () =>
      Effect.gen(function* () {
        const [folder, databaseUrl] = [yield* dataDir, yield* freshDatabase]
        const site = yield* Site.serve(0)
        const settings = {
          DATABASE_URL: databaseUrl,
          SLUICE_MASTER_KEY: masterKey,
          SLUICE_DATA_DIR: folder,
          SLUICE_ALLOW_PRIVATE_NETWORKS: "1"
        }
        const migrated = yield* sluice(["migrate"], settings)
        assert.strictEqual(yield* migrated.ended, 0)
        const url = yield* ready(yield* sluice(["api"], settings))
        const first = yield* sluice(["worker"], settings)
        const base = "/workflow-builder/agent"
        const opened = yield* send(url, "POST", `${base}/session`, { name: "Orders", startUrl: `${site}/login` })
        const path = `${base}/${opened.conversationId}`
        const rested = Effect.gen(function* () {
          while (((yield* send(url, "GET", `${path}/status`)) as Answer).isProcessing === true) {
            yield* Effect.sleep("30 millis")
          }
          const { messages } = yield* send(url, "GET", `${path}/messages?tail=1`)
          return String((messages as unknown as ReadonlyArray<Answer>)[0]?.text)
        }).pipe(Effect.timeout("40 seconds"))
        const tell = (text: string) => Effect.andThen(send(url, "POST", `${path}/message`, { text }), rested)
        assert.strictEqual(yield* rested, `Opened ${site}/login`)
        assert.include(yield* tell("type //input[@id='user'] = me"), "Done: Type into //input[@id='user']")
        assert.deepInclude((yield* send(url, "GET", `${path}/html`)) as Answer, { url: `${site}/login` })
        first.child.kill("SIGTERM")
        yield* first.ended
        const none: Answer = yield* send(url, "GET", `${path}/screenshot`)
        assert.deepInclude(none, { statusCode: 409, code: "NO_BROWSER_ATTACHED" })
        yield* sluice(["worker"], settings)
        assert.include(yield* tell("replay"), "Did 1 step.")
        assert.isAbove(String((yield* send(url, "GET", `${path}/screenshot`)).base64).length, 1_000)
      }).pipe(Effect.scoped),
    120_000
  )
})
