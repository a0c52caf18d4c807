/** The handlers of `sluice window` for JSON lines: they evaluate run windows with the functions of the service. */
import { Console, Effect, Option, Result, Schema, Stdio, Stream } from "effect"
import * as InstantText from "../../../core/window/calendar/InstantText.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import * as Json from "../../../core/workspace/Json.ts"
import type { OutputSettings } from "../user/Output.ts"

/** Raised at the end if lines were invalid. The answer to each gives the reason. */
export class LinesRefused extends Schema.TaggedError<LinesRefused>()("LinesRefused", { count: Schema.Int }) {
  override get message() {
    return `${this.count} lines were invalid: see the field error of their answers`
  }
}

type Line = Readonly<Record<string, unknown>>
type Answer = Readonly<Record<string, unknown>>

/** Answers `{id, window, at}` with `{id, open, nextOpenAt}`, or `{id, error}`. */
export const evaluateLine = (line: Line): Answer => {
  const { at, id, window } = line
  const instant = typeof at === "string" ? InstantText.parse(at) : null
  if (instant === null)
    return { id, error: `at: Expected an instant such as 2026-01-31T08:00:00Z, got ${JSON.stringify(at)}` }
  const checked = RunWindow.validate(window)
  if (Result.isFailure(checked)) return { id, error: checked.failure.message, errors: checked.failure.issues }
  const { nextOpenAt, open } = RunWindow.state(RunWindow.compile(checked.success.window), instant)
  return { id, open, nextOpenAt: nextOpenAt === null ? null : new Date(nextOpenAt).toISOString() }
}

/** Answers `{id, window}` with `{id, valid, errors, warnings}`. */
export const validateLine = ({ id, window }: Line): Answer => {
  const checked = RunWindow.validate(window)
  return Result.isSuccess(checked)
    ? { id, valid: true, errors: [], warnings: checked.success.warnings }
    : { id, valid: false, errors: checked.failure.issues, warnings: [] }
}

/** Answers every line of standard input in order. A line that is no JSON object is answered with an error. */
const answerLines = (answer: (line: Line) => Answer) =>
  Effect.gen(function* () {
    const stdio = yield* Stdio.Stdio
    let refused = 0
    yield* stdio.stdin.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.filter((line) => line.trim() !== ""),
      Stream.runForEach((line) => {
        const read = parse(line)
        const answered = read === null ? { error: "Expected a JSON object" } : answer(read)
        if ("error" in answered) refused++
        return Console.log(JSON.stringify(answered))
      })
    )
    if (refused > 0) return yield* new LinesRefused({ count: refused })
  })

const parse = (line: string): Line | null => {
  try {
    const value: unknown = JSON.parse(line)
    return Json.isObject(value) ? value : null
  } catch {
    return null
  }
}

export const evaluate = () => answerLines(evaluateLine)

/** Checks the window of a file; without one, each line of standard input. */
export const validate = Effect.fnUntraced(function* ({
  file,
  json
}: OutputSettings & { readonly file: Option.Option<string> }) {
  if (Option.isNone(file)) return yield* answerLines(validateLine)
  const { validateFile } = yield* Effect.promise(() => import("./user/RunWindows.ts"))
  yield* validateFile(file.value, { json })
})
