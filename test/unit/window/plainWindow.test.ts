import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { bundle } from "../../../apps/bootstrap/packageBuild.js"
import { packages } from "../../../apps/bootstrap/packages.js"
import * as WindowText from "../../../core/window/exchange/WindowText.ts"
import type * as PlainWindow from "../../../core/window/PlainWindow.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"

let folder = ""
let file = ""
let plain: typeof PlainWindow

beforeAll(async () => {
  const published = packages.find(({ name }) => name === "@sluice/window")
  if (published === undefined) throw new Error("There is no package of plain windows")
  const { files, outside } = await bundle(published)
  assert.deepStrictEqual([...outside], [])
  folder = mkdtempSync(join(tmpdir(), "sluice-window-"))
  file = join(folder, "window.mjs")
  writeFileSync(file, files.get("core/window/PlainWindow.js") ?? "")
  plain = await import(/* @vite-ignore */ file)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Case {
  readonly id: string
  readonly window: unknown
  readonly at?: string
}

const cases: ReadonlyArray<Case> = ["cases", "hostile"].flatMap((name) =>
  readFileSync(new URL(`./data/${name}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter((one) => "window" in one)
)

const thrownBy = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  return null
}

/** What the package says of a window, and what the core says. */
const answers = (window: unknown, at: number) => {
  const validated = RunWindow.validate(window)
  if (Result.isFailure(validated)) {
    const error = thrownBy(() => plain.parse(window))
    const issues = error instanceof plain.InvalidWindow ? error.issues : String(error)
    return [issues, validated.failure.issues] as const
  }
  const parsed = plain.parse(window)
  const schedule = RunWindow.compile(validated.success.window)
  const openings = RunWindow.openings(schedule, at, 3)
  const later = RunWindow.opening(schedule, at)
  const held = later !== null && later.opensAt <= at && later.closesAt !== null
  const next = held ? RunWindow.opening(schedule, later.closesAt ?? at) : later
  return [
    [
      parsed,
      plain.isOpen(parsed, at),
      plain.next(parsed, new Date(at))?.getTime() ?? null,
      plain.openings(parsed, at, 3).map(({ closesAt, opensAt }) => [opensAt.getTime(), closesAt?.getTime() ?? null]),
      plain.toText(parsed)
    ],
    [
      validated.success.window,
      RunWindow.isOpen(schedule, at),
      next === null || next.opensAt <= at ? null : next.opensAt,
      openings.map(({ closesAt, opensAt }) => [opensAt, closesAt]),
      WindowText.toText(validated.success.window)
    ]
  ] as const
}

describe("the package of plain windows", () => {
  it("answers every case of the oracle as the core does, with the same problems at the same paths", () => {
    assert.isAbove(cases.length, 100)
    for (const { at = "2026-03-29T00:30:00Z", id, window } of cases) {
      const [own, core] = answers(window, Date.parse(at))
      assert.deepStrictEqual(own, core, id)
    }
  })

  it("answers windows with wrong values at any place as the core does", () => {
    const whole = {
      time_zone: "Europe/Berlin",
      regular_hours: [
        {
          active_start_day: "MONDAY",
          active_start_time: { hours: 22 },
          active_end_day: "TUESDAY",
          active_end_time: { hours: 6, minutes: 30 }
        }
      ],
      special_hours: [
        {
          active: false,
          label: "Fair",
          start_date: { year: 2026, month: 2, day: 28 },
          end_date: { year: 2026, month: 3, day: 1 }
        },
        {
          active: true,
          recurrence: "FREQ=DAILY",
          recurrence_start: { year: 2026, month: 1, day: 1 },
          active_start_time: { hours: 1 },
          active_end_time: { hours: 2 }
        }
      ]
    }
    const wrong = [
      null,
      undefined,
      0,
      -1,
      1.5,
      24,
      60,
      1e20,
      Number.NaN,
      "",
      "x",
      true,
      [],
      {},
      [1],
      { hours: 1 },
      "é".repeat(300)
    ]
    const altered = (value: unknown): ReadonlyArray<unknown> => [
      ...wrong,
      ...(typeof value === "object" && value !== null
        ? Object.keys(value).flatMap((name) =>
            altered(Reflect.get(value, name)).map((one) =>
              Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [name]: one })
            )
          )
        : [])
    ]
    const all = altered(whole)
    assert.isAbove(all.length, 300)
    for (const window of all) {
      const [own, core] = answers(window, Date.parse("2026-03-01T12:00:00Z"))
      assert.deepStrictEqual(own, core, JSON.stringify(window))
    }
  })

  it("says in one readable error what is wrong with a window, and what a function takes", () => {
    const error = thrownBy(() => plain.parse({ time_zone: "Berlin", regular_hour: [] }))
    assert.instanceOf(error, plain.InvalidWindow)
    assert.match(String(error), /^InvalidWindow: .*time_zone: .*"Berlin".*regular_hours: .*did you mean regular_hours/)
    const raw = { time_zone: "UTC", regular_hours: [] }
    assert.match(
      String(thrownBy(() => plain.isOpen(raw, 0))),
      /isOpen takes a window that parse returned: call isOpen\(parse/
    )
    const open = plain.parse(cases.find(({ window }) => Result.isSuccess(RunWindow.validate(window)))?.window)
    assert.match(String(thrownBy(() => plain.next(open, new Date("no date")))), /next takes a Date, .* an invalid Date/)
    assert.match(String(thrownBy(() => plain.openings(open, Number.NaN, 1))), /openings takes a Date, .*NaN/)
    assert.match(String(thrownBy(() => plain.isOpen(open, "2026" as never))), /isOpen takes a Date, .*string/)
    const typed: RunWindow.RunWindow = open
    assert.isTrue(Result.isSuccess(RunWindow.validate(typed)))
  })
})
