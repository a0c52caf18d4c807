import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Site from "../../apps/demo/Site.ts"
import { graphOf } from "../support/browser.ts"
import { migratedDatabase } from "../support/databases.ts"
import { dataDir, masterKey, ready, send, sluice, untilStatus } from "../support/processes.ts"
import { code } from "../support/questions.ts"
import { until } from "../support/waiting.ts"

it.live("a run of one process asks, and continues with the answer to a process that started later", () =>
  Effect.gen(function* () {
    const site = yield* Site.serve(0)
    const env = {
      DATABASE_URL: yield* migratedDatabase,
      SLUICE_MASTER_KEY: masterKey,
      SLUICE_ALLOW_PRIVATE_NETWORKS: "1",
      SLUICE_DATA_DIR: yield* dataDir
    }
    const migrated = yield* sluice(["migrate"], env)
    assert.strictEqual(yield* migrated.ended, 0, migrated.output())
    const api = yield* sluice(["api"], env)
    const worker = yield* sluice(["worker"], env)
    const before = yield* ready(api)
    const workflow = yield* send(before, "POST", "/workflows", {
      name: "Asks",
      ...graphOf(`${site}/login`, [
        { action: "USER_INTERACTION", parameters: { expected_datamodel: code } },
        { action: "INPUT_TEXT", parameters: { selector: "css=#user", text: "{{context.code}}" } }
      ])
    })
    const run = yield* send(before, "POST", "/run", { workflow_id: workflow.id })
    const session = String(run.session_id)
    const path = `/run/${session}/user_interaction`
    const question = Effect.all([send(before, "GET", path), send(before, "GET", `/run/${session}`)])
    yield* until("the question", question, ([{ kind }]) => String(kind) === "interaction")
    api.child.kill("SIGKILL")
    yield* api.ended

    const after = yield* ready(yield* sluice(["api"], env))
    const answered: object = yield* send(after, "POST", path, { code: "135791" })
    assert.deepInclude(answered, { success: true, session_id: session })
    const record = yield* untilStatus(after, session, "execution.success")
    for (const text of [JSON.stringify(record), worker.output(), api.output()]) assert.notInclude(text, "135791")
  }).pipe(Effect.scoped)
)
