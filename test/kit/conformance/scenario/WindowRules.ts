/** Scenarios of what a run window may hold, where its problems are reported, and when it is open. */
import { always, expectGeneral, openIn, type Scenario, windowOf } from "../Scenario.ts"
import { expect, field, listOf, type Server } from "../Server.ts"

const day = 86_400_000

/** A date of the interface, at midnight UTC. */
const dateOf = (at: number) => {
  const date = new Date(at)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

const period = {
  active_start_day: "MONDAY",
  active_start_time: { hours: 9, minutes: 0 },
  active_end_day: "MONDAY",
  active_end_time: { hours: 17, minutes: 0 }
}

const christmas = { active: false, start_date: { year: 2026, month: 12, day: 25 } }

const yearly = { active: false, recurrence: "FREQ=YEARLY", recurrence_start: { year: 2026, month: 12, day: 25 } }

const opening = { ...christmas, active: true, active_start_time: { hours: 9 }, active_end_time: { hours: 17 } }

const withPeriod = (change: object) => ({ time_zone: "UTC", regular_hours: [{ ...period, ...change }] })

const withEntry = (entry: object) => ({ ...always, special_hours: [entry] })

const without = (value: object, name: string) => ({ ...value, [name]: undefined })

/** Windows with one problem each, and its path. */
const problems: ReadonlyArray<readonly [window: unknown, path: string]> = [
  [without(always, "time_zone"), "time_zone"],
  [{ ...always, time_zone: "+02:00" }, "time_zone"],
  [without(always, "regular_hours"), "regular_hours"],
  [{ ...always, regular_hours: [7] }, "regular_hours[0]"],
  ...Object.keys(period).map((name) => [withPeriod({ [name]: undefined }), `regular_hours[0].${name}`] as const),
  [withPeriod({ active_start_day: "monday" }), "regular_hours[0].active_start_day"],
  [withPeriod({ active_end_day: "WEDNESDAY" }), "regular_hours[0].active_end_day"],
  [withPeriod({ active_end_time: { hours: 9 } }), "regular_hours[0].active_end_time"],
  ...[{ hours: 24 }, { hours: -1 }, { hours: 1.5 }, { hours: 9, minutes: 60 }, { minutes: 30 }].map(
    (time) => [withPeriod({ active_start_time: time }), "regular_hours[0].active_start_time"] as const
  ),
  [{ ...always, special_hours: {} }, "special_hours"],
  [withEntry(without(christmas, "active")), "special_hours[0].active"],
  [withEntry({ ...christmas, label: 5 }), "special_hours[0].label"],
  ...[
    { year: 2026, month: 2, day: 30 },
    { year: 2026, month: 0, day: 1 },
    { year: 2026, month: 1 }
  ].map((start_date) => [withEntry({ active: false, start_date }), "special_hours[0].start_date"] as const),
  [withEntry({ ...christmas, end_date: { year: 2026, month: 12, day: 24 } }), "special_hours[0].end_date"],
  [withEntry({ active: false }), "special_hours[0]"],
  [withEntry({ ...christmas, ...yearly }), "special_hours[0]"],
  [withEntry(without(yearly, "recurrence_start")), "special_hours[0].recurrence_start"],
  [withEntry({ ...yearly, recurrence: "FREQ=HOURLY" }), "special_hours[0].recurrence"],
  [withEntry(without(opening, "active_start_time")), "special_hours[0].active_start_time"],
  [withEntry(without(opening, "active_end_time")), "special_hours[0].active_end_time"],
  [withEntry({ ...opening, active_end_time: { hours: 9 } }), "special_hours[0].active_end_time"]
]

const stateAfter = async (server: Server, id: string, json: unknown) =>
  field(await server.expect(200, "PUT", windowOf(id), { json }), "state")

const expectNext = (state: unknown, at: number): void => {
  expect(field(state, "open") === false, "state.open to be false", state)
  const next = String(field(state, "nextOpenAt"))
  expect(Date.parse(next) === at, `nextOpenAt ${new Date(at).toISOString()}`, next)
}

/** The next last Sunday of a month that is at least two days away, when clocks in Berlin change, at midnight UTC. */
const changeIn = (server: Server, month: number): number => {
  const lastSunday = (year: number) => {
    const last = Date.UTC(year, month, 0)
    return last - new Date(last).getUTCDay() * day
  }
  const year = new Date(server.now()).getUTCFullYear()
  const at = lastSunday(year)
  return at > server.now() + 2 * day ? at : lastSunday(year + 1)
}

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "window-paths",
    section: "RunWindowIssue",
    promise: "Each problem of a window is reported at the field that has it, and no other field is",
    run: async (server) => {
      const id = await server.workflow()
      for (const [json, path] of problems) {
        const refused = await server.expect(400, "PUT", windowOf(id), { json })
        expect(field(refused, "error") === "InvalidRunWindow", 'error "InvalidRunWindow"', { json, refused })
        const paths = listOf(field(refused, "errors"), "errors").map((one) => field(one, "path"))
        expect(paths.length === 1 && paths[0] === path, `one error, at ${path}`, { json, paths })
      }
    }
  },
  {
    name: "window-malformed",
    section: "Errors",
    promise: "A body that is not JSON is refused as an invalid window",
    run: async (server) => {
      const refused = await server.expect(400, "PUT", windowOf(await server.workflow()), { text: '{"time_zone":' })
      expect(field(refused, "statusCode") === 400, "statusCode 400", refused)
      expect(field(refused, "error") === "InvalidRunWindow", 'error "InvalidRunWindow"', refused)
      expect(listOf(field(refused, "errors"), "errors").length > 0, "an error", refused)
    }
  },
  {
    name: "window-stored",
    section: "SpecialHours",
    promise: "Special hours are stored with their labels and rules, and minutes that are left out are 0",
    run: async (server) => {
      const id = await server.workflow()
      const special_hours = [{ ...yearly, label: "Christmas" }]
      await server.expect(200, "PUT", windowOf(id), { json: { ...always, special_hours } })
      const read = field(await server.expect(200, "GET", windowOf(id)), "run_window")
      const [entry] = listOf(field(read, "special_hours"), "special_hours")
      expect(field(entry, "label") === "Christmas", "the label", entry)
      expect(field(entry, "recurrence") === yearly.recurrence, "the rule", entry)
      expect(field(field(entry, "recurrence_start"), "day") === 25, "recurrence_start", entry)
      expect(field(entry, "active") === false, "active", entry)
      const at = Math.floor(server.now() / day) * day + 100 * day
      const [open] = openIn(server, 100).special_hours
      const state = await stateAfter(server, id, {
        ...openIn(server, 100),
        special_hours: [{ ...open, active_start_time: { hours: 9 } }]
      })
      expectNext(state, at + 9 * 3_600_000)
    }
  },
  {
    name: "window-shifts",
    section: "RegularPeriod",
    promise: "Several periods may share a day",
    run: async (server) => {
      const noon = { hours: 12, minutes: 0 }
      const regular_hours = always.regular_hours.flatMap((one) => [
        { ...one, active_end_day: one.active_start_day, active_end_time: noon },
        { ...one, active_start_time: noon }
      ])
      const state = await stateAfter(server, await server.workflow(), { ...always, regular_hours })
      expect(field(state, "open") === true, "state.open to be true in two shifts of each day", state)
    }
  },
  {
    name: "window-precedence",
    section: "RunWindow",
    promise: "Dated entries decide before recurring ones, these before the weekly hours, and a closing closes its date",
    run: async (server) => {
      const id = await server.workflow()
      const today = Math.floor(server.now() / day) * day
      const daily = { recurrence: "FREQ=DAILY", recurrence_start: dateOf(today - 30 * day) }
      const hours = { active_start_time: { hours: 9 }, active_end_time: { hours: 17 } }
      const closed = { active: false, start_date: dateOf(today - day), end_date: dateOf(today + 2 * day) }
      const opened = { active: true, start_date: dateOf(today + 3 * day), ...hours }
      // It is closed from yesterday until the day after tomorrow: also when midnight passes meanwhile.
      const overWeekly = await stateAfter(server, id, { ...always, special_hours: [closed] })
      expectNext(overWeekly, today + 3 * day)
      const overRecurring = await stateAfter(server, id, {
        ...always,
        special_hours: [{ active: true, ...daily, ...hours }, closed]
      })
      expectNext(overRecurring, today + 3 * day + 9 * 3_600_000)
      const recurring = { active: false, ...daily }
      const recurringOverWeekly = await stateAfter(server, id, { ...always, special_hours: [recurring] })
      expect(field(recurringOverWeekly, "open") === false, "a daily closing to close", recurringOverWeekly)
      expect(field(recurringOverWeekly, "nextOpenAt") === null, "nextOpenAt null", recurringOverWeekly)
      const datedOverRecurring = await stateAfter(server, id, { ...always, special_hours: [recurring, opened] })
      expectNext(datedOverRecurring, today + 3 * day + 9 * 3_600_000)
    }
  },
  {
    name: "window-one-date",
    section: "SpecialHours",
    promise: "A dated entry without end_date is about one date",
    run: async (server) => {
      const today = Math.floor(server.now() / day) * day
      // Two entries of one date each: the answer is the same when midnight passes meanwhile.
      const special_hours = [0, 1].map((after) => ({ active: false, start_date: dateOf(today + after * day) }))
      expectNext(await stateAfter(server, await server.workflow(), { ...always, special_hours }), today + 2 * day)
    }
  },
  {
    name: "recurrence-start",
    section: "SpecialHours",
    promise: "A recurring entry applies to no date before recurrence_start",
    run: async (server) => {
      const at = Math.floor(server.now() / day) * day + 100 * day
      const hours = { active_start_time: { hours: 9 }, active_end_time: { hours: 17 } }
      const daily = { active: true, recurrence: "FREQ=DAILY", recurrence_start: dateOf(at), ...hours }
      const json = { time_zone: "UTC", regular_hours: [], special_hours: [daily] }
      expectNext(await stateAfter(server, await server.workflow(), json), at + 9 * 3_600_000)
    }
  },
  {
    name: "recurrence-frequencies",
    section: "SpecialHours",
    promise: "The frequencies DAILY, WEEKLY, MONTHLY and YEARLY are accepted, and others are refused at recurrence",
    run: async (server) => {
      const id = await server.workflow()
      const withRule = (recurrence: string) => withEntry({ ...yearly, recurrence })
      for (const frequency of ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]) {
        await server.expect(200, "PUT", windowOf(id), { json: withRule(`FREQ=${frequency}`) })
      }
      for (const frequency of ["SECONDLY", "MINUTELY", "HOURLY"]) {
        const refused = await server.expect(400, "PUT", windowOf(id), { json: withRule(`FREQ=${frequency}`) })
        const paths = listOf(field(refused, "errors"), "errors").map((one) => String(field(one, "path")))
        expect(paths.length === 1 && paths[0]?.endsWith("recurrence") === true, "one error, at recurrence", paths)
      }
    }
  },
  {
    name: "window-replaced",
    section: "PUT /workflows/{workflow_id}/run-window",
    promise: "A window replaces the former one as a whole",
    run: async (server) => {
      const id = await server.workflow()
      await server.expect(200, "PUT", windowOf(id), { json: withEntry(christmas) })
      const { regular_hours } = withPeriod({})
      await server.expect(200, "PUT", windowOf(id), { json: { time_zone: "Europe/Berlin", regular_hours } })
      const read = field(await server.expect(200, "GET", windowOf(id)), "run_window")
      expect(field(read, "time_zone") === "Europe/Berlin", "the new time_zone", read)
      expect(listOf(field(read, "regular_hours"), "regular_hours").length === 1, "the new regular_hours", read)
      const kept = field(read, "special_hours")
      expect(kept === undefined || listOf(kept, "special_hours").length === 0, "no former special_hours", read)
    }
  },
  {
    name: "window-zone",
    section: "RunWindow",
    promise: "Hours are those of the time zone, in summer and in winter",
    run: async (server) => {
      const id = await server.workflow()
      for (const [month, offset] of [
        [1, 1],
        [7, 2]
      ] as const) {
        const year = new Date(server.now()).getUTCFullYear()
        const coming = [year, year + 1, year + 2].find((one) => Date.UTC(one, month - 1, 15) > server.now() + 2 * day)
        const entry = { ...opening, start_date: { year: coming, month, day: 15 } }
        const json = { time_zone: "Europe/Berlin", regular_hours: [], special_hours: [entry] }
        expectNext(await stateAfter(server, id, json), Date.UTC(coming ?? year, month - 1, 15, 9 - offset))
      }
    }
  },
  {
    name: "window-clock-changes",
    section: "RunWindow",
    promise:
      "When clocks change, hours before and after have their own offsets, skipped hours do not open, repeated ones do",
    run: async (server) => {
      const id = await server.workflow()
      const expectOpening = async (date: number, [from, to]: readonly [string, string], at: number | null) => {
        const timeOf = (text: string) => ({ hours: Number(text.slice(0, 2)), minutes: Number(text.slice(3)) })
        const hours = { active_start_time: timeOf(from), active_end_time: timeOf(to) }
        const special_hours = [{ active: true, start_date: dateOf(date), ...hours }]
        const state = await stateAfter(server, id, { time_zone: "Europe/Berlin", regular_hours: [], special_hours })
        if (at !== null) expectNext(state, date + at * 60_000)
        else expect(field(state, "nextOpenAt") === null, `no opening from ${from} to ${to}`, state)
      }
      // Clocks go from 02:00 to 03:00.
      const spring = changeIn(server, 3)
      await expectOpening(spring, ["01:00", "01:30"], 0)
      await expectOpening(spring, ["03:00", "04:00"], 60)
      await expectOpening(spring, ["02:30", "04:00"], 60)
      await expectOpening(spring, ["02:15", "02:45"], null)
      // Clocks go from 03:00 to 02:00.
      const autumn = changeIn(server, 10)
      await expectOpening(autumn, ["01:00", "01:30"], -60)
      await expectOpening(autumn, ["02:30", "02:45"], 30)
      await expectOpening(autumn, ["03:00", "04:00"], 120)
    }
  },
  {
    name: "window-read-and-deleted",
    section: "RunWindowResponse",
    promise: "A workflow without a window has null for the window and for its state, also after a deletion",
    run: async (server) => {
      const id = await server.workflow()
      const expectNone = (body: unknown) => {
        expect(field(body, "run_window") === null && field(body, "state") === null, "run_window and state null", body)
      }
      expectNone(await server.expect(200, "GET", windowOf(id)))
      await server.expect(200, "PUT", windowOf(id), { json: always })
      expectNone(await server.expect(200, "DELETE", windowOf(id)))
      expectNone(await server.expect(200, "GET", windowOf(id)))
    }
  },
  {
    name: "window-travels",
    section: "Workflow",
    promise: "Exports hold the window; create, import and fork take it, and refuse an invalid one",
    run: async (server) => {
      const id = await server.workflow({ run_window: always })
      const bundle = await server.expect(200, "GET", `/workflows/${id}/export`)
      expect(JSON.stringify(bundle).includes('"regular_hours"'), "a window in the export", bundle)
      const made = async (path: string, json: unknown) => {
        const { body, status } = await server.send("POST", path, { json })
        expect(status === 200 || status === 201, `POST ${path} to answer 200 or 201`, { status, body })
        const other = String(field(body, "id") ?? field(body, "workflow_id"))
        server.later(() => server.send("DELETE", `/workflows/${other}`))
        return field(await server.expect(200, "GET", windowOf(other)), "run_window")
      }
      const imported = await made("/workflows/import", bundle)
      expect(field(imported, "time_zone") === "UTC", "the window of the bundle", imported)
      const other = { ...always, time_zone: "Asia/Tokyo" }
      const forked = await made(`/workflows/${id}/fork`, { run_window: other })
      expect(field(forked, "time_zone") === other.time_zone, "the window that the fork was given", forked)
      const invalid = { ...always, time_zone: "Mars/Base" }
      const refused = await server.expect(400, "POST", `/workflows/${id}/fork`, { json: { run_window: invalid } })
      expect(field(refused, "statusCode") === 400, "statusCode 400", refused)
    }
  },
  {
    name: "window-endpoint-errors",
    section: "Errors",
    promise: "Without a key the window endpoint is 401, and for an unknown workflow 404, also to read and to delete",
    run: async (server) => {
      const id = await server.workflow()
      expectGeneral(await server.expect(401, "PUT", windowOf(id), { json: always, key: null }), 401)
      const absent = windowOf("00000000-0000-4000-8000-00000000ffff")
      expectGeneral(await server.expect(404, "GET", absent), 404)
      expectGeneral(await server.expect(404, "DELETE", absent), 404)
    }
  }
]
