/**
 * The runs that a command is for, as the interface takes them.
 */
import { Option } from "effect"

const several = ["workflow_id", "status", "hold", "error_code", "credential_id", "tag", "trigger"] as const
const single = ["text", "start_time", "end_time"] as const

type Several = (typeof several)[number]
type Single = (typeof single)[number]

/** The filter of the flags, under the names of the parameters of `GET /runs`. */
export type FilterSettings = { readonly [K in Several]: ReadonlyArray<string> } & {
  readonly [K in Single]: Option.Option<string>
}

export type Filter = { readonly [K in Several]?: ReadonlyArray<string> } & { readonly [K in Single]?: string }

/** The conditions that were given. */
export const queryOf = (settings: FilterSettings): Filter => ({
  ...Object.fromEntries(several.flatMap((name) => (settings[name].length === 0 ? [] : [[name, settings[name]]]))),
  ...Object.fromEntries(single.flatMap((name) => Option.toArray(settings[name]).map((value) => [name, value])))
})
