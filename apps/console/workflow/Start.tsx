/** Starts a run of a workflow with inputs from a form that its schema makes. */
import { useState } from "preact/hooks"
import type { Workflow } from "../data/Workflows.ts"
import { SchemaForm } from "../forms/SchemaForm.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { go, to } from "../kit/Route.ts"
import { act, client } from "../kit/Service.ts"

export const Start = ({ workflow }: { readonly workflow: Workflow }) => {
  const [isOpen, setOpen] = useState(false)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const credentials = Object.keys(workflow.vault_schema)
  const properties = { ...(workflow.input_schema.properties as object | undefined) }
  const schema = {
    ...workflow.input_schema,
    properties: {
      ...Object.fromEntries(
        credentials.map((name) => [name, { type: "string", description: "The user id of an entry of the vault" }])
      ),
      ...properties
    },
    required: [...credentials, ...((workflow.input_schema.required as ReadonlyArray<string> | undefined) ?? [])]
  }
  const send = async (run_input_variables: Readonly<Record<string, never>>) => {
    setProblems({})
    const verdict = await act(
      client().workflows.validateInput({ params: { workflow_id: workflow.id }, payload: { run_input_variables } })
    )
    if (verdict === null) return
    if (!verdict.valid) {
      return setProblems(
        Object.fromEntries(
          (verdict.errors ?? []).map(({ field, message }) => [field.split(/[.[/]/)[0] || field, message])
        )
      )
    }
    const made = await act(client().runs.start({ payload: { workflow_id: workflow.id, run_input_variables } }), {
      done: "The run was submitted"
    })
    if (made === null) return
    setOpen(false)
    go(to(["runs", made.session_id]))
  }
  return (
    <>
      <button type="button" class="primary" onClick={() => setOpen(true)}>
        Run…
      </button>
      {isOpen && (
        <Dialog title={`Run ${workflow.name}`} onClose={() => setOpen(false)}>
          <SchemaForm schema={schema} problems={problems} send="Run" onSend={(values) => send(values as never)} />
        </Dialog>
      )}
    </>
  )
}
