/** Chooses the workflow whose entries a list shows: the filter `workflow` of the address. */
import { useEffect } from "preact/hooks"
import { useQuery } from "../kit/Loaded.tsx"
import { filter } from "../kit/Route.ts"
import { refresh } from "../kit/Service.ts"
import { shortId, workflows } from "./Workflows.ts"

export const WorkflowFilter = ({ workflow }: { readonly workflow: string | null }) => {
  const { loading, value } = useQuery(workflows)
  const isUnknown = workflow !== null && value !== null && !value.some(({ id }) => id === workflow)
  // It may have been made since the workflows were read. One that is still unknown then was deleted.
  useEffect(() => {
    if (isUnknown && !loading) refresh(workflows)
  }, [isUnknown, workflow])
  return (
    <select
      aria-label="Workflow"
      value={workflow ?? ""}
      onChange={({ currentTarget }) => filter({ workflow: currentTarget.value })}
    >
      <option value="">All workflows</option>
      {(value ?? []).map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {isUnknown && <option value={workflow}>{loading ? "…" : `A deleted workflow ${shortId(workflow)}`}</option>}
    </select>
  )
}
