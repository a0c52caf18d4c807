import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { limitFrom } from "../../../apps/console/forms/TypedLimit.ts"
import { drainWords } from "../../../apps/console/window/PaceModel.ts"
import {
  clockFrom,
  deciderWords,
  draftOf,
  nextDates,
  placeOf,
  presets,
  ruleWords,
  weeksOf,
  windowOf
} from "../../../apps/console/window/WindowModel.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"

const period = (start: string, from: number, end: string, to: number) => ({
  active_start_day: start,
  active_start_time: { hours: from, minutes: 0 },
  active_end_day: end,
  active_end_time: { hours: to, minutes: 0 }
})

const berlin = {
  time_zone: "Europe/Berlin",
  regular_hours: [
    period("MONDAY", 22, "TUESDAY", 6),
    period("WEDNESDAY", 9, "WEDNESDAY", 12),
    period("WEDNESDAY", 14, "THURSDAY", 0),
    period("SATURDAY", 8, "SUNDAY", 20)
  ],
  special_hours: [
    { active: false, label: "Christmas", start_date: { year: 2026, month: 12, day: 24 } },
    {
      active: true,
      recurrence: "FREQ=MONTHLY;BYMONTHDAY=-1",
      recurrence_start: { year: 2026, month: 1, day: 31 },
      active_start_time: { hours: 18, minutes: 0 },
      active_end_time: { hours: 23, minutes: 30 }
    }
  ]
}

const valid = (window: unknown) => Result.getOrThrow(RunWindow.validate(window)).window

