/** The workflows of the workspace, for the views that name them. */
import { Effect } from "effect"
import { Atom } from "effect/reactivity"
import type * as View from "../../api/workflow/WorkflowView.ts"
import { query } from "../kit/Service.ts"

export const workflows = query((client) => client.workflows.list({ query: {} }))

export type WorkflowItem = typeof View.WorkflowItem.Type

/** The short form of an id, for narrow places. */
export const shortId = (id: string): string => id.slice(-8)

/** The names of workflows by their ids. */
export const namesOf = (items: ReadonlyArray<WorkflowItem> | null): ReadonlyMap<string, string> =>
  new Map((items ?? []).map(({ id, name }) => [id, name]))

/** One workflow with its latest version. */
export const workflowOf = Atom.family((id: string) =>
  query((client) => client.workflows.get({ params: { workflow_id: id } }))
)

/** A version of a workflow, by their ids; `null` when there is none. */
export const versionOf = Atom.family((ids: string) => {
  const [workflow_id = "", version_id] = ids.split(" ")
  return query((client) =>
    Effect.gen(function* () {
      const all = yield* client.workflows.versions({ params: { workflow_id } })
      const found = all.find((version) => version.version_id === version_id)
      if (found === undefined) return null
      const version_number = String(found.version_number)
      return yield* client.workflows.version({ params: { workflow_id, version_number } })
    })
  )
})

export type Workflow = typeof View.WorkflowView.Type

/** The schema of the inputs of its runs: its credentials, and what it takes besides. */
export const inputSchemaOf = ({
  input_schema,
  vault_schema
}: Pick<Workflow, "input_schema" | "vault_schema">): Readonly<Record<string, unknown>> => {
  const credentials = Object.keys(vault_schema)
  const properties = { ...(input_schema.properties as object | undefined) }
  return {
    ...input_schema,
    properties: {
      ...Object.fromEntries(
        credentials.map((name) => [name, { type: "string", description: "The user id of an entry of the vault" }])
      ),
      ...properties
    },
    required: [...credentials, ...((input_schema.required as ReadonlyArray<string> | undefined) ?? [])]
  }
}

/** The run window of a workflow, its lift and its pause. */
export const windowOf = Atom.family((id: string) =>
  query((client) => client.runWindows.getRunWindow({ params: { workflow_id: id } }))
)
