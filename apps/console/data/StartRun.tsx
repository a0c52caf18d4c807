/**
 * Starts a run of a workflow with inputs from the form of its schema. A test run starts although the window is closed or
 * the workflow is paused, and keeps the page of every step.
 */
import { useState } from "preact/hooks"
import { SchemaForm } from "../forms/SchemaForm.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { go, to } from "../kit/Route.ts"
import { act, client } from "../kit/Service.ts"
import { HoldNote } from "./HoldNote.tsx"
import { checkInputs, type InputProblems, refusedInputs } from "./InputCheck.ts"
import { inputSchemaOf, type Workflow } from "./Workflows.ts"

export const Start = ({ isTest, workflow }: { readonly workflow: Workflow; readonly isTest: boolean }) => {
  const [isOpen, setOpen] = useState(false)
  const [problems, setProblems] = useState<InputProblems>({})
  const schema = inputSchemaOf(workflow)
  const send = async (run_input_variables: Readonly<Record<string, never>>) => {
    setProblems({})
    const failed = (error: unknown) => setProblems(refusedInputs(error))
    const found = await act(checkInputs(workflow.id, run_input_variables), { failed })
    if (found === null) return
    if (Object.keys(found).length > 0) return setProblems(found)
    const debug = isTest ? { debug: true } : {}
    const made = await act(
      client().runs.start({ payload: { workflow_id: workflow.id, run_input_variables, ...debug } }),
      { done: "The run was submitted", failed }
    )
    if (made === null) return
    if (isTest) {
      await act(client().runVerbs.release({ payload: { session_ids: [made.session_id], past_pause: true } }))
    }
    setOpen(false)
    go(to(["runs", made.session_id]))
  }
  return (
    <>
      <button type="button" class={isTest ? undefined : "primary"} onClick={() => setOpen(true)}>
        {isTest ? "Test run…" : "Run…"}
      </button>
      {isOpen && (
        <Dialog title={`${isTest ? "Test" : "Run"} ${workflow.name}`} onClose={() => setOpen(false)}>
          {isTest && (
            <p class="note">
              This one run starts at once, although the window is closed or the workflow is paused. It keeps the page of
              every step.
            </p>
          )}
          {!isTest && <HoldNote runs={new Map([[workflow.id, 1]])} />}
          <SchemaForm
            schema={schema}
            problems={problems}
            send={isTest ? "Test" : "Run"}
            onSend={(values) => send(values as never)}
          />
        </Dialog>
      )}
    </>
  )
}
