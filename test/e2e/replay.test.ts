/** Replays by the command line, of a run of real processes. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { graphOf } from "../support/browser.ts"
import { migratedDatabase } from "../support/databases.ts"
import { completed, dataDir, key, masterKey, ready, send, sluice, untilStatus } from "../support/processes.ts"
import { html, serve } from "../support/site.ts"

it.live("a recorded run is replayed by its id, and a changed file is tried against it, when the site is gone", () =>
  Effect.gen(function* () {
    const folder = yield* dataDir
    const env = {
      DATABASE_URL: yield* migratedDatabase,
      SLUICE_DATA_DIR: folder,
      SLUICE_MASTER_KEY: masterKey,
      SLUICE_ALLOW_PRIVATE_NETWORKS: "1"
    }
    assert.strictEqual((yield* completed(["migrate"], env)).code, 0)
    const url = yield* ready(yield* sluice(["api"], env))
    yield* (yield* sluice(["worker"], env)).said(/worker started/)

    const { session, workflow } = yield* Effect.scoped(
      Effect.gen(function* () {
        const site = yield* serve({
          "/": html("<a href='/orders'>Orders</a>"),
          "/orders": html("<h1>Orders</h1><p id='count'>12</p>")
        })
        const workflow = yield* send(url, "POST", "/workflows", {
          name: "Count orders",
          record: true,
          ...graphOf(site, [
            { action: "CLICK", parameters: { selector: "//a" } },
            {
              action: "EXTRACT_DATAMODEL",
              parameters: {
                extract_data_model: {
                  type: "object",
                  properties: { count: { type: "string", path: "//p[@id='count']" } }
                }
              }
            }
          ]),
          input_schema: {},
          output_schema: {}
        })
        const run = yield* send(url, "POST", "/run", { workflow_id: workflow.id, run_input_variables: {} })
        const session = String(run.session_id)
        yield* untilStatus(url, session, "execution.success")
        return { session, workflow: String(workflow.id) }
      })
    )

    const user = { SLUICE_URL: url, SLUICE_KEY: key }
    const same = yield* completed(["replay", session], user)
    assert.strictEqual(same.code, 0, same.output)
    assert.include(same.output, `The replay of run ${session} has the same output`)

    const file = join(folder, "workflow.json")
    const tried = ["workflow", "try", file, "--runs", "5"]
    assert.strictEqual((yield* completed(["workflow", "pull", workflow, file], user)).code, 0)
    assert.include((yield* completed(tried, user)).output, "does as well in the last 1 recorded run")

    writeFileSync(file, readFileSync(file, "utf8").replace("'count'", "'amount'"))
    const worse = yield* completed(tried, user)
    assert.strictEqual(worse.code, 1, worse.output)
    assert.match(worse.output, /would have failed 1 of the last 1, at step 3 \(EXTRACT_DATAMODEL 2\): count is /)
    const one = yield* completed(["replay", session, "--workflow", file, "--json"], user)
    assert.strictEqual(one.code, 1, one.output)
    assert.include(one.output, '"kind": "output"')
    assert.strictEqual((yield* completed(["replay", "00000000-0000-4000-8000-000000000000"], user)).code, 4)
  }).pipe(Effect.scoped)
)
