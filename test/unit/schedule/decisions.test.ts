import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Gate from "../../../core/gate/Gate.ts"
import * as Preview from "../../../core/schedule/Preview.ts"
import * as RunSchedule from "../../../core/schedule/RunSchedule.ts"
import * as ScheduleBody from "../../../core/schedule/ScheduleBody.ts"
import { RunId, UserId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { daily } from "../../support/fixtures.ts"

const at = (text: string) => Date.parse(text)
const minute = 60_000
const hour = 60 * minute
const start = at("2026-11-22T00:00:00Z")
const by = UserId.make(randomUUID())
const workflowId = WorkflowId.make(randomUUID())

const hourly: RunSchedule.Terms = {
  name: "Hourly",
  timing: { kind: "cron", cron: "0 * * * *", timeZone: "UTC" },
  input: {},
  overlap: "skip",
  catchUp: "last",
  catchUpLimit: 100,
  jitterSeconds: 0,
  startsAt: null,
  endsAt: null
}

const made = (terms: Partial<RunSchedule.Terms> = {}, gate = Gate.open) =>
  RunSchedule.make(
    {
      id: RunSchedule.ScheduleId.make("019a0000-0000-7000-8000-000000000001"),
      workspaceId: WorkspaceId.make(randomUUID()),
      workflowId,
      terms: { ...hourly, ...terms },
      createdBy: by
    },
    gate,
    start
  )

interface Happened {
  readonly schedule: RunSchedule.RunSchedule
  /** What has become of which hour, in order. */
  readonly log: ReadonlyArray<string>
}

/** Takes every step there is at an instant. Each run is submitted, and ends only where `ended` says so. */
const settle = (before: RunSchedule.RunSchedule, now: number, { ended = false, gate = Gate.open } = {}): Happened => {
  let schedule = before
  const log: Array<string> = []
  const hourOf = (instant: number) => (instant - start) / hour
  for (let steps = 0; steps < 3_000; steps++) {
    const decision = RunSchedule.decide(schedule, gate, ended ? [] : schedule.runs, now)
    if (decision === null) return { schedule, log }
    const { after, fire, firings, replaces } = decision
    for (const { instant, outcome } of firings) log.push(`${outcome} ${hourOf(instant)}`)
    if (fire !== null) log.push(`${replaces.length > 0 ? "replaced" : "submitted"} ${hourOf(fire)}`)
    schedule = fire === null ? after : { ...after, runs: [...after.runs, RunId.make(randomUUID())] }
  }
  throw new Error("The schedule never settles")
}

const logOf = (happened: Happened) => happened.log

describe("a schedule", () => {
  it("fires each instant once, at the instant and not before", () => {
    const schedule = made()
    assert.strictEqual(RunSchedule.dueAt(schedule), start + hour)
    assert.deepStrictEqual(logOf(settle(schedule, start + hour - 1)), [])
    const first = settle(schedule, start + hour)
    assert.deepStrictEqual(logOf(first), ["submitted 1"])
    assert.deepStrictEqual(logOf(settle(first.schedule, start + hour + 1)), [])
    assert.deepStrictEqual(logOf(settle(first.schedule, start + 2 * hour, { ended: true })), ["submitted 2"])
  })

  it("keeps to its overlap policy while an earlier run has not ended", () => {
    const happens = (overlap: RunSchedule.Overlap) => {
      const first = settle(made({ overlap }), start + hour)
      const second = settle(first.schedule, start + 2 * hour)
      const third = settle(second.schedule, start + 3 * hour)
      const ended = settle(third.schedule, start + 3 * hour + minute, { ended: true })
      return [first, second, third, ended].map((one) => one.log.join(", "))
    }
    assert.deepStrictEqual(happens("skip"), ["submitted 1", "skipped 2", "skipped 3", ""])
    assert.deepStrictEqual(happens("queue_one"), ["submitted 1", "queued 2", "skipped 3", "submitted 2"])
    assert.deepStrictEqual(happens("replace"), ["submitted 1", "replaced 2", "replaced 3", ""])
    assert.deepStrictEqual(happens("queue_all"), ["submitted 1", "queued 2", "queued 3", "submitted 2, submitted 3"])
  })

  it("starts queued firings one after the other, in their order", () => {
    const schedule = { ...made({ overlap: "queue_all" }), queued: [start - hour, start], runs: [] }
    const first = RunSchedule.decide(schedule, Gate.open, [], start + 1)
    assert.strictEqual(first?.fire, start - hour)
    assert.deepStrictEqual(first?.after.queued, [start])
    const run = RunId.make(randomUUID())
    assert.isNull(RunSchedule.decide({ ...schedule, queued: [start], runs: [run] }, Gate.open, [run], start + 1))
  })

  it("catches up after an outage as its policy says", () => {
    const outage = start + 10.5 * hour
    const happens = (terms: Partial<RunSchedule.Terms>, now = outage) =>
      logOf(settle(made(terms), now, { ended: true }))
    const missed = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, index) => `missed ${first + index}`)
    assert.deepStrictEqual(happens({ catchUp: "none" }), missed(1, 10))
    assert.deepStrictEqual(happens({ catchUp: "none" }, start + 10 * hour + 1_000), [...missed(1, 9), "submitted 10"])
    assert.deepStrictEqual(happens({ catchUp: "last" }), [...missed(1, 9), "submitted 10"])
    assert.deepStrictEqual(
      happens({ catchUp: "all" }),
      Array.from({ length: 10 }, (_, index) => `submitted ${index + 1}`)
    )
    assert.deepStrictEqual(happens({ catchUp: "all", catchUpLimit: 3 }), [
      ...missed(1, 7),
      "submitted 8",
      "submitted 9",
      "submitted 10"
    ])
    // A second outage counts its own.
    const first = settle(made({ catchUp: "all", catchUpLimit: 2 }), outage, { ended: true })
    assert.deepStrictEqual(logOf(settle(first.schedule, outage + 5 * hour, { ended: true })), [
      ...missed(11, 13),
      "submitted 14",
      "submitted 15"
    ])
  })

  it("deals with a year of missed minutes in a few steps, and records the last 1,000 each", () => {
    const minutely = made({ timing: { kind: "cron", cron: "* * * * *", timeZone: "UTC" } })
    const end = start + 365 * 24 * hour
    const decision = RunSchedule.decide(minutely, Gate.open, [], end)
    assert.lengthOf(decision?.firings ?? [], 1_001)
    assert.match(decision?.firings[0]?.reason ?? "", /^Missed, with each earlier firing that has no record/)
    assert.lengthOf(settle(decision?.after ?? minutely, end, { ended: true }).log, 2)
  })

  it("is put off by its jitter, the same whenever it is asked, and loses nothing by it", () => {
    const schedule = made({ jitterSeconds: 600 })
    const offsets = Array.from({ length: 200 }, (_, index) => {
      const instant = start + index * hour
      assert.strictEqual(RunSchedule.firesAt(schedule, instant), RunSchedule.firesAt({ ...schedule }, instant))
      return RunSchedule.firesAt(schedule, instant) - instant
    })
    assert.isTrue(offsets.every((offset) => offset >= 0 && offset < 600_000))
    assert.isAbove(new Set(offsets).size, 190)
    const mean = offsets.reduce((sum, offset) => sum + offset, 0) / offsets.length
    assert.isTrue(mean > 240_000 && mean < 360_000)
    const due = RunSchedule.dueAt(schedule) ?? 0
    assert.deepStrictEqual(logOf(settle(schedule, due - 1)), [])
    assert.deepStrictEqual(logOf(settle(schedule, due)), ["submitted 1"])
    assert.deepStrictEqual(
      logOf(settle(made({ jitterSeconds: 600, catchUp: "all" }), start + 5.5 * hour, { ended: true })),
      ["submitted 1", "submitted 2", "submitted 3", "submitted 4", "submitted 5"]
    )
  })

  it("delays each firing by its own jitter, also where that is longer than the gap to the next one", () => {
    let schedule = made({
      timing: { kind: "cron", cron: "*/15 * * * *", timeZone: "UTC" },
      jitterSeconds: 3_600,
      overlap: "queue_all"
    })
    const fired: Array<number> = []
    for (let now = start; now <= start + 24 * hour; now += minute) {
      const settled = settle(schedule, now, { ended: true })
      schedule = settled.schedule
      for (const line of settled.log) {
        assert.match(line, /^submitted /)
        const instant = start + Number(line.split(" ")[1]) * hour
        assert.isAtMost(RunSchedule.firesAt(schedule, instant), now)
        assert.isAbove(RunSchedule.firesAt(schedule, instant), now - minute)
        fired.push(instant)
      }
    }
    const all = Array.from({ length: 92 }, (_, index) => start + ((index + 1) * hour) / 4)
    assert.deepStrictEqual(fired.toSorted().slice(0, 92), all)
  })

  it("moves no firing by an edit that leaves its timing as it was", () => {
    const schedule = made({ jitterSeconds: 600 })
    const edited = RunSchedule.edit(schedule, { ...schedule.terms, name: "Renamed" }, Gate.open, start + hour + 1)
    assert.deepStrictEqual(edited.firings, [])
    assert.deepStrictEqual(logOf(settle(edited.schedule, start + 2 * hour)), ["submitted 1"])
    const recurring = { workflow_id: workflowId, recurrence: "FREQ=DAILY;INTERVAL=2", time_zone: "UTC" }
    const stored = Result.getOrThrow(ScheduleBody.read(recurring, start)).terms
    const again = Result.getOrThrow(ScheduleBody.read({ ...recurring, name: "x" }, start + 24 * hour, stored)).terms
    assert.deepStrictEqual(again.timing, stored.timing)
  })

  it("fires what was due before an edit of its timing, at its own delay, and then as the new terms say", () => {
    const schedule = made({ jitterSeconds: 600, overlap: "queue_all" })
    const due = RunSchedule.firesAt(schedule, start + hour)
    const cron = { kind: "cron", cron: "30 * * * *", timeZone: "UTC" } as const
    for (const at of [start + hour, due - 1, due, due + 1]) {
      const { firings, schedule: edited } = RunSchedule.edit(
        schedule,
        { ...schedule.terms, timing: cron, jitterSeconds: 0 },
        Gate.open,
        at
      )
      assert.deepStrictEqual(firings, [])
      assert.deepStrictEqual(logOf(settle(edited, Math.max(at, due), { ended: true })), ["submitted 1"])
      assert.deepStrictEqual(logOf(settle(edited, start + 1.5 * hour, { ended: true })).slice(-1), ["submitted 1.5"])
    }
  })

  it("records what waited or was due when it was paused, and what a replacement puts aside", () => {
    const waiting = settle(settle(made({ overlap: "queue_all" }), start + hour).schedule, start + 2 * hour).schedule
    const paused = RunSchedule.pause(waiting, Gate.open, { at: start + 3 * hour + 1, by, reason: null })
    assert.deepStrictEqual(
      paused.firings.map(({ instant, outcome }) => [(instant - start) / hour, outcome]),
      [
        [2, "skipped"],
        [3, "skipped"]
      ]
    )
    const replacing = { ...waiting, terms: { ...waiting.terms, overlap: "replace" as const } }
    const decision = RunSchedule.decide(replacing, Gate.open, replacing.runs, start + 3 * hour)
    assert.strictEqual(decision?.fire, start + 3 * hour)
    assert.deepStrictEqual(
      decision?.firings.map(({ instant, outcome }) => [(instant - start) / hour, outcome]),
      [[2, "skipped"]]
    )
  })

  it("fires from its start to its end, both included", () => {
    const schedule = made({ startsAt: start + 3 * hour, endsAt: start + 4 * hour, catchUp: "all" })
    assert.strictEqual(schedule.next, start + 3 * hour)
    const over = settle(schedule, start + 9 * hour, { ended: true })
    assert.deepStrictEqual(over.log, ["submitted 3", "submitted 4"])
    assert.isNull(over.schedule.next)
    assert.isNull(RunSchedule.dueAt(over.schedule))
  })

  it("does not fire while it is paused, and does not make up for that", () => {
    const paused = RunSchedule.pause(made({ catchUp: "all" }), Gate.open, { at: start + 1, by, reason: null }).schedule
    assert.isNull(RunSchedule.dueAt(paused))
    assert.deepStrictEqual(logOf(settle(paused, start + 5 * hour)), [])
    const resumed = RunSchedule.resume(paused, Gate.open, start + 5.5 * hour).schedule
    assert.deepStrictEqual(logOf(settle(resumed, start + 6 * hour)), ["submitted 6"])
  })
})

