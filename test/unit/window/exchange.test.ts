import { assert, describe, it } from "@effect/vitest"
import { Temporal } from "@js-temporal/polyfill"
import { Result } from "effect"
import * as ICalendar from "../../../core/window/exchange/ICalendar.ts"
import * as WindowTemporal from "../../../core/window/exchange/WindowTemporal.ts"
import { toText } from "../../../core/window/exchange/WindowText.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import { isOpen as slowlyOpen } from "../../kit/windows/ReferenceWindow.ts"
import * as Testing from "../../kit/windows/WindowGenerators.ts"

const options = (runs: number) => ({ arbitrary: { runs, size: 20 } })
const valid = (window: unknown) => Result.getOrThrow(RunWindow.validate(window)).window
const day = 86_400_000
const names = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]

const period = (from: number, to: number, start = "MONDAY", end = start) => ({
  active_start_day: start,
  active_start_time: { hours: from },
  active_end_day: end,
  active_end_time: { hours: to }
})

const withSpecial = (...special_hours: ReadonlyArray<object>) =>
  valid({ time_zone: "Europe/Berlin", regular_hours: [period(9, 17)], special_hours })

describe("the openings between two instants", () => {
  it.prop(
    "hold exactly the instants at which the slow reference is open",
    [Testing.runWindow, Testing.instant],
    ([window, at]) => {
      const [from, to] = [at - 3 * day, at + 3 * day]
      const found = RunWindow.between(RunWindow.compile(valid(window)), from, to)
      for (let asked = from; asked < to; asked += 47 * 60_000) {
        const held = found.some(({ closesAt, opensAt }) => opensAt <= asked && asked < closesAt)
        assert.strictEqual(held, slowlyOpen(window, asked), new Date(asked).toISOString())
      }
      for (const [index, { closesAt, opensAt }] of found.entries()) {
        assert.isTrue(from <= opensAt && opensAt < closesAt && closesAt <= to)
        assert.isBelow(found[index - 1]?.closesAt ?? 0, opensAt, "two of them do not touch")
      }
    },
    options(80)
  )

  it("are none where the end is not after the beginning", () => {
    const schedule = RunWindow.compile(withSpecial())
    const open = Date.parse("2026-01-12T09:00:00Z")
    assert.deepStrictEqual(RunWindow.between(schedule, open, open), [])
    assert.deepStrictEqual(RunWindow.between(schedule, open, open + 1), [{ opensAt: open, closesAt: open + 1 }])
    assert.throws(() => RunWindow.between(schedule, Number.NaN, open), /RunWindow\.between takes an instant/)
  })
})

/** Reads the text of weekly hours back. */
const weeklyOf = (text: string): RunWindow.RunWindow["regular_hours"] =>
  text.split(", ").flatMap((part) => {
    const [, days = "", from = "", to = "", next] = /^(.*) (\d\d:\d\d)–(\d\d:\d\d)( of the next day)?$/.exec(part) ?? []
    const time = (clock: string) => ({ hours: Number(clock.slice(0, 2)) % 24, minutes: Number(clock.slice(3)) })
    const index = (name: string) => names.findIndex((one) => one.startsWith(name.toUpperCase()))
    const starts = (days === "daily" ? "Mon–Sun" : days).split(" ").flatMap((range) => {
      const [first = "", last = first] = range.split("–")
      return Array.from({ length: index(last) - index(first) + 1 }, (_, offset) => index(first) + offset)
    })
    const overnight = next !== undefined || to <= from || to === "24:00"
    return starts.map((start) => ({
      active_start_day: names[start] as "MONDAY",
      active_start_time: time(from),
      active_end_day: names[(start + (overnight ? 1 : 0)) % 7] as "MONDAY",
      active_end_time: time(to)
    }))
  })

