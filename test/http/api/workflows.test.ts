import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { daily } from "../../support/fixtures.ts"
import { asList, type Item, pathsOf, setUp, without, workflow } from "../../support/member.ts"
import { layer, Service } from "../../support/service.ts"

it.layer(layer)("workflows", (it) => {
  it.effect("are saved with warnings of what may be missing in them", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const [start, ...others] = workflow.nodes
      const doubtful = {
        ...workflow,
        nodes: [
          { ...start, parameters: { ...start?.parameters, url: "https://shop.example/{{inputs.city}}" } },
          ...others
        ]
      }
      const made = yield* ask("POST", "/workflows", doubtful)
      const path = `/workflows/${made.body.id}`
      for (const { body } of [made, yield* ask("PUT", path, { ...doubtful, ...made.body })]) {
        assert.deepStrictEqual(pathsOf({ errors: body.warnings }), ["nodes[0].parameters.url"])
      }
      const mended = yield* ask("PUT", path, { ...workflow })
      assert.deepStrictEqual([mended.status, mended.body.warnings], [200, undefined])
    })
  )

  it.effect("are listed with their folder and every flag, and shown with every setting", () =>
    Effect.gen(function* () {
      const { ask, me } = yield* setUp
      const made = yield* ask("POST", "/workflows", {
        ...workflow,
        enable_xpath_recovery: true,
        popup_xpaths: ["//button[@id='close']"],
        allowed_sites: ["example.com", "*.example.com:8443"],
        folder_path: " billing / monthly/",
        tags: ["monthly"]
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
        enable_network_listener: false,
        enable_compile: false
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
        { ...summary, folder_path: "billing/monthly", tags: ["monthly"], ...flags }
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
        record: false,
        sign_in_check_minutes: null,
        use_native_actions: false,
        video_record_session: false,
        allow_requeue: false,
        deny_requeue_past_dry_run_marker: false,
        manual_captcha_solve: false,
        skip_udp_proxying: false,
        strict: false,
        extract_network_urls: [],
        encrypted_keys: [],
        popup_xpaths: ["//button[@id='close']"],
        allowed_sites: ["example.com", "*.example.com:8443"],
        proxy_setting: null,
        proxy_value: null,
        file_destination: null,
        file_path: null,
        folder_path: "billing/monthly",
        tags: ["monthly"],
        run_window: null,
        run_window_revision: 0,
        lift: null,
        manual_pause: null,
        canary_state: null
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
        name: 7
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
      const sites = yield* ask("POST", "/workflows", { ...workflow, allowed_sites: ["a.example", "https://b.example"] })
      assert.deepStrictEqual(pathsOf(sites.body), ["allowed_sites[1]"])
      const popups = yield* ask("POST", "/workflows", { ...workflow, popup_xpaths: ["//a", "//a["] })
      assert.deepStrictEqual(pathsOf(popups.body), ["popup_xpaths[1]"])
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
      // Only the last one changed something.
      assert.strictEqual(emptied.body.version_number, 2)
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
      // The run window is no part of a version.
      assert.deepStrictEqual([byName.status, byName.body.id, byName.body.version_number], [200, id, 2])
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

  it.effect("are not upserted by a name that two of a folder share", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const make = Effect.map(ask("POST", "/workflows", workflow), ({ body }) => String(body.id))
      const ids = [yield* make, yield* make]
      const { dump } = yield* Service
      const before = yield* dump
      const { body, status } = yield* ask("POST", "/workflows/upsert", workflow)
      assert.deepStrictEqual([status, body.code], [409, "WORKFLOW_NAME_SHARED"])
      assert.deepStrictEqual([...(body.workflow_ids as ReadonlyArray<string>)].sort(), [...ids].sort())
      for (const id of ids) assert.include(String(body.message), id)
      assert.strictEqual(yield* dump, before)
      assert.strictEqual((yield* ask("POST", "/workflows/upsert", { ...workflow, id: ids[0] })).status, 200)
      assert.strictEqual((yield* ask("POST", "/workflows/upsert", { ...workflow, folder_path: "other" })).status, 201)
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
})
