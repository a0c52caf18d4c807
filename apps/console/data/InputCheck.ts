/** The problems of a run's inputs, by the name of the input. A problem of no single input is under the empty name. */
import { Effect } from "effect"
import { client, joinedByName, type Problem, problemsOf, reasonOf } from "../kit/Service.ts"

export type InputProblems = Readonly<Record<string, string>>

type Inputs = Readonly<Record<string, never>>

/** Asks whether a workflow accepts inputs. Answers no problems when it does. */
export const checkInputs = (workflow_id: string, run_input_variables: Inputs): Effect.Effect<InputProblems, unknown> =>
  Effect.map(
    client().workflows.validateInput({ params: { workflow_id }, payload: { run_input_variables } }),
    ({ errors, schema_error, valid }) => {
      if (valid) return {}
      const found = (errors ?? []).map(({ field, message }) => ({ name: inputAt(field), message }))
      return found.length === 0 ? { "": schema_error ?? "The workflow refuses these inputs" } : joinedByName(found)
    }
  )

/** Why inputs were refused. */
export const refusedInputs = (error: unknown): InputProblems => {
  const found = problemsOf(error)
  return found.length === 0 ? { "": reasonOf(error) } : inputProblems(found)
}

/** Problems that the service lists by their paths, by the inputs that they are about. */
export const inputProblems = (found: ReadonlyArray<Problem>): InputProblems =>
  joinedByName(found.map(({ message, path }) => ({ name: inputAt(path), message })))

/** The input that a path leads to, such as `status` for `run_input_variables.status.code`; empty for all of them. */
export const inputAt = (path: string): string =>
  path
    .replace(/^(run_)?input_variables\b\.?/, "")
    .replace(/^\//, "")
    .split(/[.[/]/)[0] ?? ""
