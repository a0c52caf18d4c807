import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as CronExpression from "../../../core/schedule/CronExpression.ts"
import * as Timing from "../../../core/schedule/ScheduleTiming.ts"
import { zoneNames } from "../../../core/window/calendar/ZoneNames.ts"
import * as WallClock from "./WallClock.ts"

const at = (text: string) => Date.parse(text)
const hour = 3_600_000
const day = 24 * hour

const cronIn = (cron: string, timeZone: string) => Timing.instants({ kind: "cron", cron, timeZone }, null)

/** The instants of a timing in `[from, until)`. */
const within = (instants: Timing.Instants, [from, until]: readonly [number, number]): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let one = instants.next(from - 1); one !== null && one < until; one = instants.next(one)) found.push(one)
  return found
}

/** The same, from the last one back to the first. */
const backwards = (instants: Timing.Instants, [from, until]: readonly [number, number]): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let one = instants.last(until - 1, from - 1); one !== null; one = instants.last(one - 1, from - 1))
    found.push(one)
  return found.reverse()
}

const iso = (instants: ReadonlyArray<number>) => instants.map((one) => new Date(one).toISOString().slice(0, 16))

/** Fixed times and intervals that a change of the clocks at any hour concerns. */
const crons = ["0,30 0-3,22-23 * * *", "17 * * * *", "*/20 0-4 * * *"]

const isInterval = (cron: string) => /[*/]/.test(cron.split(" ").slice(0, 2).join(" "))

const agrees = (cron: string, zone: string, range: readonly [number, number]) => {
  const wanted = WallClock.instantsOf(zone, (local) => WallClock.matches(cron, local), isInterval(cron), range)
  const instants = cronIn(cron, zone)
  const label = `${cron} in ${zone} from ${new Date(range[0]).toISOString()}`
  assert.deepStrictEqual(iso(within(instants, range)), iso(wanted), label)
  assert.deepStrictEqual(iso(backwards(instants, range)), iso(wanted), `${label}, backwards`)
}

describe("cron at changes of clocks", () => {
  it("is as a walk over the wall clock says, in every zone that changes its clocks in 2026", () => {
    const [from, until] = [at("2026-01-01T00:00:00Z"), at("2026-12-25T00:00:00Z")]
    const seen = new Set<string>()
    for (const zone of zoneNames) {
      for (const change of WallClock.changesOf(zone, from, until)) {
        // Zones that change alike are looked at once.
        const kind = [change, WallClock.offsetAt(zone, change - 1), WallClock.offsetAt(zone, change)].join(" ")
        if (seen.has(kind)) continue
        seen.add(kind)
        for (const cron of crons) agrees(cron, zone, [change - 5 * hour, change + 5 * hour])
      }
    }
    assert.isAbove(seen.size, 15)
  })

  it("is as a walk says where a date is skipped, a change crosses midnight, or an offset is odd", () => {
    const changes: ReadonlyArray<readonly [string, string]> = [
      ["Pacific/Apia", "2011-12-30T10:00:00Z"],
      ["Pacific/Kwajalein", "1993-08-21T12:00:00Z"],
      ["America/St_Johns", "2010-11-07T02:31:00Z"],
      ["America/St_Johns", "2010-03-14T03:31:00Z"],
      ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
      ["Antarctica/Troll", "2026-03-29T01:00:00Z"],
      ["America/Caracas", "2016-05-01T07:00:00Z"],
      ["America/Sao_Paulo", "2018-11-04T03:00:00Z"],
      ["Asia/Pyongyang", "2018-05-04T15:00:00Z"]
    ]
    for (const [zone, change] of changes) {
      for (const cron of [...crons, "0 9 * * *", "0 12 30 * *"]) {
        agrees(cron, zone, [at(change) - 40 * hour, at(change) + 40 * hour])
      }
    }
  })

  it("fires skipped times once after the gap, and repeated fixed times once", () => {
    const spring = [at("2026-03-28T12:00:00Z"), at("2026-03-29T12:00:00Z")] as const
    const autumn = [at("2026-10-24T22:00:00Z"), at("2026-10-25T03:00:00Z")] as const
    assert.deepStrictEqual(iso(within(cronIn("15,45 2 * * *", "Europe/Berlin"), spring)), ["2026-03-29T01:00"])
    assert.deepStrictEqual(iso(within(cronIn("30 2 * * *", "Europe/Berlin"), autumn)), ["2026-10-25T00:30"])
    const night = [at("2026-03-29T00:00:00Z"), at("2026-03-29T03:00:00Z")] as const
    assert.deepStrictEqual(iso(within(cronIn("5 * * * *", "Europe/Berlin"), night)), [
      "2026-03-29T00:05",
      "2026-03-29T01:05",
      "2026-03-29T02:05"
    ])
    // At Lord Howe the clocks go from 02:00 to 02:30.
    const howe = [at("2026-10-03T14:00:00Z"), at("2026-10-03T17:00:00Z")] as const
    assert.deepStrictEqual(iso(within(cronIn("0 * * * *", "Australia/Lord_Howe"), howe)), [
      "2026-10-03T14:30",
      "2026-10-03T16:00"
    ])
    assert.deepStrictEqual(iso(within(cronIn("*/30 2 * * *", "Europe/Berlin"), autumn)), [
      "2026-10-25T00:00",
      "2026-10-25T00:30",
      "2026-10-25T01:00",
      "2026-10-25T01:30"
    ])
  })
})

