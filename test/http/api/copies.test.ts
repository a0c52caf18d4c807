import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { componentData, daily } from "../../support/fixtures.ts"
import { asList, pathsOf, setUp, workflow } from "../../support/member.ts"
import { seal } from "../../support/sealed.ts"
import { layerInMemory } from "../../support/service.ts"

const sealedProxy = seal("ab".repeat(32), "socks5://user:password@127.0.0.1:1080")

it.layer(layerInMemory)("workflows", (it) => {
  it.effect("are forked with their window or another, from the latest version or a named one", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({ run_window: daily(9, 17), folder_path: "billing" })
      yield* ask("PUT", `/workflows/${id}`, { ...workflow, max_retries: 5, folder_path: "billing" })
      const fork = (json?: unknown) => ask("POST", `/workflows/${id}/fork`, json)
      const copy = yield* fork()
      assert.strictEqual(copy.status, 201)
      assert.deepInclude(copy.body, {
        name: "Nightly (copy)",
        version_number: 1,
        max_retries: 5,
        folder_path: "billing"
      })
      assert.notStrictEqual(copy.body.id, id)
      assert.deepInclude(copy.body.run_window as object, { time_zone: "UTC" })
      const first = yield* fork({ name: "First", version_number: 1, run_window: null })
      assert.deepInclude(first.body, { name: "First", max_retries: 2, run_window: null })
      assert.strictEqual((yield* fork({ version_number: 3 })).status, 404)
      const wrong = yield* fork({ name: "", run_window: { ...daily(9, 17), time_zone: "PST" } })
      assert.strictEqual(wrong.status, 400)
      assert.include(pathsOf(wrong.body), "name")
      const window = yield* fork({ run_window: { ...daily(9, 17), time_zone: "PST" } })
      assert.deepStrictEqual([window.status, pathsOf(window.body)], [400, ["run_window.time_zone"]])
      assert.strictEqual((yield* fork({ name: "x".repeat(257) })).body.code, "WORKFLOW_NAME_TOO_LONG")
    })
  )

  it.effect("travel as bundles that name nothing of the workspace they come from", () =>
    Effect.gen(function* () {
      const { ask, me } = yield* setUp
      const component = yield* ask("POST", "/workflow-components", { name: "Login", componentData: componentData() })
      const componentId = String(component.body.id)
      const press = componentData().nodes[0]?.workflowNode
      const [start, end] = workflow.nodes
      const made = yield* ask("POST", "/workflows", {
        ...workflow,
        nodes: [start, { ...press, source_component_instance_id: componentId }, end],
        edges: { [String(start?.id)]: { to: press?.id }, [String(press?.id)]: { to: end?.id } },
        vault_schema: { BANK: { type: "credential", domain: "bank.example" } },
        run_window: daily(9, 17),
        folder_path: "billing",
        proxy_setting: "custom",
        proxy_value: sealedProxy,
        enable_popup_handling: true
      })
      assert.strictEqual(made.status, 201, made.text)
      const exported = yield* ask("GET", `/workflows/${made.body.id}/export`)
      assert.strictEqual((yield* ask("GET", `/workflows/${made.body.id}/export`)).text, exported.text)
      assert.deepInclude(exported.body, { format: "sluice.workflow", format_version: 1, folder_path: "billing" })
      for (const own of [
        String(made.body.id),
        String(made.body.version_id),
        componentId,
        me.caller.workspaceId,
        me.caller.userId,
        sealedProxy
      ]) {
        assert.notInclude(exported.text, own)
      }
      const other = yield* setUp
      const imported = yield* other.ask("POST", "/workflows/import", exported.body)
      assert.strictEqual(imported.status, 201, imported.text)
      const again = yield* other.ask("GET", `/workflows/${imported.body.id}/export`)
      assert.deepStrictEqual(again.body, exported.body)
      const [arrived] = asList((yield* other.ask("GET", "/workflow-components")).body)
      const usage = yield* other.ask("GET", `/workflow-components/${arrived?.id}/usage`)
      assert.deepStrictEqual(
        asList(usage.body).map(({ id }) => id),
        [imported.body.id]
      )
      yield* other.ask("POST", "/workflows/import", exported.body)
      assert.lengthOf(asList((yield* other.ask("GET", "/workflow-components")).body), 1)
    })
  )

  it.effect("take the error codes that they name with them, by name", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const code = yield* ask("POST", "/error-codes", { error_code: "No button", description: "It is gone" })
      const press = componentData().nodes[0]?.workflowNode
      const [start, end] = workflow.nodes
      const made = yield* ask("POST", "/workflows", {
        ...workflow,
        nodes: [start, { ...press, parameters: { ...press?.parameters, selector_error_message: code.body.id } }, end],
        edges: { [String(start?.id)]: { to: press?.id }, [String(press?.id)]: { to: end?.id } }
      })
      const exported = yield* ask("GET", `/workflows/${made.body.id}/export`)
      assert.notInclude(exported.text, String(code.body.id))
      const other = yield* setUp
      const own = yield* other.ask("POST", "/error-codes", { error_code: "no button " })
      const imported = yield* other.ask("POST", "/workflows/import", exported.body)
      assert.strictEqual(imported.status, 201, imported.text)
      assert.include(JSON.stringify(imported.body.nodes), String(own.body.id))
      const third = yield* setUp
      assert.strictEqual((yield* third.ask("POST", "/workflows/import", exported.body)).status, 201)
      const [arrived] = asList((yield* third.ask("GET", "/error-codes")).body)
      assert.deepInclude(arrived as object, { error_code: "No button", description: "It is gone" })
      const wrong = yield* third.ask("POST", "/workflows/import", { ...exported.body, error_codes: [{ ref: "7" }] })
      assert.strictEqual(wrong.status, 400)
      assert.include(pathsOf(wrong.body), "error_codes[0].ref")
    })
  )

  it.effect("are imported with another window, and refused with what is wrong in the bundle", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({ run_window: daily(9, 17) })
      const bundle = (yield* ask("GET", `/workflows/${id}/export`)).body
      const take = (json: unknown) => ask("POST", "/workflows/import", json)
      assert.deepStrictEqual((yield* take({ bundle })).body.run_window, bundle.run_window)
      assert.isNull((yield* take({ bundle, run_window: null })).body.run_window)
      assert.isNull((yield* take({ ...bundle, run_window: null })).body.run_window)
      assert.deepInclude(
        (yield* take({ bundle, run_window: { ...daily(1, 2), time_zone: "Europe/Berlin" } })).body.run_window as object,
        { time_zone: "Europe/Berlin" }
      )
      const foreign = yield* take({ ...workflow, format: "other" })
      assert.deepStrictEqual([foreign.status, pathsOf(foreign.body)], [400, ["format"]])
      const future = yield* take({ ...bundle, format_version: 2 })
      assert.deepStrictEqual(pathsOf(future.body), ["format_version"])
      const broken = yield* take({
        bundle: {
          ...bundle,
          nodes: [{ ...workflow.nodes[0], source_component_instance_id: "component-3" }],
          components: [{ ref: "component-1", name: "", component_data: { nodes: [] } }]
        },
        run_window: { ...daily(9, 17), time_zone: "PST" }
      })
      assert.strictEqual(broken.status, 400)
      assert.includeMembers(pathsOf(broken.body) as Array<string>, [
        "bundle.nodes",
        "bundle.nodes[0].source_component_instance_id",
        "bundle.components[0].name",
        "bundle.components[0].component_data.nodes",
        "run_window.time_zone"
      ])
    })
  )

  it.effect("are imported as they were read, without what belongs to another workspace", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({ run_window: daily(9, 17), description: "Read" })
      const component = yield* ask("POST", "/workflow-components", { name: "Login", componentData: componentData() })
      const read = (yield* ask("GET", `/workflows/${id}`)).body
      const nodes = (read.nodes as ReadonlyArray<object>).map((node, index) =>
        index === 0 ? { ...node, source_component_instance_id: component.body.id } : node
      )
      yield* ask("PUT", `/workflows/${id}`, { ...read, nodes })
      const body = (yield* ask("GET", `/workflows/${id}`)).body
      const here = yield* ask("POST", "/workflows/import", body)
      assert.strictEqual(here.status, 201, here.text)
      assert.notStrictEqual(here.body.id, id)
      for (const field of ["name", "description", "nodes", "edges", "input_schema", "run_window"]) {
        assert.deepStrictEqual(here.body[field], body[field], field)
      }
      const elsewhere = yield* (yield* setUp).ask("POST", "/workflows/import", { bundle: body, run_window: null })
      assert.strictEqual(elsewhere.status, 201, elsewhere.text)
      assert.notInclude(JSON.stringify(elsewhere.body.nodes), String(component.body.id))
      assert.isNull(elsewhere.body.run_window)
      const wrong = yield* ask("POST", "/workflows/import", { ...body, max_retries: -1 })
      assert.deepStrictEqual([wrong.status, pathsOf(wrong.body)], [400, ["max_retries"]])
      const nothing = yield* ask("POST", "/workflows/import", {})
      assert.deepStrictEqual([nothing.status, pathsOf(nothing.body)], [400, ["format"]])
    })
  )
})