describe("a schedule at the openings of a window", () => {
  const windowed = (from: number, to: number, revision = 1, setAt = start): Gate.Gate => ({
    ...Gate.open,
    runWindow: daily(from, to),
    windowRevision: revision,
    windowSet: { at: setAt, by }
  })
  const timing = { kind: "window_opening", timeZone: null } as const

  it("fires at each opening, and follows an edit of the window", () => {
    const gate = windowed(8, 18)
    const schedule = made({ timing }, gate)
    assert.strictEqual(schedule.next, start + 8 * hour)
    const first = settle(schedule, start + 8 * hour, { gate, ended: true })
    assert.deepStrictEqual(first.log, ["submitted 8"])
    assert.strictEqual(first.schedule.next, start + 32 * hour)
    const edited = windowed(6, 18, 2, start + 10 * hour)
    const aimed = settle(first.schedule, start + 10 * hour, { gate: edited, ended: true })
    assert.deepStrictEqual(aimed.log, [])
    assert.strictEqual(aimed.schedule.next, start + 30 * hour)
  })

  it("does not fire when an edit finds the window open", () => {
    const gate = windowed(20, 22)
    const opened = windowed(9, 18, 2, start + 10 * hour)
    const aimed = settle(made({ timing }, gate), start + 11 * hour, { gate: opened })
    assert.deepStrictEqual(aimed.log, [])
    assert.strictEqual(aimed.schedule.next, start + 33 * hour)
  })

  it("catches up with the last opening of an outage", () => {
    const gate = windowed(8, 18)
    const happened = settle(made({ timing }, gate), start + 80 * hour + 30 * minute, { gate, ended: true })
    assert.deepStrictEqual(happened.log, ["missed 8", "missed 32", "missed 56", "submitted 80"])
  })

  it("never fires without a window, or with one that is always open", () => {
    assert.isNull(made({ timing }).next)
    const always: Gate.Gate = { ...windowed(0, 23), runWindow: { ...daily(0, 1), regular_hours: allDay } as never }
    assert.isNull(made({ timing }, always).next)
    assert.deepStrictEqual(logOf(settle(made({ timing }, always), start + 100 * hour, { gate: always })), [])
    assert.lengthOf(Preview.warnings(made({ timing }), Gate.open, start), 1)
  })

  it("is previewed in both zones, and warned of when it never falls into the window", () => {
    const gate = windowed(8, 18)
    const berlin = made({ timing: { kind: "cron", cron: "30 7 * * *", timeZone: "Europe/Berlin" } }, gate)
    const coming = Preview.next(berlin, gate, start, 10)
    assert.lengthOf(coming, 10)
    assert.deepStrictEqual(coming[0], {
      instant: at("2026-11-22T06:30:00Z"),
      firesAt: at("2026-11-22T06:30:00Z"),
      local: "2026-11-22T07:30:00+01:00",
      windowLocal: "2026-11-22T06:30:00+00:00",
      windowOpen: false,
      startsAt: at("2026-11-22T08:00:00Z"),
      expiresAt: null
    })
    const hasty = made({ ...berlin.terms, startWithinMinutes: 30 }, gate)
    assert.deepInclude(Preview.next(hasty, gate, start, 1)[0], {
      startsAt: null,
      expiresAt: at("2026-11-22T07:00:00Z")
    })
    const [expires] = Preview.warnings(hasty, gate, start)
    assert.strictEqual(expires?.path, "start_within_minutes")
    assert.include(expires?.message, "Each of the next 100 runs ends without a start")
    assert.include(expires?.message, "the first is that of 2026-11-22T07:30:00+01:00")
    assert.deepStrictEqual(
      Preview.warnings(made({ ...hasty.terms, startWithinMinutes: 95 }, gate), gate, start).length,
      1
    )
    const [warning] = Preview.warnings(berlin, gate, start)
    assert.strictEqual(warning?.path, "cron")
    assert.include(warning?.message, "No firing of the next 400 days falls into the run window")
    assert.deepStrictEqual(Preview.warnings(made({}, gate), gate, start), [])
    // In winter it is at 08:30 UTC, in summer at 07:30.
    const nine = made({ timing: { kind: "cron", cron: "30 9 * * *", timeZone: "Europe/Berlin" } }, gate)
    assert.deepStrictEqual(Preview.warnings(nine, gate, start), [])
  })
})