describe("the editor of a run window", () => {
  it("gives a window back as it was read: nights, until midnight, more than a day, special dates", () => {
    assert.deepStrictEqual(windowOf(draftOf(valid(berlin))), berlin)
    for (const { draft } of presets("Asia/Kathmandu"))
      assert.isTrue(Result.isSuccess(RunWindow.validate(windowOf(draft))))
  })

  it("finds the field of each problem that the rules report", () => {
    const draft = draftOf(valid(berlin))
    const wrong = {
      ...draft,
      zone: "Mars/Base",
      week: draft.week.map((ranges, day) =>
        day === 2 ? [{ from: "", to: "12:00", isLong: false }, ...ranges.slice(1)] : ranges
      ),
      specials: draft.specials.map((special) => (special.isRecurring ? { ...special, rule: "FREQ=NEVER" } : special))
    }
    const checked = RunWindow.validate(windowOf(wrong))
    const issues = Result.isFailure(checked) ? checked.failure.issues : []
    const places = new Set(issues.map(({ path }) => placeOf(wrong, path)))
    for (const place of ["zone", "range 2 0", "special 1 rule"]) assert.isTrue(places.has(place), place)
  })

  it("lets a special date be open all day, up to the last minute that special hours may have", () => {
    const draft = draftOf(valid(berlin))
    const special = { isOpen: true, label: "", isRecurring: false, from: "2026-05-02", until: "", rule: "" }
    const open = { ...draft, specials: [{ ...special, isWholeDay: true, start: "09:00", end: "12:00" }] }
    const stored = valid(windowOf(open))
    assert.deepStrictEqual(stored.special_hours?.[0]?.active_end_time, { hours: 23, minutes: 59 })
    assert.deepStrictEqual(windowOf(draftOf(stored)), windowOf(open))
    assert.isTrue(draftOf(stored).specials[0]?.isWholeDay)
    const closed = {
      ...open,
      specials: [{ ...special, isOpen: false, isWholeDay: true, start: "09:00", end: "12:00" }]
    }
    assert.isUndefined(valid(windowOf(closed)).special_hours?.[0]?.active_start_time)
  })

  it("reads times as people type them, and leaves what is none", () => {
    assert.deepStrictEqual(["9", "930", "9.30", " 09:30 ", "24", "22h15", "25:99", "x", ""].map(clockFrom), [
      "09:00",
      "09:30",
      "09:30",
      "09:30",
      "00:00",
      "22:15",
      "25:99",
      "x",
      ""
    ])
  })

  it("takes no text for a time of day that only begins like one", () => {
    const draft = draftOf(valid(berlin))
    for (const from of ["00:0008:00", "9:5", "1e1:00", " 9:00", "-1:00", "09:00:00", ":30", "9:", ""]) {
      const typed = windowOf({ ...draft, week: [[{ from, to: "23:00", isLong: false }], [], [], [], [], [], []] })
      const checked = RunWindow.validate(typed)
      const issues = Result.isFailure(checked) ? checked.failure.issues : []
      assert.deepStrictEqual(
        [...new Set(issues.map(({ path }) => placeOf(draft, path)))],
        ["range 0 0"],
        `${from}: ${JSON.stringify(issues)}`
      )
    }
  })

  it("draws the days of a change of clocks with their hours, and openings by the clock on the wall", () => {
    const schedule = RunWindow.compile(valid({ time_zone: "Europe/Berlin", regular_hours: berlin.regular_hours }))
    const weeks = weeksOf(schedule, Date.parse("2026-03-25T12:00:00Z"), 2).flat()
    assert.deepStrictEqual(
      weeks.filter(({ hours }) => hours !== null).map(({ date, hours }) => [date, hours]),
      [["2026-03-29", 23]]
    )
    const autumn = weeksOf(schedule, Date.parse("2026-10-20T12:00:00Z"), 1).flat()
    assert.deepStrictEqual(autumn.at(-1), {
      date: "2026-10-25",
      dayOfMonth: 25,
      month: 10,
      open: [[0, 20 / 24]],
      hours: 25,
      isPast: false,
      isToday: false
    })
    const [monday, tuesday, wednesday] = weeks
    assert.deepStrictEqual(monday?.open, [[22 / 24, 1]])
    assert.deepStrictEqual(tuesday?.open, [[0, 6 / 24]])
    assert.deepStrictEqual(wednesday?.open, [
      [9 / 24, 12 / 24],
      [14 / 24, 1]
    ])
    // On the day that loses an hour, the wall shows 20:00 all the same.
    assert.deepStrictEqual(weeks.find(({ date }) => date === "2026-03-29")?.open, [[0, 20 / 24]])
  })

  it("says recurrences and what decides in words, with the next dates", () => {
    assert.deepStrictEqual(
      [
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR",
        "FREQ=MONTHLY;BYDAY=-1FR",
        "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25;COUNT=3",
        "nonsense"
      ].map(ruleWords),
      [
        "every 2 weeks on Monday and Friday",
        "every month on the last Friday",
        "every year on day 25 in December 3 times",
        null
      ]
    )
    assert.deepStrictEqual(nextDates("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31", "2026-02-10", 3), [
      "2026-02-28",
      "2026-03-31",
      "2026-04-30"
    ])
    assert.deepStrictEqual(nextDates("FREQ=NEVER", "", "2026-02-10", 3), [])
    const window = valid(berlin)
    assert.strictEqual(deciderWords(window, "regular_hours[0]", null), "Monday 22:00–06:00")
    assert.strictEqual(deciderWords(window, "special_hours[0]", "Christmas"), "Christmas")
    const whole = (from: number, to: number) => ({
      time_zone: "UTC",
      regular_hours: [
        {
          active_start_day: "MONDAY" as const,
          active_start_time: { hours: from },
          active_end_day: "TUESDAY" as const,
          active_end_time: { hours: to }
        }
      ]
    })
    assert.strictEqual(deciderWords(whole(9, 9), "regular_hours[0]", null), "Monday 09:00 until Tuesday 09:00")
    assert.strictEqual(deciderWords(whole(0, 0), "regular_hours[0]", null), "Monday 00:00–24:00")
  })
})

describe("the pace of a workflow", () => {
  it("is typed as whole numbers or nothing, and says what it means for the runs that wait", () => {
    const most = 10_000
    assert.deepStrictEqual(
      ["", " 30 ", "10000"].map((typed) => limitFrom(typed, most)),
      [null, 30, 10_000]
    )
    for (const typed of ["0", "10001", "-1", "1.5", "many", "1e3"]) {
      assert.include(String(limitFrom(typed, most)), "Expected a whole number from 1 to 10,000", typed)
    }
    const words = (count: number, limit: Parameters<typeof drainWords>[1], exact = true) =>
      drainWords({ count, exact }, limit)
    assert.strictEqual(words(4_000, 100), "Saving spreads the starts of 4,000 waiting runs over 40 min 9 s")
    assert.match(words(10_000, 100, false), /^Saving spreads the starts of 10,000\+ waiting runs over .* or more$/)
    assert.strictEqual(words(1, null), "Saving lets 1 waiting run start as soon as it may")
    assert.strictEqual(words(1, 5), "Saving lets 1 waiting run start as soon as it may")
    assert.include(words(0, 5), "No run waits now")
    assert.include(words(7, "wrong"), "cannot be read")
  })
})
