import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import * as RelativeCost from "../../support/relativeCost.ts"

/** What an answer may cost, in fixed works. */
const most = 5

interface Case {
  readonly id: string
  readonly kind: "eval" | "validate"
  readonly class: string
  readonly window: unknown
  readonly at: string
  readonly expect: {
    readonly open: boolean
    readonly nextOpenAt: string | null
    readonly nextCloseAt: string | null
    readonly valid: boolean
    readonly error_paths: ReadonlyArray<string>
    readonly warning_paths: ReadonlyArray<string>
  }
}

interface Hostile {
  readonly id: string
  readonly class: string
  readonly window: unknown
  readonly at: string
  readonly outcome: "invalid" | "either"
  readonly path: string
  readonly answer?: { readonly open: boolean; readonly nextOpenAt: string | null }
  readonly warning_paths?: ReadonlyArray<string>
}

const load = <A>(name: string): ReadonlyArray<A> =>
  readFileSync(new URL(`./data/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as A)

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

const paths = (issues: ReadonlyArray<RunWindow.RunWindowIssue>) => [...new Set(issues.map(({ path }) => path))].sort()

const evaluate = (window: unknown, at: number) => {
  const checked = RunWindow.validate(window, { now: at })
  return Result.map(checked, (valid) => {
    const schedule = RunWindow.compile(valid.window)
    return { schedule, state: RunWindow.state(schedule, at), warnings: valid.warnings }
  })
}

describe("the cases of the oracle", () => {
  const cases = load<Case>("cases.jsonl")

  it("are all there", () => assert.strictEqual(cases.length, 420))

  it.each(cases.filter((one) => one.kind === "eval").map((one) => [one.id, one.class, one] as const))(
    "%s (%s) evaluates as expected",
    (_id, _class, { at, expect, window }) => {
      const { schedule, state } = Result.getOrThrow(evaluate(window, Date.parse(at)))
      const { closesAt = null } = RunWindow.opening(schedule, Date.parse(at)) ?? {}
      assert.strictEqual(state.open, expect.open)
      assert.strictEqual(RunWindow.isOpen(schedule, Date.parse(at)), expect.open)
      assert.strictEqual(iso(state.nextOpenAt), expect.nextOpenAt)
      assert.strictEqual(state.open ? iso(closesAt) : null, expect.nextCloseAt)
    }
  )

  it.each(cases.filter((one) => one.kind === "validate").map((one) => [one.id, one.class, one] as const))(
    "%s (%s) validates as expected",
    (_id, _class, { expect, window }) => {
      const checked = RunWindow.validate(window)
      assert.strictEqual(Result.isSuccess(checked), expect.valid)
      if (Result.isFailure(checked)) {
        assert.deepStrictEqual(paths(checked.failure.issues), [...expect.error_paths].sort())
      } else {
        const warned = paths(checked.success.warnings)
        for (const path of expect.warning_paths) assert.include(warned, path)
      }
    }
  )
})

describe("hostile windows", () => {
  const hostile = load<Hostile>("hostile.jsonl")
  evaluate(hostile[0]?.window, 0)

  it.each(hostile.map((one) => [one.id, one.class, one] as const))(
    "%s (%s) is answered at little cost",
    (_id, _class, { answer, at, outcome, path, warning_paths, window }) => {
      const ask = () => evaluate(window, Date.parse(at))
      const result = ask()
      if (Result.isFailure(result)) {
        const wanted = path.replace("[*]", "[0]")
        assert.include(
          result.failure.issues.map((issue) => issue.path.replace(/\[\d+\]/, path.includes("[*]") ? "[0]" : "$&")),
          wanted
        )
      } else {
        assert.strictEqual(outcome, "either")
        const { open, nextOpenAt } = result.success.state
        assert.deepStrictEqual({ open, nextOpenAt: iso(nextOpenAt) }, answer)
        for (const warning of warning_paths ?? []) assert.include(paths(result.success.warnings), warning)
      }
      assert.isBelow(RelativeCost.least(most, ask), most)
    }
  )
})