const days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]
const allDay = days.map((day, index) => ({
  active_start_day: day,
  active_start_time: { hours: 0, minutes: 0 },
  active_end_day: days[(index + 1) % 7],
  active_end_time: { hours: 0, minutes: 0 }
}))

describe("the warnings of a schedule", () => {
  const daily8 = { ...Gate.open, runWindow: daily(8, 18), windowRevision: 1, windowSet: { at: start, by } }
  const warned = (terms: Partial<RunSchedule.Terms>, gate: Gate.Gate = Gate.open) =>
    Preview.warnings(made(terms, gate), gate, start).map(({ message, path }) => `${path}: ${message}`)
  const cron = (cron: string): Partial<RunSchedule.Terms> => ({ timing: { kind: "cron", cron, timeZone: "UTC" } })
  const recurring = (recurrence: string): Partial<RunSchedule.Terms> => ({
    timing: {
      kind: "recurrence",
      recurrence,
      start: { year: 2026, month: 1, day: 14 },
      time: { hours: 9 },
      timeZone: "UTC"
    }
  })

  it("name a step that begins anew before it is whole", () => {
    assert.match(
      warned(cron("*/90 * * * *"))[0] ?? "",
      /^cron: minute: \*\/90 fires at minute 0 of each hour, not every 90/
    )
    assert.match(warned(cron("*/45 * * * *"))[0] ?? "", /fires at minute 0, 45 of each hour/)
    assert.match(warned(cron("0 */5 * * *"))[0] ?? "", /hour: \*\/5 fires at hour 0, 5, 10 … 20 of each day/)
    assert.deepStrictEqual(warned(cron("*/15 */2 * * *")), [])
  })

  it("name a yearly rule of days in every month", () => {
    assert.match(warned(recurring("FREQ=YEARLY;BYMONTHDAY=14"))[0] ?? "", /^recurrence: FREQ=YEARLY with BYMONTHDAY/)
    assert.deepStrictEqual(warned(recurring("FREQ=YEARLY;BYMONTHDAY=14;BYMONTH=3")), [])
  })

  it("name a jitter that is longer than the gap between firings, or than the opening", () => {
    assert.match(
      warned({ jitterSeconds: 3_601 })[0] ?? "",
      /^jitter_seconds: It is longer than the time between firings/
    )
    assert.deepStrictEqual(warned({ jitterSeconds: 3_600 }), [])
    const timing = { kind: "window_opening", timeZone: null } as const
    assert.match(
      warned({ timing, jitterSeconds: 36_001 }, daily8)[0] ?? "",
      /^jitter_seconds: It can delay a firing beyond the closing of the run window, as at 2026-11-22T18:00/
    )
    assert.deepStrictEqual(warned({ timing, jitterSeconds: 36_000 }, daily8), [])
  })
})

