/** The tools for agents as a process over standard input and output, with runs in a real Chromium. */

import { assert, it } from "@effect/vitest"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Effect } from "effect"
import * as Site from "../../apps/demo/Site.ts"
import * as Bounds from "../../apps/mcp/Bounds.ts"
import { migratedDatabase } from "../support/databases.ts"
import { connected } from "../support/mcpClient.ts"
import { dataDir, key, masterKey, ready, sluice } from "../support/processes.ts"
import { programOf } from "../support/programs.ts"

it.live("an agent makes a workflow, learns why its run failed, repairs the step and saves it", () =>
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
    yield* sluice(["worker"], env)
    const url = yield* ready(api)
    const { call, names } = yield* connected(
      () =>
        new StdioClientTransport({
          command: process.execPath,
          args: [programOf("sluice"), "mcp"],
          env: { ...(process.env as Record<string, string>), SLUICE_URL: url, SLUICE_KEY: key }
        })
    )
    assert.include(yield* names, "edit_workflow")
    const { draft_id } = (yield* call("draft_workflow", { name: "Sign in", url: `${site}/login` })).data
    const step = { op: "add", after: "Open", name: "User name", action: "INPUT_TEXT" }
    const parameters = { selector: "css=#user-name", text: "anna" }
    yield* call("edit_workflow", { workflow_id: draft_id, version: 1, edits: [{ ...step, parameters }] })
    const failed = yield* call("run_workflow", { workflow_id: draft_id, wait_seconds: 45 })
    assert.strictEqual(failed.data.status, "execution.failed", failed.text)
    assert.isAtMost(Bounds.tokensOf(failed.text), 2_000)
    assert.match(failed.text, /## Nearest elements\n<untrusted_from_page>\n- css=#user /)
    yield* call("edit_workflow", {
      workflow_id: draft_id,
      version: 2,
      edits: [{ op: "change", step: "User name", parameters: { selector: "css=#user" } }]
    })
    const repaired = yield* call("run_workflow", { workflow_id: draft_id, wait_seconds: 45 })
    assert.strictEqual(repaired.data.status, "execution.success", repaired.text)
    assert.strictEqual((yield* call("save_draft", { draft_id })).data.workflow_id, draft_id)
  }).pipe(Effect.scoped)
)