describe("cron expressions", () => {
  it("have the dates that a walk over each day says", () => {
    const expressions = [
      "0 12 1,15 * *",
      "0 12 L * *",
      "0 12 L-3,10 2 *",
      "0 12 * * FRIL",
      "0 12 * * MON#2,THU#5",
      "0 12 13 * FRI",
      "0 12 */2 * MON",
      "0 12 * 1-3/2,12 0,7",
      "0 12 29 2 *",
      "0 12 5/10 * *"
    ]
    const range = [at("2027-01-01T00:00:00Z"), at("2028-04-01T00:00:00Z")] as const
    for (const cron of expressions) {
      const wanted: Array<number> = []
      for (let noon = range[0] + 12 * hour; noon < range[1]; noon += day) {
        if (WallClock.matches(cron, noon)) wanted.push(noon)
      }
      assert.deepStrictEqual(iso(within(cronIn(cron, "UTC"), range)), iso(wanted), cron)
    }
  })

  it("may use names in any case, weekend ranges, question marks and short forms", () => {
    const from = at("2026-11-20T12:00:00Z")
    const firstOf = (cron: string) => new Date(cronIn(cron, "UTC").next(from) ?? 0).toISOString()
    assert.strictEqual(firstOf("0 0 ? nov mon-fri"), "2026-11-23T00:00:00.000Z")
    assert.deepStrictEqual(iso(within(cronIn("0 0 * * SAT-MON", "UTC"), [from, from + 4 * day])), [
      "2026-11-21T00:00",
      "2026-11-22T00:00",
      "2026-11-23T00:00"
    ])
    assert.strictEqual(firstOf("@daily"), "2026-11-21T00:00:00.000Z")
    assert.strictEqual(firstOf("@Weekly"), "2026-11-22T00:00:00.000Z")
    assert.strictEqual(firstOf("@monthly"), "2026-12-01T00:00:00.000Z")
    assert.strictEqual(firstOf("@yearly"), "2027-01-01T00:00:00.000Z")
    assert.strictEqual(firstOf("@hourly"), "2026-11-20T13:00:00.000Z")
  })

  it("that are wrong are refused with every field that is", () => {
    const problemsOf = (cron: string) => {
      const parsed = CronExpression.parse(cron)
      return Result.isFailure(parsed) ? parsed.failure : []
    }
    assert.deepStrictEqual(problemsOf("61 24 0 13 8"), [
      'minute: "61" is not valid: expected 0 to 59',
      'hour: "24" is not valid: expected 0 to 23',
      'day of month: "0" is not valid: expected 1 to 31',
      'month: "13" is not valid: expected 1 to 12 or JAN, FEB, MAR, APR, MAY, JUN, JUL, AUG, SEP, OCT, NOV, DEC',
      'day of week: "8" is not valid: expected 0 to 7 or SUN, MON, TUE, WED, THU, FRI, SAT'
    ])
    for (const cron of [
      "",
      "* * * *",
      "0 * * * * *",
      "@reboot",
      "*/0 * * * *",
      "5-1 * * * *",
      "* * 15W * *",
      "* * * * L",
      "* * * * MON#6",
      "* * * * MON#0",
      "* * L-31 * *",
      "1,,2 * * * *",
      "1/2/3 * * * *",
      "x * * * *",
      "- * * * *",
      `${"1,".repeat(200)}1 * * * *`
    ]) {
      assert.isAbove(problemsOf(cron).length, 0, cron)
    }
    assert.include(problemsOf("0 0 * * * *")[0], "seconds are not supported")
  })

  it("that never fire are found, and rare ones are not taken for them", () => {
    const problemsOf = (cron: string) =>
      Timing.problems({ kind: "cron", cron, timeZone: "Europe/Berlin" }, at("2026-11-22T00:00:00Z"))
    for (const cron of ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 31 2 *"]) {
      assert.deepStrictEqual(
        problemsOf(cron).map(({ field }) => field),
        ["cron"],
        cron
      )
    }
    assert.deepStrictEqual(problemsOf("0 0 29 2 *"), [])
    assert.deepStrictEqual(problemsOf("0 0 * 2 MON#5"), [])
    assert.strictEqual(
      new Date(cronIn("0 0 * 2 MON#5", "UTC").next(at("2026-01-01T00:00:00Z")) ?? 0).toISOString(),
      "2044-02-29T00:00:00.000Z"
    )
  })
})

