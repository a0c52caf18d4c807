/**
 * The flags that select runs: the parameters of `GET /runs` under their own names.
 */
import { Option } from "effect"
import { type Command, Flag } from "effect/cli"
import { HoldReason } from "../../../../core/run/list/RunFilter.ts"
import { Trigger } from "../../../../core/run/Run.ts"

const given = (values: ReadonlyArray<string>) => (values.length === 0 ? undefined : values)

const several = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}; may be repeated`), Flag.atLeast(0), Flag.map(given))

const one = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

export const filter = {
  workflow_id: several("workflow_id", "Runs of this workflow"),
  status: several("status", "Runs with this status, such as failed or execution.failed"),
  hold: several("hold", `Waiting runs for this reason: ${HoldReason.literals.join(", ")}`),
  error_code: several("error_code", "Runs with a failure of this code"),
  error_category: several("error_category", "Runs with a failure of this category, such as XPATH_INCORRECT"),
  error_sub_type: several("error_sub_type", "Runs with a failure of this sub-type, such as SELECTOR_NO_MATCH"),
  credential_id: several("credential_id", "Runs that refer to this credential"),
  tag: several("tag", "Runs with this tag"),
  reference: several("reference", "Runs with this reference"),
  trigger: several("trigger", `Runs that were submitted by ${Trigger.literals.join(", ")}`),
  has_warnings: one("has_warnings", "true for runs with warnings of their steps, false for runs without any"),
  text: one("text", "Runs with this text in their input, output or errors"),
  start_time: one(
    "start_time",
    "Runs submitted at or after this instant; the last 24 hours when neither it nor reference is set"
  ),
  end_time: one("end_time", "Runs submitted at or before this instant")
}
export type FilterSettings = Command.Command.Config.Infer<typeof filter>
