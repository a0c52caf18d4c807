import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fencesOf, pages } from "../../docs/Pages.ts"
import { daily, graph } from "../../support/fixtures.ts"
import { layerInMemory, Service } from "../../support/service.ts"

const input_schema = { type: "object", properties: { day: { type: "string", pattern: "^\\d{4}-" } } }

const setUp = Effect.gen(function* () {
  const { empty, member, send } = yield* Service
  yield* empty
  const { key } = yield* member("Member")
  const ask = (method: string, path: string, json?: unknown) =>
    send({ method, path, key, ...(json === undefined ? {} : { json }) })
  const made = yield* ask("POST", "/workflows", { name: "Nightly", ...graph(), input_schema, run_window: daily(9, 17) })
  const workflow_id = String(made.body.id)
  return { ask, workflow_id, body: { workflow_id, cron: "30 9 * * *", time_zone: "Europe/Berlin" } }
})

it.layer(layerInMemory)("a schedule", (it) => {
  it.effect("is created, read, listed, replaced, paused, resumed and deleted", () =>
    Effect.gen(function* () {
      const { ask, body, workflow_id } = yield* setUp
      const created = yield* ask("POST", "/schedules", { ...body, run_input_variables: { day: "{{ schedule.date }}" } })
      assert.strictEqual(created.status, 201)
      assert.deepInclude(created.body, {
        workflow_id,
        cron: "30 9 * * *",
        time_zone: "Europe/Berlin",
        overlap: "skip",
        catch_up: "last",
        state: "active",
        // In 1970 Berlin had no summer time.
        next_scheduled_at: "1970-01-01T08:30:00.000Z",
        run_input_variables: { day: "{{ schedule.date }}" }
      })
      const path = `/schedules/${created.body.id}`
      assert.deepStrictEqual((yield* ask("GET", path)).body.firings, [])
      const listed = yield* ask("GET", `/schedules?workflow_id=${workflow_id}&limit=1`)
      assert.strictEqual(listed.headers.get("x-next-cursor"), created.body.id)
      assert.deepStrictEqual(JSON.parse(listed.text).length, 1)
      const later = yield* ask("GET", `/schedules?cursor=${created.body.id}`)
      assert.deepStrictEqual(JSON.parse(later.text), [])

      const paused = yield* ask("POST", `${path}/pause`, { reason: "Holidays" })
      assert.deepInclude(paused.body, { state: "paused", next_scheduled_at: null })
      assert.deepInclude(paused.body.paused, { reason: "Holidays" })
      const replaced = yield* ask("PUT", path, { ...body, cron: "0 10 * * *", name: "Ten" })
      assert.deepInclude(replaced.body, { name: "Ten", state: "paused", run_input_variables: {} })
      const resumed = yield* ask("POST", `${path}/resume`)
      assert.deepInclude(resumed.body, { state: "active", next_scheduled_at: "1970-01-01T09:00:00.000Z" })

      assert.strictEqual((yield* ask("DELETE", path)).body.id, created.body.id)
      for (const one of [path, `${path}/preview`, "/schedules/nonsense"]) {
        assert.strictEqual((yield* ask("GET", one)).status, 404, one)
      }
    })
  )

  it.effect("submits a run by hand, which names its schedule", () =>
    Effect.gen(function* () {
      const { ask, body } = yield* setUp
      const made = yield* ask("POST", "/schedules", {
        ...body,
        run_input_variables: { day: "{{ schedule.date }}" },
        priority: 7,
        start_within_minutes: 90
      })
      assert.deepInclude(made.body, { priority: 7, start_within_minutes: 90 })
      yield* TestClock.adjust("1 minute")
      const run = yield* ask("POST", `/schedules/${made.body.id}/run-now`)
      assert.strictEqual(run.status, 201)
      const record = yield* ask("GET", `/run/${run.body.session_id}`)
      assert.deepInclude(record.body, {
        input_variables: { day: "1970-01-01" },
        priority: 7,
        start_by: "1970-01-01T01:31:00.000Z",
        schedule: { schedule_id: made.body.id, scheduled_at: "1970-01-01T00:01:00.000Z" }
      })
      const { firings, state } = (yield* ask("GET", `/schedules/${made.body.id}`)).body
      assert.strictEqual(state, "active")
      assert.deepStrictEqual(firings, [
        {
          scheduled_at: "1970-01-01T00:01:00.000Z",
          by_hand: true,
          outcome: "submitted",
          decided_at: "1970-01-01T00:01:00.000Z",
          session_id: run.body.session_id,
          reason: null
        }
      ])
    })
  )

  it.effect("is previewed in its zone and in that of the window, and warned of when it misses the window", () =>
    Effect.gen(function* () {
      const { ask, body } = yield* setUp
      const before = (yield* ask("POST", "/schedules/preview", body)).body
      assert.lengthOf(before.firings as ReadonlyArray<unknown>, 10)
      assert.deepStrictEqual((before.firings as ReadonlyArray<unknown>)[0], {
        scheduled_at: "1970-01-01T08:30:00.000Z",
        fires_at: "1970-01-01T08:30:00.000Z",
        local: "1970-01-01T09:30:00+01:00",
        window_local: "1970-01-01T08:30:00+00:00",
        window_open: false,
        can_start_at: "1970-01-01T09:00:00.000Z",
        expires_at: null
      })
      assert.strictEqual(before.tz_data, process.versions.tz)
      assert.deepInclude((before.warnings as ReadonlyArray<unknown>)[0], { path: "cron" })
      assert.deepStrictEqual(JSON.parse((yield* ask("GET", "/schedules")).text), [])
      const made = yield* ask("POST", "/schedules", { ...body, cron: "30 10 * * *" })
      assert.notProperty(made.body, "warnings")
      const stored = yield* ask("GET", `/schedules/${made.body.id}/preview?count=3`)
      assert.lengthOf(stored.body.firings as ReadonlyArray<unknown>, 3)
      const opening = yield* ask("POST", "/schedules/preview", { workflow_id: body.workflow_id, at: "window_opening" })
      assert.deepInclude((opening.body.firings as ReadonlyArray<unknown>)[0], {
        scheduled_at: "1970-01-01T09:00:00.000Z",
        window_open: true
      })
    })
  )

  it.effect("is refused with every problem at its path, and changes nothing", () =>
    Effect.gen(function* () {
      const { ask, body } = yield* setUp
      const made = yield* ask("POST", "/schedules", body)
      const path = `/schedules/${made.body.id}`
      const bodies: ReadonlyArray<readonly [unknown, ReadonlyArray<string>]> = [
        [{}, ["workflow_id", "cron"]],
        [{ ...body, cron: "0 0 30 2 *" }, ["cron"]],
        [{ ...body, cron: "x 25 * * *" }, ["cron", "cron"]],
        [{ ...body, time_zone: "Mars", jitter_seconds: -1 }, ["jitter_seconds", "time_zone"]],
        [{ ...body, run_input_variables: { day: "{{ schedule.weekday }}" } }, ["run_input_variables.day"]],
        [{ ...body, run_input_variables: { day: "{{ 1 + }}" } }, ["run_input_variables.day"]]
      ]
      for (const [wrong, paths] of bodies) {
        for (const [method, at] of [
          ["POST", "/schedules"],
          ["POST", "/schedules/preview"],
          ["PUT", path]
        ] as const) {
          const refused = yield* ask(method, at, wrong)
          assert.deepInclude(refused.body, { statusCode: 400, code: "VALIDATION_FAILED" })
          assert.deepStrictEqual(
            (refused.body.errors as ReadonlyArray<{ readonly path: string }>).map((one) => one.path),
            paths
          )
        }
      }
      const unknown = { ...body, workflow_id: randomUUID() }
      assert.strictEqual((yield* ask("POST", "/schedules", unknown)).status, 404)
      assert.strictEqual((yield* ask("PUT", path, unknown)).status, 400)
      assert.deepInclude((yield* ask("GET", path)).body, { cron: "30 9 * * *", updated_at: made.body.updated_at })
    })
  )

  it.effect("of the docs is accepted", () =>
    Effect.gen(function* () {
      const { ask, workflow_id } = yield* setUp
      const examples = pages()
        .filter(({ path }) => path === "docs/schedules.md")
        .flatMap(fencesOf)
        .filter(({ language }) => language === "json")
      assert.lengthOf(examples, 3)
      for (const { at, text } of examples) {
        const { status } = yield* ask("POST", "/schedules", { ...JSON.parse(text), workflow_id })
        assert.strictEqual(status, 201, at)
      }
    })
  )
})