describe("the text of a window", () => {
  it.prop(
    "says its weekly hours: read back, they open at the same instants",
    [Testing.runWindow, Testing.instant],
    ([{ regular_hours, time_zone }, at]) => {
      if (regular_hours.length === 0) return
      const schedule = RunWindow.compile(valid({ time_zone, regular_hours }))
      const read = valid({ time_zone, regular_hours: weeklyOf(toText(schedule.window)) })
      assert.deepStrictEqual(
        RunWindow.between(RunWindow.compile(read), at, at + 14 * day),
        RunWindow.between(schedule, at, at + 14 * day)
      )
    },
    options(100)
  )

  it.prop(
    "has a part for each special entry, and no part that is empty",
    [Testing.runWindow],
    ([window]) => {
      const text = toText(valid(window))
      const entries = window.special_hours ?? []
      assert.strictEqual(text.split(/closed |\d\d:\d\d–/).length > entries.length, true, text)
      assert.notMatch(text, /undefined|null|NaN| {2}|, ,|on no date|,$/)
    },
    options(200)
  )

  const christmas = { active: false, recurrence_start: { year: 2026, month: 1, day: 1 } }
  const hours = { active: true, active_start_time: { hours: 9 }, active_end_time: { hours: 12, minutes: 30 } }
  it.each([
    [{ ...christmas, recurrence: "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25,26" }, "closed on 25 December and 26 December"],
    [{ ...christmas, recurrence: "FREQ=YEARLY" }, "closed on 1 January"],
    [{ ...christmas, recurrence: "FREQ=WEEKLY;INTERVAL=2" }, "closed every 2 weeks on Thursday from 1 January 2026"],
    [
      { ...hours, recurrence_start: christmas.recurrence_start, recurrence: "FREQ=MONTHLY;BYDAY=2TU,-1FR" },
      "09:00–12:30 every month on the 2nd Tuesday and the last Friday"
    ],
    [
      { ...christmas, recurrence: "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;UNTIL=20271231" },
      "closed every month on Monday, Tuesday, Wednesday, Thursday and Friday, of these the last until 31 December 2027"
    ],
    [{ ...christmas, recurrence: "FREQ=DAILY;COUNT=3" }, "closed every day from 1 January 2026, 3 times"],
    [
      { ...hours, label: "Stocktaking", start_date: { year: 2026, month: 12, day: 30 } },
      "09:00–12:30 on 30 December 2026 (Stocktaking)"
    ],
    [
      { active: false, start_date: { year: 2026, month: 12, day: 24 }, end_date: { year: 2027, month: 1, day: 1 } },
      "closed from 24 December 2026 to 1 January 2027"
    ]
  ])("of special hours: %j", (entry, expected) => {
    assert.strictEqual(toText(withSpecial(entry)), `Mon 09:00–17:00, ${expected}`)
  })

  it("ends hours at midnight at 24:00", () => {
    const window = { time_zone: "UTC", regular_hours: [period(18, 0, "FRIDAY", "SATURDAY")] }
    assert.strictEqual(toText(valid(window)), "Fri 18:00–24:00")
  })
})

describe("the words of a window", () => {
  const said = (special: object, now?: number) =>
    toText(withSpecial({ active: false, recurrence_start: { year: 2030, month: 1, day: 7 }, ...special }), {
      ...(now === undefined ? {} : { now })
    }).replace("Mon 09:00–17:00, ", "")

  it("say a month without a day, a week by its number, and a beginning that is to come", () => {
    assert.strictEqual(said({ recurrence: "FREQ=DAILY;BYMONTH=1" }), "closed every day in January")
    assert.match(said({ recurrence: "FREQ=YEARLY;BYWEEKNO=53" }), /in week 53$/)
    const weekly = { recurrence: "FREQ=WEEKLY;BYDAY=MO" }
    assert.strictEqual(said(weekly), "closed every week on Monday")
    assert.strictEqual(
      said(weekly, Date.parse("2026-11-27T00:00:00Z")),
      "closed every week on Monday from 7 January 2030"
    )
    assert.strictEqual(said(weekly, Date.parse("2031-01-01T00:00:00Z")), "closed every week on Monday")
  })

  it("say that a period of a whole day ends on the next one", () => {
    const whole = valid({
      time_zone: "UTC",
      regular_hours: [period(9, 9, "MONDAY", "TUESDAY"), period(0, 0, "WEDNESDAY", "THURSDAY")]
    })
    assert.strictEqual(toText(whole), "Mon 09:00–09:00 of the next day, Wed 00:00–24:00")
  })
})

const calendar = (...lines: ReadonlyArray<string>) =>
  ["BEGIN:VCALENDAR", "BEGIN:VEVENT", ...lines, "END:VEVENT", "END:VCALENDAR"].join("\r\n")

