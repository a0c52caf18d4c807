import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  actionWords,
  differencesOf,
  type Entry,
  subjectOf,
  withNewest
} from "../../../apps/console/audit/AuditModel.ts"
import {
  blank,
  bodyOf,
  givenOf,
  problemsAt,
  type Schedule,
  timing
} from "../../../apps/console/schedules/ScheduleModel.ts"
import * as ScheduleBody from "../../../core/schedule/ScheduleBody.ts"

const workflow = "01890a5d-ac96-774b-bcce-b302099a8057"
const form = blank(workflow, "Europe/Berlin")

const stored = (changes: Partial<Schedule>): Schedule => ({
  id: "s",
  workflow_id: workflow,
  name: "Morning",
  cron: null,
  recurrence: null,
  recurrence_start: null,
  recurrence_time: null,
  at: null,
  time_zone: "Europe/Berlin",
  run_input_variables: { month: "10" },
  tags: ["monthly"],
  priority: 4,
  start_within_minutes: 90,
  overlap: "queue_one",
  catch_up: "none",
  catch_up_limit: 7,
  jitter_seconds: 30,
  starts_at: null,
  ends_at: null,
  state: "active",
  paused: null,
  next_scheduled_at: null,
  next_fires_at: null,
  waiting_firings: 0,
  created_at: "",
  created_by: "",
  updated_at: "",
  ...changes
})

describe("the form of a schedule", () => {
  it("stands for bodies that the service takes, of each kind", () => {
    for (const kind of ["days", "cron", "recurrence", "opening"] as const) {
      const { body, problems } = bodyOf({ ...form, kind, start: kind === "recurrence" ? "2026-01-31" : "" })
      assert.deepStrictEqual(problems, {}, kind)
      assert.isTrue(Result.isSuccess(ScheduleBody.read(body, Date.UTC(2026, 0, 1))), kind)
    }
  })

  it("comes back from what was stored, and loses nothing that it does not show", () => {
    for (const times of [
      { cron: "5 9 * * MON,FRI" },
      { cron: "*/5 * * * *" },
      { at: "window_opening" as const, time_zone: null },
      {
        recurrence: "FREQ=DAILY",
        recurrence_start: { year: 2026, month: 2, day: 3 },
        recurrence_time: { hours: 6, minutes: 5 }
      }
    ]) {
      const schedule = stored(times)
      const { body } = bodyOf(givenOf(schedule), schedule)
      for (const [name, value] of Object.entries({
        ...times,
        jitter_seconds: 30,
        tags: ["monthly"],
        priority: 4,
        start_within_minutes: 90,
        catch_up_limit: 7,
        name: "Morning"
      })) {
        assert.deepStrictEqual(body[name] ?? null, value, name)
      }
    }
  })

  it("says what cannot be read at its field, and puts what the service refuses there too", () => {
    const { problems } = bodyOf({ ...form, workflow: "", time: "24:00", days: [], inputs: "[]" })
    assert.hasAllKeys(problems, ["workflow", "time", "days", "inputs"])
    const wrong = bodyOf({ ...form, workflow: "w", wrongInputs: { count: "Expected a whole number, such as 3" } })
    assert.hasAllKeys(wrong.problems, ["inputs"])
    assert.deepStrictEqual(
      problemsAt(
        [
          { path: "cron", message: "a" },
          { path: "recurrence_time.hours", message: "b" },
          { path: "", message: "c" }
        ],
        "days"
      ),
      { days: "a", time: "b", all: "c" }
    )
  })

  it("says in words when it fires", () => {
    assert.strictEqual(timing(stored({ cron: "30 7 * * MON,TUE,WED,THU,FRI" })), "Monday to Friday at 07:30")
    assert.strictEqual(timing(stored({ cron: "0 22 * * *" })), "every day at 22:00")
    assert.strictEqual(timing(stored({ cron: "*/5 * * * *" })), "*/5 * * * *")
    const recurring = (recurrence: string) => timing(stored({ cron: null, recurrence }))
    assert.strictEqual(recurring("FREQ=DAILY;BYHOUR=9;BYMINUTE=30"), "FREQ=DAILY at 09:30")
    assert.strictEqual(recurring("BYHOUR=8,20;FREQ=DAILY"), "FREQ=DAILY at 08:00, 20:00")
    assert.strictEqual(recurring("FREQ=DAILY"), "FREQ=DAILY at 00:00")
  })
})

describe("an entry of the audit trail", () => {
  it("shows the fields that differ alone", () => {
    const found = differencesOf({ before: { a: 1, b: [1] }, after: { a: 1, b: [2], c: null } })
    assert.deepStrictEqual(
      found.map(({ field }) => field),
      ["b", "c"]
    )
    assert.lengthOf(differencesOf({ before: null, after: null }), 0)
    assert.deepStrictEqual(
      ["run_window.set", "key.revoke", "schedule.pause", "run.retry", "patch.apply"].map(actionWords),
      [...["Run window set", "Key revoked", "Schedule paused", "Runs retried", "Patch applied"]]
    )
    assert.deepStrictEqual(["lift.start", "pause.end", "schedule.run_now"].map(actionWords), [
      "Run window lifted",
      "Pause ended",
      "Schedule submitted a run"
    ])
  })

  it.each<readonly [string, string, Partial<Entry>]>([
    ["Invoices", "run_window.set", { resource_name: "Invoices" }],
    ["Orders", "pause.start", { resource_id: "w1" }],
    ["Orders", "schedule.pause", { resource_id: "s1", resource_name: "", after: { workflow_id: "w1" } }],
    ["", "pause.start", { resource_id: "w9" }],
    ["Run 12345678", "evidence.download", { resource_id: "0000-12345678", after: { as: "bundle" } }],
    ["Run 12345678 of Orders", "run.delete", { resource_id: "0000-12345678", before: { workflow_id: "w1" } }],
    ["1 run: 12345678", "run.retry", { after: { runs: 1, session_ids: ["0000-12345678"] } }],
    ["9 runs: a, b, c, …", "run.tag", { after: { runs: 9, session_ids: ["a", "b", "c", "d"] } }],
    ["email for Orders", "subscription.create", { resource_id: "s", after: { workflow_id: "w1", channel: "email" } }],
    ["email for every workflow", "subscription.delete", { before: { workflow_id: null, channel: "email" } }],
    ["Version 3", "encryption_key.rotate", { before: { version: 2 }, after: { version: 3 } }],
    ["2 attempts from 192.0.2.1", "sign_in.fail", { after: { address: "192.0.2.1", attempts: 2 } }]
  ])("names what it is about: %s", (words, action, more) => {
    const entry = { action, after: null, before: null, resource_id: null, resource_name: null, ...more }
    assert.strictEqual(subjectOf(entry, new Map([["w1", "Orders"]])), words)
  })

  it("comes in front of those that are shown, which are read again where some may be missing between", () => {
    const page = (cursor: string | null, ...ids: ReadonlyArray<string>) => ({
      cursor,
      entries: ids.map((id) => ({ id }) as Entry)
    })
    const shown = page("1", "3", "2", "1")
    assert.strictEqual(withNewest(shown, page("2", "3", "2")), shown)
    assert.deepStrictEqual(withNewest(shown, page("2", "4", "3", "2")), page("1", "4", "3", "2", "1"))
    assert.deepStrictEqual(withNewest(shown, page("8", "9", "8")), page("8", "9", "8"))
    assert.deepStrictEqual(withNewest(page(null), page(null, "1")), page(null, "1"))
  })
})
