/** Chooses the workflow of a list's entries: the filter `workflow` of the address. */
import { useEffect } from "preact/hooks"
import { useQuery } from "../kit/Loaded.tsx"
import { filter } from "../kit/Route.ts"
import { refresh } from "../kit/Service.ts"
import { shortId, workflows } from "./Workflows.ts"

export const WorkflowFilter = ({ workflow }: { readonly workflow: string | null }) => {
  const { loading, value } = useQuery(workflows)
  const isUnknown = workflow !== null && value !== null && !value.some(({ id }) => id === workflow)
  // The workflow may be newer than the last reading. If the next reading does not have it, it was deleted.
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