describe("the calendar of a window", () => {
  it.prop(
    "is read back as a window that opens at the same instants",
    [Testing.runWindow, Testing.instant],
    ([window, at]) => {
      const written = ICalendar.write(valid(window))
      for (const line of written.split("\r\n")) assert.isAtMost(new TextEncoder().encode(line).length, 75)
      const read = Result.getOrThrow(ICalendar.read(written))
      assert.deepStrictEqual(
        RunWindow.between(RunWindow.compile(read), at - 5 * day, at + 20 * day),
        RunWindow.between(RunWindow.compile(valid(window)), at - 5 * day, at + 20 * day)
      )
    },
    options(150)
  )

  it("takes what calendars of people say", () => {
    const read = ICalendar.read(
      calendar(
        "SUMMARY:Night shift\\, all welcome and a text that is so long that a calendar folds it",
        "  twice",
        'DTSTART;TZID="America/New_York":20260105T220000',
        "DTEND;TZID=America/New_York:20260106T060000",
        "RRULE:FREQ=WEEKLY;WKST=SU;BYDAY=MO,SU",
        "BEGIN:VALARM",
        "TRIGGER:-PT10M",
        "END:VALARM",
        "END:VEVENT",
        "BEGIN:VEVENT",
        "SUMMARY:Stocktaking\\; closed",
        "DTSTART;VALUE=DATE:20261224",
        "DTEND;VALUE=DATE:20261227"
      )
    )
    assert.deepStrictEqual(Result.getOrThrow(read), {
      time_zone: "America/New_York",
      regular_hours: [
        {
          active_start_day: "MONDAY",
          active_start_time: { hours: 22, minutes: 0 },
          active_end_day: "TUESDAY",
          active_end_time: { hours: 6, minutes: 0 }
        },
        {
          active_start_day: "SUNDAY",
          active_start_time: { hours: 22, minutes: 0 },
          active_end_day: "MONDAY",
          active_end_time: { hours: 6, minutes: 0 }
        }
      ],
      special_hours: [
        {
          active: false,
          label: "Stocktaking; closed",
          start_date: { year: 2026, month: 12, day: 24 },
          end_date: { year: 2026, month: 12, day: 26 }
        }
      ]
    } as never)
  })

  it("has no event for a rule without a date", () => {
    const never = {
      recurrence: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
      recurrence_start: { year: 2026, month: 1, day: 1 }
    }
    const written = ICalendar.write(withSpecial({ active: false, ...never }))
    assert.strictEqual(written.split("BEGIN:VEVENT").length, 2)
  })

  const begin = "DTSTART;TZID=Europe/Berlin:20260105T090000"
  const end = "DTEND;TZID=Europe/Berlin:20260105T170000"
  const wholeDay = "DTSTART;VALUE=DATE:20261224"
  it.each([
    [["not a line", begin, end], 3, /NAME:VALUE/],
    [[begin, end, "EXRULE:FREQ=DAILY"], 5, /EXRULE is not supported/],
    [[begin, end, "RECURRENCE-ID;RANGE=THISANDFUTURE:20260105T090000"], 5, /RANGE is not supported/],
    [[begin, "DURATION:PT1H30S"], 4, /DURATION in whole minutes/],
    [[begin], 2, /Expected DTEND with a time/],
    [[begin.replace("0000", "0030"), end], 3, /whole minute/],
    [["DTSTART:20260105T090000", "DTEND:20260105T170000"], 3, /TZID/],
    [[begin, "DTEND;TZID=Europe/Paris:20260105T170000", "RRULE:FREQ=DAILY;COUNT=2"], 4, /zone Europe\/Berlin/],
    [[begin, end, "RRULE:FREQ=HOURLY"], 2, /FREQ=HOURLY is not supported/],
    [[begin, "DTEND;TZID=Europe/Berlin:20260106T170000"], 4, /same day/],
    [[begin, "DTEND;TZID=Europe/Berlin:20260105T080000"], 2, /after 09:00/],
    [[begin.replaceAll("Berlin", "Atlantis"), end.replaceAll("Berlin", "Atlantis")], 3, /not known/],
    [["DTSTART:20260231", end], 3, /Expected DTSTART with a date/],
    [["SUMMARY:Nothing"], 2, /Expected DTSTART/],
    [[wholeDay, "DTEND;VALUE=DATE:20261227", "RRULE:FREQ=YEARLY"], 4, /the event recurs, got 3 days/],
    [[wholeDay, "DTEND;VALUE=DATE:20261224"], 4, /DTEND with a date after that of DTSTART/],
    [[wholeDay, "DTEND;TZID=Europe/Berlin:20261226T100000"], 4, /DTEND with a date after that of DTSTART/]
  ])("is refused where a window cannot say it, with the line: %j", (lines, line, message) => {
    const refused = ICalendar.read(calendar(...lines))
    if (Result.isSuccess(refused)) return assert.fail("It was accepted")
    assert.deepStrictEqual(refused.failure.problems.map((one) => one.line).slice(0, 1), [line])
    assert.match(refused.failure.message, message)
  })

  it.each(["", "BEGIN:VEVENT", "BEGIN:VCALENDAR\nBEGIN:VTODO\nEND:VTODO\nEND:VCALENDAR", "x".repeat(2_000_000)])(
    "that is none is refused",
    (text) => assert.isTrue(Result.isFailure(ICalendar.read(text)))
  )
})

describe("windows with Temporal", () => {
  it("answer as with milliseconds, in the zone of the window", () => {
    const schedule = RunWindow.compile(withSpecial())
    const at = Temporal.Instant.from("2026-01-12T09:00:00Z")
    assert.isTrue(WindowTemporal.isOpen(schedule, at))
    assert.deepStrictEqual(WindowTemporal.state(schedule, at), { open: true, nextOpenAt: null })
    assert.strictEqual(
      String(WindowTemporal.opening(schedule, at)?.closesAt),
      "2026-01-12T17:00:00+01:00[Europe/Berlin]"
    )
    const [first] = WindowTemporal.between(schedule, at, at.add({ hours: 24 }))
    assert.strictEqual(String(first?.closesAt.toPlainTime()), "17:00:00")
  })
})
