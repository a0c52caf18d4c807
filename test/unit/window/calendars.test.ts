import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ICalendar from "../../../core/window/exchange/ICalendar.ts"
import { toText } from "../../../core/window/exchange/WindowText.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"

/** A calendar as a program writes it, by its documentation. */
const fileOf = (program: string) =>
  readFileSync(fileURLToPath(new URL(`data/calendars/${program}.ics`, import.meta.url)), "utf8")

const read = (text: string) => Result.getOrThrow(ICalendar.read(text))

/** When a window is open on a date, by its local clocks in hours. */
const hoursOn = (window: RunWindow.ValidRunWindow, date: string, offset: string): string => {
  const midnight = Date.parse(`${date}T00:00:00${offset}`)
  return RunWindow.between(RunWindow.compile(window), midnight, midnight + 86_400_000)
    .map(({ closesAt, opensAt }) => `${(opensAt - midnight) / 3_600_000}-${(closesAt - midnight) / 3_600_000}`)
    .join(" ")
}

const hoursOf = (window: RunWindow.ValidRunWindow, offset: string, dates: Readonly<Record<string, string>>) => {
  for (const [date, hours] of Object.entries(dates)) assert.strictEqual(hoursOn(window, date, offset), hours, date)
}

describe("the calendar of a program", () => {
  it("Outlook: names of Windows, exceptions, moved and cancelled events, a long subject", () => {
    const window = read(fileOf("outlook"))
    assert.strictEqual(window.time_zone, "Europe/Berlin")
    hoursOf(window, "+01:00", {
      "2026-01-09": "9-17",
      "2026-01-12": "",
      "2026-01-13": "10-12",
      "2026-01-14": "9-17",
      "2026-01-17": ""
    })
  })

  it("Google: a series that was split, single events in UTC beside weekly hours, one that begins in 2030", () => {
    const window = read(fileOf("google"))
    hoursOf(window, "+01:00", {
      "2026-01-07": "9-17",
      "2026-01-14": "9-17 18.5-20",
      "2026-01-15": "9-17",
      "2026-01-16": "",
      "2026-01-17": "",
      "2029-12-29": "",
      "2030-01-12": "10-12"
    })
  })

  it("Apple: nights until midnight with an exception", () => {
    const window = read(fileOf("apple"))
    assert.strictEqual(window.time_zone, "America/New_York")
    hoursOf(window, "-05:00", { "2026-01-12": "18-24", "2026-01-14": "", "2026-01-15": "", "2026-01-21": "18-24" })
  })

  it("Thunderbird: durations, a path before the zone, tasks, a local UNTIL", () => {
    const window = read(fileOf("thunderbird"))
    assert.strictEqual(window.time_zone, "Europe/Paris")
    hoursOf(window, "+01:00", {
      "2026-01-27": "9-12.5",
      "2026-01-29": "9-12.5 18-19",
      "2026-01-30": "18-19",
      "2026-01-31": "",
      "2026-02-03": "9-12.5"
    })
  })

  it("Nextcloud: a rule beside weekly hours, lone CR, and one event that is named and left out when asked", () => {
    const refused = ICalendar.read(fileOf("nextcloud"))
    if (Result.isSuccess(refused)) return assert.fail("It was accepted")
    const named = [{ line: 40, message: "Expected an end on the same day: special hours end before midnight" }]
    assert.deepStrictEqual([...refused.failure.problems], named)
    const { leftOut, window } = Result.getOrThrow(ICalendar.readPart(fileOf("nextcloud")))
    assert.deepStrictEqual([...leftOut], named)
    hoursOf(window, "+01:00", {
      "2026-01-20": "8-12",
      "2026-01-23": "8-12",
      "2026-01-30": "8-12 14-18",
      "2026-02-27": "8-12 14-18"
    })
  })

  it("is written and read back with the same openings", () => {
    for (const program of ["outlook", "google", "apple", "thunderbird"]) {
      const window = read(fileOf(program))
      assert.strictEqual(toText(read(ICalendar.write(window))), toText(window), program)
    }
  })
})

