/**
 * What a run window does, as text for a terminal. Functions of their arguments.
 */

import type { StartForecast } from "../../../api/gate/ForecastJson.ts"
import type { RunWindowResponse } from "../../../api/gate/GatesApi.ts"
import * as ForecastView from "./ForecastView.ts"
import { cell, counted, instant, local, number, table } from "./Table.ts"

type Response = typeof RunWindowResponse.Type

interface Waiting {
  readonly session_id: string
  readonly created_at: string
}

/** What the service answers to a preview. */
export interface Preview {
  readonly warnings: ReadonlyArray<{ readonly path: string; readonly message: string }>
  readonly state: { readonly open: boolean; readonly nextOpenAt: string | null }
  readonly openings: ReadonlyArray<{ readonly opens_at: string; readonly closes_at: string | null }>
  readonly releases: number
  readonly holds: number
  readonly at_least: boolean
  readonly released_runs: ReadonlyArray<Waiting>
  readonly held_runs: ReadonlyArray<Waiting>
  readonly ends_lift: boolean
  readonly forecast: typeof StartForecast.Type | null
}

const stateOf = ({ nextOpenAt, open }: Preview["state"], zone: string): string => {
  if (open) return "open now"
  return nextOpenAt === null ? "closed, and does not open within 400 days" : `closed until ${local(nextOpenAt, zone)}`
}

const warningLines = (warnings: Preview["warnings"]): ReadonlyArray<string> =>
  warnings.map(({ message, path }) => `Warning: ${path === "" ? "" : `${path}: `}${cell(message)}`)

/** The state of the window that is stored, with its lift and the pause; `week` is the drawing of its hours. */
export const stored = (response: Response, week: string): string => {
  const { lift, manual_pause, run_window, run_window_revision, state } = response
  if (run_window === null || state === null) {
    return ["No run window: runs may start at any time", ...pauseLines(manual_pause, "UTC")].join("\n")
  }
  const zone = run_window.time_zone
  const lifted =
    lift === null
      ? []
      : [
          `Lifted by ${cell(lift.by, 100)} since ${local(lift.since, zone)}, until ${lift.until === null ? "it opens" : local(lift.until, zone)}: runs may start`
        ]
  return [
    `The run window is ${stateOf(state, zone)} (revision ${run_window_revision})`,
    ...lifted,
    ...pauseLines(manual_pause, zone),
    "",
    week
  ].join("\n")
}

const pauseLines = (pause: Response["manual_pause"], zone: string): ReadonlyArray<string> =>
  pause === null
    ? []
    : [
        `Paused by ${cell(pause.by, 100)} since ${local(pause.since, zone)}, until ${pause.until === null ? "it is unpaused" : local(pause.until, zone)}${pause.reason === "" ? "" : `: ${cell(pause.reason)}`}`
      ]

/** What setting a window would do. */
export const preview = (answer: Preview, zone: string): string => {
  const { at_least, ends_lift, forecast, held_runs, holds, openings, released_runs, releases, state, warnings } = answer
  const more = at_least ? "at least " : ""
  return [
    `It would be ${stateOf(state, zone)} (${zone})`,
    `It would release ${more}${counted(releases, "waiting run")} and hold ${more}${counted(holds, "waiting run")}`,
    ...waitingLines("release", released_runs, releases),
    ...waitingLines("hold", held_runs, holds),
    ...(ends_lift ? ["It would end the lift, under which runs start although the window is closed"] : []),
    ...(forecast === null || forecast.waiting === 0 ? [] : [`As it looks, ${ForecastView.sentence(forecast, zone)}`]),
    ...openings.map(
      ({ closes_at, opens_at }) =>
        `  opens ${local(opens_at, zone)}, ${closes_at === null ? "and stays open" : `closes ${local(closes_at, zone)}`}`
    ),
    ...warningLines(warnings)
  ].join("\n")
}

/** The runs that a window would hold or release, as far as the service names them. */
const waitingLines = (verb: string, runs: ReadonlyArray<Waiting>, count: number): ReadonlyArray<string> => [
  ...runs.map(({ created_at, session_id }) => `  would ${verb} ${session_id}, submitted ${instant(created_at)}`),
  ...(runs.length > 0 && count > runs.length ? [`  and ${number(count - runs.length)} more`] : [])
]

/** The end of a set. */
export const set = ({ run_window_revision, state, warnings = [] }: Response, zone: string): string =>
  [
    `Set as revision ${run_window_revision}${state === null ? "" : `: ${stateOf(state, zone)}`}`,
    ...warningLines(warnings)
  ].join("\n")

type Past = {
  readonly run_window_revision: number
  readonly run_window: unknown
  readonly set_at: string | null
  readonly set_by: string | null
}

/** The windows that a workflow had. */
export const history = (windows: ReadonlyArray<Past>): string =>
  windows.length === 0
    ? "The workflow never had a run window"
    : table(
        ["REVISION", "SET", "BY USER", "RUN WINDOW"],
        windows.map(({ run_window, run_window_revision, set_at, set_by }) => [
          String(run_window_revision),
          instant(set_at),
          set_by ?? "",
          run_window === null ? "removed" : cell(JSON.stringify(run_window), 100)
        ])
      )
