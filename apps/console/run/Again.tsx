/** Submits a run again, with its inputs or with other ones. */
import { Effect } from "effect"
import { useState } from "preact/hooks"
import { HoldNote } from "../data/HoldNote.tsx"
import { checkInputs, type InputProblems, inputProblems, refusedInputs } from "../data/InputCheck.ts"
import { Field } from "../forms/Field.tsx"
import { SchemaForm } from "../forms/SchemaForm.tsx"
import type { Json } from "../forms/SchemaModel.ts"
import { Dialog } from "../kit/Dialog.tsx"
import { say } from "../kit/Notices.ts"
import { go, to } from "../kit/Route.ts"
import { act, client } from "../kit/Service.ts"
import type { Run } from "./RunModel.ts"

type Inputs = Readonly<Record<string, Json>>

/** Answers the new run, or the reason why there is none. A retry is linked with the run that it repeats. */
const submit = (run: Run, version: "same" | "latest", run_input_variables: Inputs) =>
  run.status === "execution.failed" || run.status === "execution.stopped"
    ? client()
        .runVerbs.retry({ payload: { session_ids: [run.session_id], version, run_input_variables } })
        .pipe(
          Effect.map(({ results: [result] }) => ({
            id: result?.outcome === "retried" ? result.retry_session_id : null,
            problems:
              result?.errors === undefined ? { "": result?.message ?? notSubmitted } : inputProblems(result.errors)
          }))
        )
    : client()
        .runs.start({ payload: { workflow_id: run.workflow_id, run_input_variables } })
        .pipe(Effect.map(({ session_id }) => ({ id: session_id, problems: {} })))

const notSubmitted = "The run was not submitted"

export const Again = ({ run, schema }: { readonly run: Run; readonly schema: Readonly<Record<string, unknown>> }) => {
  const [isOpen, setOpen] = useState(false)
  const [version, setVersion] = useState<"same" | "latest">("latest")
  const [problems, setProblems] = useState<InputProblems>({})
  const isRetry = run.status === "execution.failed" || run.status === "execution.stopped"
  const word = isRetry ? "Retry with other inputs" : "Run again"
  const send = async (inputs: Inputs) => {
    setProblems({})
    const failed = (error: unknown) => setProblems(refusedInputs(error))
    // For an earlier version, the answer to the retry has the problems.
    const found = version === "same" ? {} : await act(checkInputs(run.workflow_id, inputs as never), { failed })
    if (found === null) return
    if (Object.keys(found).length > 0) return setProblems(found)
    const made = await act(submit(run, version, inputs), { failed })
    if (made === null) return
    if (made.id == null) return setProblems(made.problems)
    setOpen(false)
    say("done", "The run was submitted")
    go(to(["runs", made.id]))
  }
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {word}…
      </button>
      {isOpen && (
        <Dialog title={word} onClose={() => setOpen(false)}>
          <p class="note">
            {isRetry ? "A new run, linked with this one." : "A new run of the latest version."} The run that you are
            looking at stays as it is.
          </p>
          <HoldNote runs={new Map([[run.workflow_id, 1]])} />
          <SchemaForm schema={schema} values={run.input_variables} problems={problems} send="Run" onSend={send}>
            {isRetry && (
              <Field label="Version">
                <select
                  value={version}
                  onChange={({ currentTarget }) => setVersion(currentTarget.value === "same" ? "same" : "latest")}
                >
                  <option value="latest">The latest one</option>
                  <option value="same">The one that this run executed</option>
                </select>
              </Field>
            )}
          </SchemaForm>
        </Dialog>
      )}
    </>
  )
}