describe("a calendar", () => {
  const calendar = (...events: ReadonlyArray<string>) =>
    [
      "BEGIN:VCALENDAR",
      ...events.flatMap((event) => ["BEGIN:VEVENT", "DTSTAMP:20260105T080000Z", ...event.split("|"), "END:VEVENT"]),
      "END:VCALENDAR"
    ].join("\r\n")
  const event = (start: string, end: string, ...more: ReadonlyArray<string>) =>
    [`DTSTART;TZID=Europe/Berlin:${start}`, `DTEND;TZID=Europe/Berlin:${end}`, ...more].join("|")
  const weekdays = "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"

  it("adds events up that a window would let replace each other", () => {
    const window = read(
      calendar(
        event("20260101T090000", "20260101T120000", weekdays),
        event("20260101T110000", "20260101T170000", "RRULE:FREQ=WEEKLY;BYDAY=TU"),
        event("20260113T180000", "20260113T190000"),
        event("20260114T100000", "20260114T110000")
      )
    )
    hoursOf(window, "+01:00", { "2026-01-13": "9-17 18-19", "2026-01-14": "9-12", "2026-01-20": "9-17" })
  })

  it("keeps the end of a night on a date that has its own hours", () => {
    const window = read(
      calendar(
        event("20251229T220000", "20251230T060000", "RRULE:FREQ=WEEKLY;BYDAY=MO"),
        event("20260113T180000", "20260113T190000")
      )
    )
    hoursOf(window, "+01:00", { "2026-01-12": "22-24", "2026-01-13": "0-6 18-19", "2026-01-20": "0-6" })
  })

  it.each([
    [
      [
        event("20251229T220000", "20251230T060000", "RRULE:FREQ=WEEKLY;BYDAY=MO"),
        event("20260112T100000", "20260112T110000")
      ],
      /20260112 other hours go on until midnight/
    ],
    [
      [
        event("20251229T090000", "20251229T120000", weekdays),
        event("20260106T180000", "20260106T190000", "RRULE:FREQ=DAILY;INTERVAL=3")
      ],
      /dates with other weekly hours/
    ],
    [
      [
        event("20251229T090000", "20251229T120000", weekdays),
        "DTSTART;TZID=Asia/Tokyo:20251229T090000|DTEND;TZID=Asia/Tokyo:20251229T100000|RRULE:FREQ=WEEKLY"
      ],
      /recur in one zone, Europe\/Berlin, got Asia\/Tokyo/
    ]
  ])("names an event that would change the meaning of others, and takes the rest: %#", (events, message) => {
    const refused = ICalendar.read(calendar(...events))
    if (Result.isSuccess(refused)) return assert.fail("It was accepted")
    assert.match(refused.failure.message, message)
    const { leftOut, window } = Result.getOrThrow(ICalendar.readPart(calendar(...events)))
    assert.lengthOf(leftOut, 1)
    assert.isAbove(window.regular_hours.length, 0)
  })

  it.each([
    ["W. Europe Standard Time", "Europe/Berlin"],
    ["pacific standard time", "America/Los_Angeles"],
    ["/freeassociation.sourceforge.net/Tzfile/Asia/Kolkata", "Asia/Kolkata"],
    ["(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna", "Europe/Amsterdam"],
    ["America/Argentina/Ushuaia", "America/Argentina/Ushuaia"]
  ])("reads the zone %s as %s", (name, zone) => {
    const lines = [`DTSTART;TZID="${name}":20260101T090000`, `DTEND;TZID="${name}":20260101T100000`, weekdays]
    assert.strictEqual(read(calendar(lines.join("|"))).time_zone, zone)
  })

  it("without a known zone is refused at the line of the event", () => {
    const lines = ["DTSTART;TZID=Customized Time Zone:20260101T090000", "DURATION:PT1H"]
    const refused = ICalendar.read(calendar(lines.join("|")))
    assert.match(
      Result.isFailure(refused) ? refused.failure.message : "",
      /line 4: The time zone "Customized Time Zone"/
    )
  })

  it("opens from its first date on where nothing says when it was written", () => {
    const weekly = (start: string, rule: string) =>
      event(`${start}T090000`, `${start}T170000`, `RRULE:FREQ=WEEKLY${rule}`)
    const read = (...events: ReadonlyArray<string>) =>
      Result.getOrThrow(ICalendar.read(calendar(...events).replaceAll(/DTSTAMP:.*\r\n/g, "")))
    hoursOf(read(weekly("20300107", "")), "+01:00", { "2026-01-12": "", "2029-12-31": "", "2030-01-07": "9-17" })
    const both = read(
      weekly("20260105", ";BYDAY=MO,TU,WE,TH,FR"),
      event("20260113T180000", "20260113T190000"),
      event("20260106T120000", "20260106T200000", "RRULE:FREQ=WEEKLY"),
      weekly("20300105", ";BYDAY=SA")
    )
    hoursOf(both, "+01:00", {
      "2026-01-02": "",
      "2026-01-09": "9-17",
      "2026-01-10": "",
      "2026-01-13": "9-20",
      "2030-01-04": "9-17",
      "2030-01-05": "9-17"
    })
  })

  it("opens from the instant that is asked for: what has ended is passed over", () => {
    const text = calendar(
      event("20240101T080000", "20240101T160000", "RRULE:FREQ=WEEKLY;UNTIL=20241231T235959;BYDAY=MO"),
      event("20250106T090000", "20250106T170000", "RRULE:FREQ=WEEKLY;BYDAY=MO")
    )
    hoursOf(read(text), "+01:00", { "2026-01-12": "9-17" })
    const before = Result.getOrThrow(ICalendar.read(text, { now: Date.parse("2024-02-01T00:00:00Z") }))
    hoursOf(before, "+01:00", { "2024-02-05": "8-16", "2024-12-30": "8-16", "2025-01-06": "9-17" })
  })
})
