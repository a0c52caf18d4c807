import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { daily, graph } from "../../support/fixtures.ts"
import { pathsOf } from "../../support/member.ts"
import { layer, type Member, Service } from "../../support/service.ts"

const workflow = {
  name: "Nightly",
  ...graph(),
  input_schema: { type: "object", properties: { npi: { type: "string", pattern: "^\\d{10}$" } }, required: ["npi"] },
  output_schema: {},
  max_retries: 2
}

const create = (member: Member, overrides: object = {}) =>
  Effect.flatMap(Service, (service) =>
    Effect.map(
      service.send({ method: "POST", path: "/workflows", key: member.key, json: { ...workflow, ...overrides } }),
      ({ body }) => String(body.id)
    )
  )

const start = (member: Member, id: string) =>
  Effect.flatMap(Service, (service) =>
    Effect.map(
      service.send({
        method: "POST",
        path: "/run",
        key: member.key,
        json: { workflow_id: id, run_input_variables: { npi: "1234567890" } }
      }),
      ({ body }) => String(body.session_id)
    )
  )

/** A window that is closed at the epoch, when the clock of these tests stands still. */
const closed = daily(9, 17)
const open = daily(0, 17)
const none = { run_window: null, state: null, lift: null, manual_pause: null }

it.layer(layer)("the HTTP interface", (it) => {
  describe("workflows", () => {
    it.effect("have warnings at their paths, when they are saved and later", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const { key } = yield* member("Member")
        const doubtful = (workflow.nodes as ReadonlyArray<object>).map((node, index) =>
          index === 0 ? { ...node, colour: "red" } : node
        )
        const marked = yield* send({
          method: "POST",
          path: "/workflows",
          key: key,
          json: { ...workflow, nodes: doubtful }
        })
        const warned = yield* send({ method: "GET", path: `/workflows/${marked.body.id}/warnings`, key: key })
        assert.deepStrictEqual(warned.body.warnings, marked.body.warnings)
        assert.deepStrictEqual(pathsOf({ errors: warned.body.warnings }), ["nodes[0].colour"])
      })
    )

    it.effect("are created, read, saved as next versions and listed", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const made = yield* send({ method: "POST", path: "/workflows", key: me.key, json: workflow })
        assert.strictEqual(made.status, 201)
        assert.strictEqual(made.body.version_number, 1)
        assert.isNull(made.body.run_window)
        const path = `/workflows/${made.body.id}`
        const saved = yield* send({
          method: "PUT",
          path,
          key: me.key,
          json: { ...made.body, name: "Weekly", version_note: "renamed", enable_popup_handling: true, nonsense: 1 }
        })
        assert.strictEqual(saved.status, 200)
        assert.deepInclude(saved.body, { name: "Weekly", version_number: 2, enable_popup_handling: true })
        assert.notProperty(saved.body, "nonsense")
        const { warnings, ...shown } = saved.body
        assert.deepStrictEqual(pathsOf({ errors: warnings }), ["nonsense"])
        assert.deepStrictEqual((yield* send({ method: "GET", path, key: me.key })).body, shown)
        const versions = yield* send({ method: "GET", path: `${path}/versions`, key: me.key })
        assert.deepStrictEqual(
          (versions.body as unknown as ReadonlyArray<Record<string, unknown>>).map((one) => one.version_number),
          [2, 1]
        )
        const first = yield* send({ method: "GET", path: `${path}/versions/1`, key: me.key })
        assert.deepStrictEqual(first.body.nodes, workflow.nodes)
        const listed = (yield* send({ method: "GET", path: "/workflows", key: me.key }))
          .body as unknown as ReadonlyArray<{
          readonly name: string
        }>
        assert.deepStrictEqual(
          listed.map(({ name }) => name),
          ["Weekly"]
        )
        const metadata = yield* send({ method: "GET", path: `${path}/metadata`, key: me.key })
        assert.deepStrictEqual(metadata.body.input_schema, workflow.input_schema)
      })
    )

    it.effect("keep their window when it is left out, and lose it by null", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const path = `/workflows/${yield* create(me, { run_window: closed })}`
        const kept = yield* send({ method: "PUT", path, key: me.key, json: workflow })
        assert.deepInclude(kept.body.run_window as object, { time_zone: "UTC" })
        const removed = yield* send({ method: "PUT", path, key: me.key, json: { ...workflow, run_window: null } })
        assert.isNull(removed.body.run_window)
      })
    )

    it.effect("are refused with every problem at its path", () =>
      Effect.gen(function* () {
        const { dump, member, send } = yield* Service
        const me = yield* member("Member")
        const before = yield* dump
        const { body, status } = yield* send({
          method: "POST",
          path: "/workflows",
          key: me.key,
          json: {
            ...workflow,
            nodes: [
              { ...workflow.nodes[0], parameters: { url: "{{context.inputs.nobody}}/{{(}}" } },
              workflow.nodes[1],
              { id: "7", name: "Bad id", action: "CLICK", parameters: {} },
              {
                id: "00000000-0000-4000-8000-000000000009",
                name: "Pick",
                action: "CLICK",
                parameters: { wait_time: -1 }
              },
              { id: "00000000-0000-4000-8000-00000000000a", name: "Call", action: "COMPONENT_CALL", parameters: {} }
            ],
            run_window: { ...closed, time_zone: "Mars/Olympus" },
            input_schema: { type: "objekt" },
            name: "x".repeat(257)
          }
        })
        assert.strictEqual(status, 400)
        assert.strictEqual(body.code, "VALIDATION_FAILED")
        const paths = (body.errors as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path)
        for (const path of [
          "nodes[2].id",
          "nodes[3].parameters.selector",
          "nodes[3].parameters.wait_time",
          "nodes[4].action",
          "run_window.time_zone",
          "input_schema",
          "name"
        ]) {
          assert.include(paths, path)
          assert.include(String(body.message), path)
        }
        assert.strictEqual(yield* dump, before)
      })
    )

    it.effect("report a text over its limit by code, field and characters", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const { body, status } = yield* send({
          method: "POST",
          path: "/workflows",
          key: me.key,
          json: { ...workflow, version_note: "x".repeat(2_049) }
        })
        assert.strictEqual(status, 400)
        assert.deepInclude(body, {
          statusCode: 400,
          code: "VERSION_NOTE_TOO_LONG",
          field: "version_note",
          limit_chars: 2_048,
          actual_chars: 2_049
        })
      })
    )

    it.effect("are not saved over a version that the editor has not seen", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const path = `/workflows/${yield* create(me)}`
        const { body, status } = yield* send({
          method: "PUT",
          path,
          key: me.key,
          json: { ...workflow, base_version_id: "00000000-0000-4000-8000-000000000099" }
        })
        assert.strictEqual(status, 409)
        assert.deepInclude(body, { code: "WORKFLOW_VERSION_CONFLICT", latestVersionNumber: 1 })
      })
    )
  })

  describe("run windows", () => {
    it.effect("are set, read and removed, each answered with the state", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const path = `/workflows/${yield* create(me)}/run-window`
        assert.deepStrictEqual((yield* send({ method: "GET", path, key: me.key })).body, {
          ...none,
          run_window_revision: 0
        })
        const set = yield* send({ method: "PUT", path, key: me.key, json: closed })
        assert.strictEqual(set.status, 200)
        assert.deepStrictEqual(set.body.state, { open: false, nextOpenAt: "1970-01-01T09:00:00.000Z" })
        assert.deepStrictEqual((yield* send({ method: "GET", path, key: me.key })).body, set.body)
        for (const _again of [1, 2]) {
          const removed = yield* send({ method: "DELETE", path, key: me.key })
          assert.deepStrictEqual([removed.status, removed.body], [200, { ...none, run_window_revision: 2 }])
        }
      })
    )

    it.effect("are accepted with warnings, and refused with all problems at their paths", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const path = `/workflows/${yield* create(me)}/run-window`
        const special = {
          active: false,
          recurrence: "FREQ=WEEKLY;BYDAY=MO",
          recurrence_start: { year: 1970, month: 1, day: 1 }
        }
        const warned = yield* send({ method: "PUT", path, key: me.key, json: { ...open, special_hours: [special] } })
        assert.strictEqual(warned.status, 200)
        assert.deepInclude(warned.body.warnings as object, {
          path: "special_hours[0].recurrence_start",
          message: "The rule does not produce this date: it only is the earliest day on which the series may start"
        })
        const refused = yield* send({
          method: "PUT",
          path,
          key: me.key,
          json: { time_zone: "PST", regular_hours: [{}], special_hours: [{ ...special, recurrence: "FREQ=HOURLY" }] }
        })
        assert.strictEqual(refused.status, 400)
        assert.deepInclude(refused.body, { statusCode: 400, error: "InvalidRunWindow" })
        const paths = (refused.body.errors as ReadonlyArray<{ readonly path: string }>).map((one) => one.path)
        assert.includeMembers(paths, ["time_zone", "regular_hours[0].active_end_day", "special_hours[0].recurrence"])
        const kept = yield* send({ method: "GET", path, key: me.key })
        assert.deepStrictEqual(kept.body.run_window, warned.body.run_window)
      })
    )

    it.effect("that stay closed for 400 days are warned of, and a preview that ends at such a gap says so", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const id = yield* create(me)
        const on = (year: number) => ({
          active: true,
          start_date: { year, month: 1, day: 2 },
          active_start_time: { hours: 9 },
          active_end_time: { hours: 10 }
        })
        const ask = (method: string, path: string, years: ReadonlyArray<number>) =>
          send({
            method,
            path: `/workflows/${id}/run-window${path}`,
            key: me.key,
            json: { time_zone: "UTC", regular_hours: [], special_hours: years.map(on) }
          })
        const warnedOf = ({ body }: { readonly body: { readonly warnings?: unknown } }) =>
          ((body.warnings ?? []) as ReadonlyArray<{ path: string; message: string }>).filter(({ path }) => path === "")
        const shut = yield* ask("PUT", "", [1973])
        assert.deepStrictEqual([shut.status, warnedOf(shut).length], [200, 1])
        assert.include(warnedOf(shut)[0]?.message, "400 days")
        assert.deepStrictEqual(warnedOf(yield* ask("PUT", "", [1970, 1973])), [])
        for (const [years, query, truncated] of [
          [[1973], "", true],
          [[1970, 1973], "", true],
          [[1970, 1973], "?openings=1", false],
          [[1970, 1971], "?openings=2", false]
        ] as const) {
          assert.strictEqual((yield* ask("POST", `/preview${query}`, years)).body.truncated, truncated)
        }
        const always = yield* send({
          method: "POST",
          path: `/workflows/${id}/run-window/preview`,
          key: me.key,
          json: {
            time_zone: "UTC",
            regular_hours: daily(0, 1).regular_hours.map((period, index, all) => ({
              ...period,
              active_end_day: all[(index + 1) % all.length]?.active_start_day,
              active_end_time: { hours: 0 }
            }))
          }
        })
        assert.strictEqual(always.body.truncated, false)
      })
    )

    it.effect("are previewed without being set", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const id = yield* create(me)
        const session = yield* start(me, id)
        const preview = yield* send({
          method: "POST",
          path: `/workflows/${id}/run-window/preview?openings=2`,
          key: me.key,
          json: closed
        })
        assert.strictEqual(preview.status, 200)
        assert.deepInclude(preview.body, {
          releases: 0,
          holds: 1,
          at_least: false,
          released_runs: [],
          ends_lift: false
        })
        assert.deepStrictEqual(preview.body.held_runs, [
          { session_id: session, created_at: "1970-01-01T00:00:00.000Z" }
        ])
        assert.deepStrictEqual(preview.body.openings, [
          {
            opens_at: "1970-01-01T09:00:00.000Z",
            closes_at: "1970-01-01T17:00:00.000Z",
            decided_by: [{ path: "regular_hours[3]", label: null }]
          },
          {
            opens_at: "1970-01-02T09:00:00.000Z",
            closes_at: "1970-01-02T17:00:00.000Z",
            decided_by: [{ path: "regular_hours[4]", label: null }]
          }
        ])
        const path = `/workflows/${id}/run-window`
        const read = yield* send({ method: "GET", path, key: me.key })
        assert.isNull(read.body.run_window)
        yield* send({ method: "PUT", path, key: me.key, json: closed })
        assert.strictEqual(preview.body.tz_data, process.versions.tz)
        const opened = yield* send({ method: "POST", path: `${path}/preview`, key: me.key, json: daily(0, 17) })
        assert.deepInclude(opened.body, { held_runs: [], released_runs: preview.body.held_runs, ends_lift: false })
        yield* send({
          method: "POST",
          path: "/runs/unpause",
          key: me.key,
          json: { pause_resource: "run_window", resource_ids: [id] }
        })
        const later = yield* send({ method: "POST", path: `${path}/preview`, key: me.key, json: daily(10, 17) })
        assert.deepInclude(later.body, { held_runs: preview.body.held_runs, released_runs: [], ends_lift: true })
      })
    )
  })

  describe("runs", () => {
    it.effect("are held by a closed window, and released by a lift that counts them", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const id = yield* create(me, { run_window: closed })
        const session = yield* start(me, id)
        const held = yield* send({ method: "GET", path: `/run/${session}`, key: me.key })
        assert.deepInclude(held.body, { status: "execution.paused", can_start_at: "1970-01-01T09:00:00.000Z" })
        assert.deepInclude((held.body.holds as ReadonlyArray<object>)[0] as object, {
          kind: "run_window",
          until: "1970-01-01T09:00:00.000Z"
        })
        const events = held.body.events as ReadonlyArray<{ readonly event: string; readonly payload: object }>
        assert.deepStrictEqual(
          events.map(({ event }) => event),
          ["execution.queued", "execution.paused"]
        )
        assert.deepInclude(events[1]?.payload as object, {
          session_id: session,
          workflow_id: id,
          pause_reason: "run_window",
          next_open_at: "1970-01-01T09:00:00.000Z"
        })
        const unpause = (resource_ids: ReadonlyArray<string>, pause_resource = "run_window") =>
          send({ method: "POST", path: "/runs/unpause", key: me.key, json: { pause_resource, resource_ids } })
        assert.deepStrictEqual((yield* unpause([id])).body, {
          success: true,
          resumedRuns: 1,
          skippedResourceGroups: [],
          errors: []
        })
        assert.strictEqual(
          (yield* send({ method: "GET", path: `/run/${session}`, key: me.key })).body.status,
          "execution.queued"
        )
        const again = yield* unpause([id, "nonsense"])
        assert.deepInclude(again.body, { success: false, resumedRuns: 0, skippedResourceGroups: [id] })
        assert.strictEqual((again.body.errors as ReadonlyArray<string>).length, 1)
      })
    )

    it.effect("stay held by a manual pause, which only its own unpause ends", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const id = yield* create(me, { run_window: closed })
        const paused = yield* send({
          method: "POST",
          path: `/workflows/${id}/pause`,
          key: me.key,
          json: { reason: "Audit", until: "1970-01-02T00:00:00Z" }
        })
        assert.deepStrictEqual(
          (paused.body.holds as ReadonlyArray<{ readonly kind: string }>).map(({ kind }) => kind),
          ["run_window", "manual"]
        )
        const session = yield* start(me, id)
        const unpause = (pause_resource: string) =>
          send({ method: "POST", path: "/runs/unpause", key: me.key, json: { pause_resource, resource_ids: [id] } })
        assert.strictEqual((yield* unpause("run_window")).body.resumedRuns, 0)
        const status = Effect.map(
          send({ method: "GET", path: `/run/${session}`, key: me.key }),
          ({ body }) => body.status
        )
        assert.strictEqual(yield* status, "execution.paused")
        assert.strictEqual((yield* unpause("workflow")).body.resumedRuns, 1)
        assert.strictEqual(yield* status, "execution.queued")
      })
    )

    it.effect("are refused with what is wrong with their input", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const workflow_id = yield* create(me)
        const run = (run_input_variables: unknown) =>
          send({ method: "POST", path: "/run", key: me.key, json: { workflow_id, run_input_variables, dry_run: null } })
        const wrong = yield* run({ npi: "abc" })
        assert.strictEqual(wrong.status, 400)
        assert.deepStrictEqual(wrong.body.run_input_variables_errors, [
          {
            field: "/npi",
            message: 'must match pattern "^\\d{10}$"',
            keyword: "pattern",
            expected: { pattern: "^\\d{10}$" },
            received: "abc"
          }
        ])
        const missing = yield* run({})
        assert.deepInclude((missing.body.run_input_variables_errors as ReadonlyArray<object>)[0] as object, {
          field: "#/required",
          keyword: "required"
        })
        assert.deepStrictEqual(missing.body.input_schema, workflow.input_schema)
      })
    )

    it.effect("are deleted by an owner once they have ended", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Owner")
        const session = yield* start(me, yield* create(me, { run_window: closed }))
        const ask = (method: "DELETE" | "GET" | "POST", path: string) =>
          send({ method, path, key: me.key, headers: { "content-type": "application/json" } })
        const early = yield* ask("DELETE", `/run/${session}`)
        assert.strictEqual(early.status, 409)
        assert.strictEqual(early.body.message, `Cannot delete run "${session}": it has not ended. Interrupt it first`)
        yield* ask("POST", `/run/${session}/interrupt`)
        assert.deepStrictEqual((yield* ask("DELETE", `/run/${session}`)).body, {
          success: true,
          message: "Run deleted"
        })
        assert.strictEqual((yield* ask("GET", `/run/${session}`)).status, 404)
        assert.strictEqual((yield* ask("DELETE", `/run/${session}`)).status, 404)
      })
    )

    it.effect("are interrupted once, and listed by their status", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const id = yield* create(me, { run_window: closed })
        const session = yield* start(me, id)
        const list = (status: string) =>
          Effect.map(
            send({ method: "GET", path: `/runs?workflow_id=${id}&status=${status}&limit=5`, key: me.key }),
            ({ body }) =>
              (body as unknown as ReadonlyArray<{ readonly session_id: string }>).map((one) => one.session_id)
          )
        assert.deepStrictEqual(yield* list("execution.paused"), [session])
        assert.deepStrictEqual(yield* list("execution.queued"), [])
        const interrupt = send({
          method: "POST",
          path: `/run/${session}/interrupt`,
          key: me.key,
          headers: { "content-type": "application/json" }
        })
        assert.deepStrictEqual((yield* interrupt).body, { success: true, message: "Run interrupt triggered" })
        assert.strictEqual((yield* interrupt).status, 409)
        assert.deepStrictEqual(yield* list("execution.stopped"), [session])
        const wrong = yield* send({
          method: "GET",
          path: "/runs?limit=0&status=nope&start_time=yesterday",
          key: me.key
        })
        assert.strictEqual(wrong.status, 400)
        assert.deepStrictEqual(
          (wrong.body.errors as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path).sort(),
          ["limit", "start_time", "status"]
        )
      })
    )
  })
})
