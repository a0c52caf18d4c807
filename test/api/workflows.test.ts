import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { componentData, daily, graph } from "../support/fixtures.ts"
import { layer, type Member, type Request, Service } from "../support/service.ts"

const workflow = {
  name: "Nightly",
  ...graph(),
  input_schema: { type: "object", properties: { npi: { type: "string", pattern: "^\\d{10}$" } }, required: ["npi"] },
  output_schema: {},
  max_retries: 2
}

type Item = Readonly<Record<string, unknown>>

const asList = (body: unknown) => body as ReadonlyArray<Item>

/** A member of a new workspace, and requests in their name. */
const setUp = Effect.gen(function* () {
  const { member, send } = yield* Service
  const me = yield* member("Member")
  const ask = (method: string, path: string, json?: unknown) =>
    send({ method, path, key: me.key, ...(json === undefined ? {} : { json }) } satisfies Request)
  const create = (overrides: object = {}) =>
    Effect.map(ask("POST", "/workflows", { ...workflow, ...overrides }), ({ body }) => String(body.id))
  return { me: me as Member, ask, create }
})

const pathsOf = (body: Item) => asList(body.errors).map(({ path }) => path)

const without = (body: Item, ...names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))

it.layer(layer, { timeout: "30 seconds" })("workflows", (it) => {
  it.effect("are listed with their folder and every flag, and shown with every setting", () =>
    Effect.gen(function* () {
      const { ask, me } = yield* setUp
      const made = yield* ask("POST", "/workflows", {
        ...workflow,
        enable_xpath_recovery: true,
        popup_xpaths: ["//button[@id='close']"],
        folder_path: " billing / monthly/"
      })
      const flags = {
        enable_popup_handling: false,
        enable_action_timing_recovery: false,
        enable_xpath_recovery: true,
        enable_error_code_generation: false,
        enable_service_unavailable_recovery: false,
        enable_incorrect_form_input_recovery: false,
        enable_password_update_recovery: false,
        enable_tfa_setup_recovery: false,
        enable_node_description_enrichment: false,
        enable_network_listener: false
      }
      const summary = {
        id: made.body.id,
        name: "Nightly",
        description: null,
        created_at: "1970-01-01T00:00:00.000Z",
        updated_at: "1970-01-01T00:00:00.000Z",
        workspace_id: me.caller.workspaceId,
        created_by: me.caller.userId
      }
      assert.deepStrictEqual(asList((yield* ask("GET", "/workflows")).body), [
        { ...summary, folder_path: "billing/monthly", ...flags }
      ])
      assert.deepStrictEqual((yield* ask("GET", `/workflows/${made.body.id}`)).body, {
        ...summary,
        workflow_id: made.body.id,
        version_id: made.body.version_id,
        version_number: 1,
        nodes: workflow.nodes,
        edges: workflow.edges,
        input_schema: workflow.input_schema,
        output_schema: {},
        vault_schema: {},
        max_retries: 2,
        ...flags,
        use_native_actions: false,
        video_record_session: false,
        allow_requeue: false,
        deny_requeue_past_dry_run_marker: false,
        manual_captcha_solve: false,
        skip_udp_proxying: false,
        extract_network_urls: [],
        encrypted_keys: [],
        popup_xpaths: ["//button[@id='close']"],
        proxy_setting: null,
        proxy_value: null,
        folder_path: "billing/monthly",
        run_window: null
      })
    })
  )

  it.effect("are refused with the settings that are wrong, each at its path, beside everything else", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const { body, status } = yield* ask("POST", "/workflows", {
        ...workflow,
        nodes: [workflow.nodes[0]],
        allow_requeue: "yes",
        popup_xpaths: ["//a", 7],
        proxy_setting: "tunnel",
        folder_path: "a/b/c/d/e/f",
        name: "x\u0000"
      })
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "VALIDATION_FAILED")
      assert.includeMembers(pathsOf(body) as Array<string>, [
        "allow_requeue",
        "popup_xpaths[1]",
        "proxy_setting",
        "folder_path",
        "name",
        "nodes"
      ])
      const lonely = yield* ask("POST", "/workflows", { ...workflow, proxy_value: "DE" })
      assert.deepStrictEqual(pathsOf(lonely.body), ["proxy_value"])
    })
  )

  it.effect("take back their own answer, but not the ids of something else", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const made = yield* ask("POST", "/workflows", { ...workflow, encrypted_keys: ["npi"] })
      const path = `/workflows/${made.body.id}`
      const echoed = yield* ask("PUT", path, made.body)
      assert.strictEqual(echoed.status, 200)
      assert.deepStrictEqual(
        without(echoed.body, "version_id", "version_number"),
        without(made.body, "version_id", "version_number")
      )
      for (const name of ["id", "workflow_id", "workspace_id"]) {
        const { body, status } = yield* ask("PUT", path, { ...made.body, [name]: randomUUID() })
        assert.deepStrictEqual([status, pathsOf(body)], [400, [name]])
      }
      const stripped = yield* ask("PUT", path, without(made.body, "encrypted_keys"))
      assert.deepStrictEqual(stripped.body.encrypted_keys, ["npi"])
      const emptied = yield* ask("PUT", path, { ...made.body, encrypted_keys: [] })
      assert.deepStrictEqual(emptied.body.encrypted_keys, [])
      assert.strictEqual(emptied.body.version_number, 4)
    })
  )

  it.effect("are upserted by id, and by name within a folder", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const id = randomUUID()
      const upsert = (overrides: object) => ask("POST", "/workflows/upsert", { ...workflow, ...overrides })
      const made = yield* upsert({ id })
      assert.deepStrictEqual([made.status, made.body.created, made.body.id], [201, true, id])
      const saved = yield* upsert({ workflow_id: id, name: "Weekly" })
      assert.deepStrictEqual(
        [saved.status, saved.body.created, saved.body.version_number, saved.body.name],
        [200, false, 2, "Weekly"]
      )
      const byName = yield* upsert({ name: "Weekly", run_window: daily(9, 17) })
      assert.deepStrictEqual([byName.status, byName.body.id, byName.body.version_number], [200, id, 3])
      const kept = yield* upsert({ name: "Weekly" })
      assert.deepInclude(kept.body.run_window as object, { time_zone: "UTC" })
      assert.isNull((yield* upsert({ name: "Weekly", run_window: null })).body.run_window)
      const elsewhere = yield* upsert({ name: "Weekly", folder_path: "archive" })
      assert.deepStrictEqual([elsewhere.status, elsewhere.body.created], [201, true])
      const wrong = yield* upsert({ id: "7" })
      assert.deepStrictEqual([wrong.status, pathsOf(wrong.body)], [400, ["id"]])
      const twoIds = yield* upsert({ id, workflow_id: randomUUID() })
      assert.deepStrictEqual([twoIds.status, pathsOf(twoIds.body)], [400, ["workflow_id"]])
    })
  )

  it.effect("are upserted once however often the same is asked at the same time", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => ask("POST", "/workflows/upsert", workflow)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201])
      assert.lengthOf(asList((yield* ask("GET", "/workflows")).body), 1)
    })
  )

  it.effect("are found in folders, by page and by search", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      yield* create({ name: "Top" })
      yield* create({ name: "Invoices", folder_path: "billing" })
      yield* create({ name: "January", folder_path: "billing/monthly" })
      yield* create({ name: "February", folder_path: "billing/monthly" })
      yield* create({ name: "Elsewhere", folder_path: "billing-old" })
      const top = yield* ask("GET", "/workflows/folders")
      assert.deepStrictEqual(without(top.body, "workflows"), {
        folderPath: "",
        folders: [
          { name: "billing", path: "billing", workflow_count: 3 },
          { name: "billing-old", path: "billing-old", workflow_count: 1 }
        ],
        allFolderPaths: ["billing", "billing-old", "billing/monthly"],
        workflowTotal: 1,
        page: 0,
        pageSize: 100
      })
      const names = (body: Item) => asList(body.workflows).map(({ name }) => name)
      assert.deepStrictEqual(names(top.body), ["Top"])
      const page = yield* ask("GET", "/workflows/folders?folder_path=/billing/monthly/&page=1&page_size=1")
      assert.deepInclude(page.body, { folderPath: "billing/monthly", workflowTotal: 2, page: 1, pageSize: 1 })
      assert.lengthOf(names(page.body), 1)
      const found = yield* ask("GET", "/workflows/folders?folder_path=billing&search=JAN")
      assert.deepStrictEqual([names(found.body), found.body.folders], [["January"], []])
      const listed = yield* ask("GET", "/workflows?folder_path=billing")
      assert.deepStrictEqual(
        asList(listed.body).map(({ name }) => name),
        ["Invoices"]
      )
      const wrong = yield* ask("GET", "/workflows/folders?page=-1&page_size=many")
      assert.strictEqual(wrong.status, 400)
    })
  )

  it.effect("are gone once deleted, with their waiting runs stopped and the records of runs kept", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({ run_window: daily(9, 17) })
      const start = () => ask("POST", "/run", { workflow_id: id, run_input_variables: { npi: "1234567890" } })
      const session = String((yield* start()).body.session_id)
      const deleted = yield* ask("DELETE", `/workflows/${id}`)
      assert.deepStrictEqual([deleted.status, deleted.body], [200, { success: true, id }])
      for (const path of ["", "/versions", "/versions/1", "/metadata", "/export", "/run-window"]) {
        assert.strictEqual((yield* ask("GET", `/workflows/${id}${path}`)).status, 404, path)
      }
      assert.strictEqual((yield* ask("DELETE", `/workflows/${id}`)).status, 404)
      assert.strictEqual((yield* ask("PUT", `/workflows/${id}`, workflow)).status, 404)
      assert.strictEqual((yield* ask("POST", "/workflows/upsert", { ...workflow, id })).status, 404)
      assert.strictEqual((yield* start()).status, 404)
      assert.deepStrictEqual(asList((yield* ask("GET", "/workflows")).body), [])
      const record = yield* ask("GET", `/run/${session}`)
      assert.strictEqual(record.body.status, "execution.stopped")
      assert.deepStrictEqual(record.body.holds, [])
      assert.deepInclude(asList(record.body.errors)[0] as object, {
        error_code: "WORKFLOW_DELETED",
        message: "Stopped before it started: its workflow was deleted"
      })
      assert.deepStrictEqual(
        asList((yield* ask("GET", `/runs?workflow_id=${id}`)).body).map(({ session_id }) => session_id),
        [session]
      )
    })
  )

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
        proxy_value: "secret",
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
        "secret"
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

  it.effect("tell of an input what a submission would, and let placeholders stand for credentials", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({ vault_schema: { BANK: { type: "credential", domain: "bank.example" } } })
      const check = (json?: unknown) => ask("POST", `/workflows/${id}/validate-input`, json)
      const valid = { valid: true, schema_error: null, errors: null }
      const npi = "1234567890"
      assert.deepStrictEqual((yield* check({ run_input_variables: { npi, BANK: "<bank>" } })).body, valid)
      assert.deepStrictEqual((yield* check({ run_input_variables: { npi, BANK: ["u1", "u2"] } })).body, valid)
      assert.deepStrictEqual((yield* check({ run_input_variables: { npi: "abc", BANK: "u" } })).body, {
        valid: false,
        schema_error: null,
        errors: [
          {
            field: "/npi",
            message: 'must match pattern "^\\d{10}$"',
            keyword: "pattern",
            expected: { pattern: "^\\d{10}$" }
          }
        ]
      })
      for (const empty of [undefined, {}, { run_input_variables: null }]) {
        const { body, status } = yield* check(empty)
        assert.strictEqual(status, 200)
        assert.deepInclude(asList(body.errors)[0] as object, { field: "#/required", keyword: "required" })
      }
      const metadata = yield* ask("GET", `/workflows/${id}/metadata`)
      assert.deepInclude(metadata.body.input_schema as object, { required: ["npi", "BANK"] })
      assert.deepStrictEqual(metadata.body.vault_schema, {
        BANK: { type: "credential", domain: "bank.example", example: "<bank>" }
      })
      const pool = yield* ask("POST", "/run", { workflow_id: id, run_input_variables: { npi, BANK: ["u1", "u2"] } })
      assert.strictEqual(pool.status, 201)
    })
  )

  it.effect("report what was received, also where the input as a whole is wrong", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({ input_schema: { type: "object", minProperties: 2, properties: { a: "string" } } })
      const { body, status } = yield* ask("POST", "/run", { workflow_id: id, run_input_variables: { a: "x" } })
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(body.run_input_variables_errors, [
        {
          field: "",
          message: "must NOT have fewer than 2 properties",
          keyword: "minProperties",
          expected: { limit: 2 },
          received: { a: "x" }
        }
      ])
      const strict = yield* create({
        input_schema: { type: "object", additionalProperties: false, properties: { a: ["string", "null"] } }
      })
      const extra = yield* ask("POST", "/run", { workflow_id: strict, run_input_variables: { extra: 1 } })
      assert.deepStrictEqual(extra.body.run_input_variables_errors, [
        {
          field: "",
          message: "must NOT have additional properties",
          keyword: "additionalProperties",
          expected: { additionalProperty: "extra" }
        }
      ])
      const metadata = yield* ask("GET", `/workflows/${strict}/metadata`)
      assert.deepStrictEqual(metadata.body.input_schema, {
        type: "object",
        additionalProperties: false,
        properties: { a: { type: ["string", "null"] } }
      })
    })
  )

  it.effect("give examples of what they can be run with", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create({
        input_schema: {
          type: "object",
          additionalProperties: false,
          required: ["npi", "mode"],
          properties: {
            npi: { type: "string", pattern: "^\\d{10}$", example: "1234567890" },
            mode: { type: "string", enum: ["fast", "slow"] },
            count: { type: "integer", minimum: 3 },
            odd: { type: "string", pattern: "^z$", default: "y" }
          }
        },
        vault_schema: { BANK: { type: "credential", domain: "bank.example" } }
      })
      const { body } = yield* ask("POST", `/workflows/${id}/example-payloads`, {})
      const examples = asList(body)
      assert.deepInclude(examples[0] as object, {
        name: "Required inputs only",
        payload: { npi: "1234567890", mode: "fast", BANK: "<bank>" }
      })
      for (const { payload } of examples) {
        const run = yield* ask("POST", "/run", { workflow_id: id, run_input_variables: payload })
        assert.strictEqual(run.status, 201, run.text)
      }
    })
  )

  it.effect("are refused with patterns that some text could make take for ever", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const { body, status } = yield* ask("POST", "/workflows", {
        ...workflow,
        input_schema: {
          type: "object",
          properties: { a: { type: "array", items: { type: "string", pattern: "^(a+)+$" } } }
        },
        output_schema: {
          type: "object",
          properties: { pattern: { type: "string", enum: ["(a+)+$"] } },
          patternProperties: { "(x|x)*y": { type: "string" } }
        }
      })
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(pathsOf(body), [
        "input_schema.properties.a.items.pattern",
        "output_schema.patternProperties"
      ])
    })
  )

  it.effect("are refused with every limit that they break, by one code when it is one", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const big = { type: "object", description: "x".repeat(140_000) }
      const one = yield* ask("POST", "/workflows", { ...workflow, output_schema: big })
      assert.deepInclude(one.body, { code: "OUTPUT_SCHEMA_TOO_LARGE", field: "output_schema", limit_bytes: 131_072 })
      const several = yield* ask("POST", "/workflows", {
        ...workflow,
        output_schema: big,
        name: "x".repeat(257),
        description: "x".repeat(4_097)
      })
      const wrong = yield* ask("POST", "/workflows", { ...workflow, output_schema: big, max_retries: -1 })
      for (const [{ body, status }, fields] of [
        [several, ["output_schema", "name", "description"]],
        [wrong, ["output_schema", "max_retries"]]
      ] as const) {
        assert.deepStrictEqual([status, body.code], [400, "VALIDATION_FAILED"])
        for (const field of fields) assert.include(String(body.message), field)
      }
    })
  )

  it.effect("refuse a dry run whose added output is too large, and keep one that is not", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const id = yield* create()
      const run = (add_to_output: unknown) =>
        ask("POST", "/run", {
          workflow_id: id,
          run_input_variables: { npi: "1234567890" },
          dry_run: { enabled: true, add_to_output }
        })
      assert.strictEqual((yield* run({ text: "x".repeat(4_000) })).status, 201)
      const { dump } = yield* Service
      const before = yield* dump
      const refused = yield* run({ text: "x".repeat(4_096) })
      assert.strictEqual(refused.status, 400)
      assert.deepInclude(refused.body, {
        code: "DRY_RUN_OUTPUT_TOO_LARGE",
        field: "dry_run.add_to_output",
        limit_bytes: 4_096
      })
      assert.strictEqual(yield* dump, before)
    })
  )
})
