/** The description of the filter of runs: the parameters of a query, and the object `filter` of a body. */
import { Schema } from "effect"
import { HoldReason } from "../../../core/run/list/RunFilter.ts"
import { Trigger } from "../../../core/run/Run.ts"

const several = "May be repeated, be written with [], or hold several values separated by commas"
const plural = "As the name in the singular, and may hold several values separated by commas"
const instant = "An instant in ISO 8601"

/** The parameters of a filter with their descriptions. `start_timestamp` and `end_timestamp` are older names. */
export const names = {
  workflow_id: several,
  workflow_ids: several,
  "workflow_ids[]": several,
  credential_id: "The permissioned_user_id of a credential that the run refers to",
  credential_ids: plural,
  "credential_ids[]": plural,
  status: several,
  statuses: several,
  "statuses[]": several,
  hold: `Why a waiting run has not started: ${HoldReason.literals.join(", ")}. ${several}`,
  "hold[]": several,
  error_code: "The code of a failure of one of the run's attempts; UNKNOWN for a failure without one",
  error_codes: plural,
  "error_codes[]": plural,
  tag: "A tag of the run",
  tags: plural,
  "tags[]": plural,
  trigger: `What submitted the run: ${Trigger.literals.join(", ")}. ${several}`,
  "trigger[]": several,
  has_warnings: "true for runs with warnings of their steps, false for runs without any",
  text: "Text in the first 16384 characters of the JSON of the input or of the output, or in the code or the message of a failure, in upper or lower case. A page examines at most 2000 runs for it, newest first: it may have few runs or none although there is an x-next-cursor",
  start_time: `${instant}, at most one year back; without it, only runs of the last 24 hours, and waiting runs of any age`,
  end_time: `${instant}, not before start_time and not in the future`,
  start_timestamp: "The same as start_time",
  end_timestamp: "The same as end_time"
} as const

type Name = keyof typeof names

const value = Schema.Union([Schema.String, Schema.Array(Schema.String)])

/**
 * The object `filter` of a body: the parameters of `GET /runs` that select runs. Bodies take it as `sent(RunFilterJson)`,
 * and `readFilterOfBody` reads it, which refuses other members.
 */
export const RunFilterJson = Schema.Struct(
  Object.fromEntries(
    Object.entries(names).flatMap(([name, description]) =>
      name.endsWith("[]") ? [] : [[name, Schema.optionalKey(value.annotate({ description }))]]
    )
  ) as { readonly [K in Exclude<Name, `${string}[]`>]: Schema.optionalKey<typeof value> }
).annotate({ identifier: "RunFilter" })
