/** The selection of runs of a command, in the form of the interface. */
import { Option } from "effect"
import { statusNamed } from "./view/RunsView.ts"

const several = ["workflow_id", "status", "hold", "error_code", "credential_id", "tag", "trigger"] as const
const single = ["has_warnings", "text", "start_time", "end_time"] as const

type Several = (typeof several)[number]
type Single = (typeof single)[number]

/** The filter of the flags, under the names of the parameters of `GET /runs`. */
export type FilterSettings = { readonly [K in Several]: ReadonlyArray<string> } & {
  readonly [K in Single]: Option.Option<string>
}

export type Filter = { readonly [K in Several]?: ReadonlyArray<string> } & { readonly [K in Single]?: string }

/** The conditions that were given. A status may be given by the word that lists show. */
export const queryOf = (settings: FilterSettings): Filter => ({
  ...Object.fromEntries(
    several.flatMap((name) => {
      const values = name === "status" ? settings.status.map(statusNamed) : settings[name]
      return values.length === 0 ? [] : [[name, values]]
    })
  ),
  ...Object.fromEntries(single.flatMap((name) => Option.toArray(settings[name]).map((value) => [name, value])))
})
