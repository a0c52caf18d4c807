/** The remains of browsers when processes are killed. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { graphOf } from "../support/browser.ts"
import { browserFoldersOf, chromiumsOf, withDescendants } from "../support/chromiums.ts"
import { migratedDatabase } from "../support/databases.ts"
import { completed, dataDir, masterKey, ready, send, sluice, untilStatus } from "../support/processes.ts"
import { html, serve } from "../support/site.ts"
import { awaited, until } from "../support/waiting.ts"

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const untilGone = (pids: ReadonlyArray<number>) =>
  until(
    "the end of processes",
    Effect.sync(() => pids.filter(isAlive)),
    ({ length }) => length === 0
  )

const start = (url: string, graph: { readonly nodes: unknown; readonly edges: unknown }) =>
  Effect.gen(function* () {
    const workflow = yield* send(url, "POST", "/workflows", {
      name: "Walls",
      ...graph,
      input_schema: {},
      output_schema: {},
      max_retries: 0
    })
    const run = yield* send(url, "POST", "/run", { workflow_id: workflow.id, run_input_variables: {} })
    if (run.session_id === undefined) return yield* Effect.die(new Error(JSON.stringify([workflow, run])))
    return String(run.session_id)
  })

describe("kill -9", () => {
  it.live(
    "of a worker whose page hangs leaves no process, and its folders go with the next start; of a browser, the next run has another",
    () =>
      Effect.gen(function* () {
        const database = yield* migratedDatabase
        const folder = yield* dataDir
        const arrived = yield* Deferred.make<void>()
        const site = yield* serve({
          "/": html("<p>here</p>"),
          "/hang": html(
            "<script>addEventListener('load', () => fetch('/hung').then(() => { while (true) {} }))</script>"
          ),
          "/hung": (_request, response) => {
            response.end()
            Effect.runSync(Deferred.succeed(arrived, undefined))
          }
        })
        const env = {
          DATABASE_URL: database,
          SLUICE_DATA_DIR: folder,
          SLUICE_MASTER_KEY: masterKey,
          SLUICE_ALLOW_PRIVATE_NETWORKS: "1"
        }
        assert.strictEqual((yield* completed(["migrate"], env)).code, 0)
        const api = yield* sluice(["api"], env)
        const first = yield* sluice(["worker"], env)
        const url = yield* ready(api)
        yield* first.said(/worker started/)
        yield* start(
          url,
          graphOf(`${site}/hang`, [{ action: "CLICK", parameters: { selector: "css=#nothing", wait_time: 600_000 } }])
        )
        yield* awaited("the page", Deferred.await(arrived), first.output)
        const killed = first.child.pid ?? 0
        assert.lengthOf(browserFoldersOf(killed), 1)
        const processes = withDescendants(chromiumsOf(killed))
        assert.isAtLeast(processes.length, 4)
        first.child.kill("SIGKILL")
        yield* first.ended
        yield* untilGone(processes)

        const second = yield* sluice(["worker"], env)
        yield* second.said(/worker started/)
        const session = yield* start(url, graphOf(`${site}/`, []))
        yield* untilStatus(url, session, "execution.success")
        assert.lengthOf(browserFoldersOf(killed), 0)
        const [browser = 0] = chromiumsOf(second.child.pid ?? 0)
        process.kill(browser, "SIGKILL")
        const next = yield* start(url, graphOf(`${site}/`, []))
        yield* untilStatus(url, next, "execution.success")
        const all = withDescendants(chromiumsOf(second.child.pid ?? 0))
        second.child.kill("SIGTERM")
        yield* second.ended
        yield* untilGone([browser, ...all])
      }).pipe(Effect.scoped)
  )
})
