import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SpendLedger } from "../../../core/agent/spending/SpendLedger.ts"
import { RunId, WorkflowId } from "../../../core/workspace/Ids.ts"
import { layerInMemory, Service } from "../../support/service.ts"

const none = { calls: null, tokens: null, money: null }
const workflow = "0b0b0b0b-0000-4000-8000-000000000001"
const run = "0b0b0b0b-0000-4000-8000-000000000002"

it.layer(layerInMemory)("what models cost", (it) => {
  it.effect(
    "has limits and prices, what was spent today, every call with its step and reason, and an audit entry",
    () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Owner")
        const ask = (method: string, path: string, json?: unknown) =>
          send({ method, path, key: me.key, ...(json === undefined ? {} : { json }) })
        const before = (yield* ask("GET", "/model-spending")).body
        assert.deepStrictEqual(before.limits, { workspace: none, workflows: [], prices: [] })
        const terms = {
          workspace: { ...none, money: 2 },
          workflows: [{ workflow_id: workflow, ...none, calls: 1 }],
          prices: [{ model: "small", input: 1, output: 2 }]
        }
        assert.deepStrictEqual((yield* ask("PUT", "/model-spending", terms)).body.limits, terms)
        const ledger = yield* SpendLedger
        const { workspaceId } = me.caller
        const id = "0b0b0b0b-0000-4000-8000-000000000003"
        const call = {
          id,
          workspaceId,
          workflowId: WorkflowId.make(workflow),
          runId: RunId.make(run),
          node: { id: "n", name: "Read the total" },
          purpose: "extraction",
          model: "small",
          most: { input: 100, output: 100 },
          lostAfterMillis: 60_000
        }
        yield* ledger.reserve(call)
        yield* ledger.settle(workspaceId, id, { input: 500_000, output: 250_000 })
        const spent = { calls: 1, tokens: 750_000, money: 1, open_calls: 0 }
        const shown = (yield* ask("GET", "/model-spending")).body
        assert.deepStrictEqual(shown.workspace, spent)
        assert.deepStrictEqual(shown.workflows, [{ workflow_id: workflow, ...spent }])
        const listed = (yield* ask("GET", `/model-calls?session_id=${run}`)).body
        assert.deepInclude((listed.calls as ReadonlyArray<object>)[0], {
          node_name: "Read the total",
          purpose: "extraction",
          state: "answered",
          input_tokens: 500_000,
          money: 1
        })
        assert.strictEqual((yield* ledger.reserve({ ...call, id: run }))._tag, "Refused")
        const { entries } = (yield* ask("GET", "/audit?action=model_spending")).body
        assert.deepInclude((entries as ReadonlyArray<object>)[0], { action: "model_spending.set", after: terms })
      })
  )

  it.effect("refuses limits that are none, with the path of each problem", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Owner")
      for (const [json, path] of [
        [{ workspace: { ...none, calls: -1 }, workflows: [], prices: [] }, "workspace.calls"],
        [{ workspace: { ...none, tokens: 1.5 }, workflows: [], prices: [] }, "workspace.tokens"],
        [{ workspace: none, workflows: [], prices: [{ model: "", input: 1, output: 1 }] }, "prices[0].model"]
      ] as const) {
        const refused = yield* send({ method: "PUT", path: "/model-spending", key, json })
        assert.strictEqual(refused.status, 400)
        assert.include(JSON.stringify(refused.body), path)
      }
      const wrong = yield* send({ method: "GET", path: "/model-calls?session_id=7", key })
      assert.strictEqual(wrong.status, 400)
    })
  )
})