describe("recurrences", () => {
  const start = { year: 2026, month: 11, day: 2 }
  const recurrence = (rule: string, time = { hours: 0, minutes: 0 }, timeZone = "Europe/Berlin") =>
    ({ kind: "recurrence", recurrence: rule, start, time, timeZone }) as const
  const from = at("2026-11-01T00:00:00Z")
  const some = (timing: Timing.Timing, days = 30) =>
    iso(within(Timing.instants(timing, null), [from, from + days * day]))

  it("fire at the time of the start, or at each BYHOUR and BYMINUTE", () => {
    assert.deepStrictEqual(some(recurrence("RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", { hours: 9, minutes: 30 })), [
      "2026-11-02T08:30",
      "2026-11-16T08:30",
      "2026-11-30T08:30"
    ])
    assert.deepStrictEqual(some(recurrence("freq=daily;byhour=6,18;byminute=0,5;until=20261102")), [
      "2026-11-02T05:00",
      "2026-11-02T05:05",
      "2026-11-02T17:00",
      "2026-11-02T17:05"
    ])
    assert.deepStrictEqual(some(recurrence("FREQ=DAILY;COUNT=2", { hours: 9, minutes: 0 })), [
      "2026-11-02T08:00",
      "2026-11-03T08:00"
    ])
  })

  it("leave out times before the start, and those after the instant of UNTIL", () => {
    assert.deepStrictEqual(
      some(recurrence("FREQ=DAILY;BYHOUR=8,20;UNTIL=20261104T070000Z", { hours: 12, minutes: 0 })),
      ["2026-11-02T19:00", "2026-11-03T07:00", "2026-11-03T19:00", "2026-11-04T07:00"]
    )
    assert.deepStrictEqual(some(recurrence("FREQ=DAILY;UNTIL=20261103T085959", { hours: 9, minutes: 0 })), [
      "2026-11-02T08:00"
    ])
  })

  it("fire for the last time at a local UNTIL that the clocks skip or repeat", () => {
    const until = (text: string) => ({ ...recurrence(`FREQ=DAILY;UNTIL=${text}`, { hours: 2, minutes: 30 }) })
    const range = [at("2027-03-26T12:00:00Z"), at("2027-11-03T12:00:00Z")] as const
    const last = (text: string) => iso(within(Timing.instants(until(text), null), range)).at(-1)
    assert.strictEqual(last("20270328T023000"), "2027-03-28T01:00")
    assert.strictEqual(last("20270328T022959"), "2027-03-27T01:30")
    assert.strictEqual(last("20270328T015959"), "2027-03-27T01:30")
    assert.strictEqual(last("20271031T023000"), "2027-10-31T00:30")
    assert.strictEqual(last("20271031T022900"), "2027-10-30T00:30")
  })

  it("fire once in a gap and once in a fold", () => {
    const half = recurrence("FREQ=DAILY", { hours: 2, minutes: 30 })
    for (const range of [
      [at("2027-03-27T12:00:00Z"), at("2027-03-29T12:00:00Z")],
      [at("2027-10-30T12:00:00Z"), at("2027-11-01T12:00:00Z")]
    ] as const) {
      const matching = (local: number) => local % day === 2.5 * hour
      const wanted = WallClock.instantsOf("Europe/Berlin", matching, false, range)
      assert.deepStrictEqual(iso(within(Timing.instants(half, null), range)), iso(wanted))
      assert.lengthOf(wanted, 2)
    }
  })

  it("that cannot be followed or are over are refused", () => {
    const problemOf = (rule: string) => Timing.problems(recurrence(rule), at("2026-11-22T00:00:00Z"))[0]?.message ?? ""
    assert.include(problemOf("FREQ=HOURLY"), "or cron for intervals")
    assert.include(problemOf("FREQ=DAILY;BYHOUR=24"), "BYHOUR is not valid")
    assert.include(problemOf("FREQ=DAILY;BYMINUTE=x"), "BYMINUTE is not valid")
    assert.include(problemOf("FREQ=DAILY;BYSECOND=30"), "BYSECOND")
    assert.include(problemOf("FREQ=DAILY;BYHOUR=1;BYHOUR=2"), "BYHOUR")
    assert.include(problemOf("FREQ=DAILY;COUNT=2;BYHOUR=1,2"), "COUNT")
    assert.include(problemOf("DTSTART:20261102T090000\nRRULE:FREQ=DAILY"), "recurrence_start")
    assert.include(problemOf("FREQ=DAILY;UNTIL=20261110"), "it has no date after now")
    assert.include(problemOf("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"), "would never fire")
  })
})
