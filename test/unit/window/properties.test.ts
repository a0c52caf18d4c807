import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import { isOpen as slowlyOpen } from "../../kit/windows/ReferenceWindow.ts"
import * as Testing from "../../kit/windows/WindowGenerators.ts"

const options = (runs: number) => ({ arbitrary: { runs, size: 20 } })

const compile = (window: RunWindow.RunWindow) => RunWindow.compile(Result.getOrThrow(RunWindow.validate(window)).window)

const given: [typeof Testing.runWindow, typeof Testing.instant] = [Testing.runWindow, Testing.instant]
const minute = 60_000

describe("a generated window", () => {
  it.prop(
    "is valid",
    [Testing.runWindow],
    ([window]) => {
      assert.isTrue(Result.isSuccess(RunWindow.validate(window)))
    },
    options(300)
  )

  it.prop(
    "is open exactly when the slow reference says so, over a day around any instant",
    given,
    ([window, at]) => {
      const schedule = compile(window)
      for (let step = -24; step <= 24; step++) {
        for (const beside of [0, -1]) {
          const asked = at + step * 29 * minute + beside
          assert.strictEqual(
            RunWindow.isOpen(schedule, asked),
            slowlyOpen(window, asked),
            new Date(asked).toISOString()
          )
        }
      }
    },
    options(250)
  )

  it.prop(
    "opens next at the first instant there is, and not a millisecond earlier",
    given,
    ([window, at]) => {
      const schedule = compile(window)
      const { nextOpenAt, open } = RunWindow.state(schedule, at)
      assert.strictEqual(open, slowlyOpen(window, at))
      if (open) return assert.isNull(nextOpenAt)
      if (nextOpenAt === null) return
      assert.isAbove(nextOpenAt, at)
      assert.isTrue(slowlyOpen(window, nextOpenAt))
      assert.isFalse(slowlyOpen(window, nextOpenAt - 1))
      // Edges lie on whole minutes and changes of clocks, so nothing opens between two looks a minute apart.
      const whole = Math.ceil(at / minute) * minute
      const looks = Math.min(Math.floor((nextOpenAt - whole) / minute), 4_000)
      for (let look = 0; look < looks; look++) assert.isFalse(RunWindow.isOpen(schedule, whole + look * minute))
    },
    options(150)
  )

  it.prop(
    "stays open throughout an opening, and closed before and after it",
    given,
    ([window, at]) => {
      const schedule = compile(window)
      const opening = RunWindow.opening(schedule, at)
      if (opening === null) return
      const { closesAt, opensAt } = opening
      assert.isTrue(slowlyOpen(window, opensAt))
      if (opensAt > at - RunWindow.horizonMillis && closesAt !== null) {
        assert.isFalse(slowlyOpen(window, opensAt - 1))
        assert.isTrue(slowlyOpen(window, closesAt - 1))
        assert.isFalse(slowlyOpen(window, closesAt))
        // What holds at an edge began there.
        assert.strictEqual(RunWindow.opening(schedule, opensAt)?.opensAt, opensAt)
        assert.strictEqual(RunWindow.closedSince(schedule, closesAt), closesAt)
      }
    },
    options(250)
  )

  it.prop(
    "means the same whatever the order of its parts, and when a period is cut in two",
    given,
    ([window, at]) => {
      const halves = window.regular_hours.flatMap((period) => {
        const { active_end_time: end, active_start_time: start } = period
        const middle = { hours: start.hours + 1, minutes: 0 }
        const same = period.active_start_day === period.active_end_day
        return same && (end.hours > middle.hours || (end.hours === middle.hours && (end.minutes ?? 0) > 0))
          ? [
              { ...period, active_end_time: middle },
              { ...period, active_start_time: middle }
            ]
          : [period]
      })
      const other = {
        ...window,
        regular_hours: halves.reverse(),
        ...(window.special_hours === undefined ? {} : { special_hours: [...window.special_hours].reverse() })
      }
      const [one, two] = [compile(window), compile(other)]
      assert.deepStrictEqual(RunWindow.state(one, at), RunWindow.state(two, at))
      assert.deepStrictEqual(RunWindow.opening(one, at), RunWindow.opening(two, at))
    },
    options(250)
  )

  it.prop(
    "is explained as it is evaluated, by parts that are there",
    given,
    ([window, at]) => {
      const schedule = compile(window)
      const { deciders, open, sentence, tzData } = RunWindow.explain(schedule, at)
      assert.strictEqual(tzData, process.versions.tz)
      assert.strictEqual(open, RunWindow.isOpen(schedule, at))
      if (open) assert.isNotEmpty(deciders)
      assert.match(sentence, open ? /^Open on/ : /^Closed on/)
      for (const { path } of deciders) {
        const [, list = "", index = ""] = /^(regular_hours|special_hours)\[(\d+)\]$/.exec(path) ?? []
        assert.isDefined((window[list as "regular_hours"] ?? [])[Number(index)])
      }
    },
    options(250)
  )
})

describe("equal zones", () => {
  it.prop(
    "make equal windows",
    [Testing.runWindow, Testing.instant],
    ([window, at]) => {
      const named = (time_zone: string) => RunWindow.state(compile({ ...window, time_zone }), at)
      assert.deepStrictEqual(named("US/Eastern"), named("America/New_York"))
    },
    options(100)
  )
})

describe("a change of clocks", () => {
  const sunday = (from: number, to: number) => ({
    time_zone: "Europe/Berlin",
    regular_hours: [
      {
        active_start_day: "SUNDAY" as const,
        active_start_time: { hours: from },
        active_end_day: "SUNDAY" as const,
        active_end_time: { hours: to }
      }
    ]
  })
  const openMinutes = (window: RunWindow.RunWindow, day: string) => {
    const schedule = compile(window)
    const from = Date.parse(`${day}T00:00:00Z`) - 120 * minute
    return Array.from({ length: 1_560 }, (_, index) => RunWindow.isOpen(schedule, from + index * minute)).filter(
      Boolean
    ).length
  }

  it("leaves nothing of hours that it skips", () => assert.strictEqual(openMinutes(sunday(2, 3), "2026-03-29"), 0))
  it("opens hours that it repeats both times", () => assert.strictEqual(openMinutes(sunday(2, 3), "2026-10-25"), 120))
  it("warns of hours that it will skip", () => {
    const { warnings } = Result.getOrThrow(
      RunWindow.validate(sunday(2, 3), { now: Date.parse("2026-01-01T00:00:00Z") })
    )
    assert.deepStrictEqual(warnings, [
      { path: "regular_hours[0]", message: "These hours do not exist on 2026-03-29, when clocks go forward" }
    ])
  })
})

describe("the movable clock", () => {
  it.effect("wakes only those that slept long enough", () =>
    Effect.gen(function* () {
      const clock = Testing.movableClock(1_000)
      const sleeper = yield* Effect.forkChild(
        Effect.sleep("1 hour").pipe(Effect.andThen(Effect.succeed("awake")), Effect.provide(Testing.layerClock(clock)))
      )
      yield* Effect.yieldNow
      clock.advance(3_599_999)
      yield* Effect.yieldNow
      assert.isUndefined(sleeper.pollUnsafe())
      clock.advance(1)
      assert.strictEqual(yield* Fiber.join(sleeper), "awake")
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 3_601_000)
    })
  )
})
