/** Submits a run again, with the inputs that it had or with other ones. */
import { useState } from "preact/hooks"
import { SchemaForm } from "../forms/SchemaForm.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { go, to } from "../kit/Route.ts"
import { act, client } from "../kit/Service.ts"
import type { Run } from "./RunModel.ts"

export const Again = ({ run, schema }: { readonly run: Run; readonly schema: Readonly<Record<string, unknown>> }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Run again…
      </button>
      {isOpen && (
        <Dialog title="Run again" onClose={() => setOpen(false)}>
          <p class="note">
            A new run of the latest version, with these inputs. The run that you are looking at stays as it is.
          </p>
          <SchemaForm
            schema={schema}
            values={run.input_variables}
            send="Run"
            onSend={async (run_input_variables) => {
              const made = await act(
                client().runs.start({ payload: { workflow_id: run.workflow_id, run_input_variables } }),
                { done: "The run was submitted" }
              )
              if (made === null) return
              setOpen(false)
              go(to(["runs", made.session_id]))
            }}
          />
        </Dialog>
      )}
    </>
  )
}
