/**
 * The demo as lines on a terminal. Lines are only added, so a log of them reads like the screen.
 */
import { Effect, type Schema } from "effect"
import type { Report, RunEvent } from "./Demo.ts"

/** The style of lines: coloured on a terminal with colours, plain elsewhere. */
export interface Style {
  readonly colours: boolean
}

export const titleLine = (text: string, style: Style): string => `\n${paint("1", `▸ ${text}`, style)}`

/** The line for an event; `null` for an event that the demo does not show. */
export const eventLine = ({ event, payload }: RunEvent, millis: number, style: Style): string | null => {
  const at = paint("2", `${(millis / 1_000).toFixed(2).padStart(7)} s`, style)
  switch (event) {
    case "execution.queued":
      return `${at}  queued`
    case "execution.paused":
      return `${at}  ${paint("33", `held: ${String(payload.message)}`, style)}`
    case "execution.start":
      return `${at}  started`
    case "execution.step":
      return `${at}    ${String(payload.current_step)}`
    case "execution.success":
      return `${at}  ${paint("32", "succeeded", style)}`
    default:
      return null
  }
}

const maxResultLines = 24

/** The result as JSON with shortened lists. */
export const resultLines = (data: Schema.Json, millis: number, style: Style): string => {
  const lines = JSON.stringify(data, null, 2).split("\n")
  const shown =
    lines.length <= maxResultLines
      ? lines
      : [...lines.slice(0, maxResultLines), paint("2", `… ${lines.length - maxResultLines} more lines`, style)]
  return [
    `  ${paint("1", `Result after ${(millis / 1_000).toFixed(1)} s`, style)}`,
    ...shown.map((line) => `  ${line}`)
  ].join("\n")
}

/** A report that writes to `print`. Times count from each title. */
export const report = (print: (line: string) => void, style: Style): Report => {
  let began: number | null = null
  return {
    title: (text) =>
      Effect.sync(() => {
        began = null
        print(titleLine(text, style))
      }),
    event: (event) =>
      Effect.sync(() => {
        const at = Date.parse(event.at)
        began ??= at
        const line = eventLine(event, at - began, style)
        if (line !== null) print(line)
      }),
    result: (data, millis) => Effect.sync(() => print(resultLines(data, millis, style)))
  }
}

const paint = (code: string, text: string, { colours }: Style): string =>
  colours ? `\x1b[${code}m${text}\x1b[0m` : text