describe("the body of a schedule", () => {
  const problemsOf = (body: unknown) => {
    const read = ScheduleBody.read(body, start)
    return Result.isFailure(read) ? read.failure.problems.map(({ path }) => path) : []
  }
  const body = { workflow_id: workflowId, cron: "0 7 * * *", time_zone: "Europe/Berlin" }

  it("has defaults for everything but its workflow, its timing and its zone", () => {
    const { terms } = Result.getOrThrow(ScheduleBody.read(body, start))
    assert.deepInclude(terms, { overlap: "skip", catchUp: "last", catchUpLimit: 100, jitterSeconds: 0, input: {} })
    const recurring = Result.getOrThrow(
      ScheduleBody.read({ ...body, cron: null, recurrence: "FREQ=DAILY" }, at("2026-11-22T23:30:00Z"))
    )
    assert.deepInclude(recurring.terms.timing, {
      start: { year: 2026, month: 11, day: 23 },
      time: { hours: 0, minutes: 0 }
    })
  })

  it("is refused with every problem at its path", () => {
    assert.deepStrictEqual(problemsOf(null), [""])
    assert.deepStrictEqual(problemsOf({}), ["workflow_id", "cron"])
    assert.deepStrictEqual(
      problemsOf({
        workflow_id: "x",
        name: "x".repeat(257),
        cron: "0 7 * * *",
        time_zone: "Mars/Olympus",
        run_input_variables: [],
        overlap: "both",
        catch_up: 1,
        catch_up_limit: 0,
        jitter_seconds: -1,
        starts_at: "tomorrow",
        ends_at: "2020-01-01T00:00:00Z"
      }),
      [
        "workflow_id",
        "starts_at",
        "ends_at",
        "name",
        "run_input_variables",
        "overlap",
        "catch_up",
        "catch_up_limit",
        "jitter_seconds",
        "time_zone"
      ]
    )
    const wrong = { ...body, name: 7, time_zone: "Mars/Olympus" }
    assert.deepStrictEqual(problemsOf({ ...wrong, cron: "61 25 * * *" }), ["name", "time_zone", "cron", "cron"])
    assert.deepStrictEqual(problemsOf({ ...wrong, cron: null, recurrence: "FREQ=SOMETIMES", time_zone: null }), [
      "name",
      "time_zone",
      "recurrence"
    ])
    const dated = { ...body, cron: null, recurrence: "FREQ=DAILY;COUNT=1", recurrence_start: { year: 1 } }
    assert.deepStrictEqual(problemsOf(dated), ["recurrence_start"])
    assert.deepStrictEqual(problemsOf({ ...body, at: "window_opening" }), ["at"])
    assert.deepStrictEqual(problemsOf({ ...body, time_zone: null }), ["time_zone"])
    assert.deepStrictEqual(problemsOf({ ...body, recurrence_time: { hours: 3 } }), ["recurrence_time"])
    assert.deepStrictEqual(problemsOf({ ...body, cron: "61 7 * * *" }), ["cron"])
    assert.deepStrictEqual(problemsOf({ ...body, cron: "0 0 30 2 *" }), ["cron"])
    assert.deepStrictEqual(problemsOf({ ...body, ends_at: "2026-11-22T05:00:00Z" }), ["ends_at"])
    assert.deepStrictEqual(
      problemsOf({ ...body, starts_at: "2026-11-25T00:00:00Z", ends_at: "2026-11-24T00:00:00Z" }),
      ["ends_at"]
    )
  })
})
