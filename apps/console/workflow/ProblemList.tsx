/** The problems of a workflow, each with the name of its step and its path. */
import type { Problem } from "../kit/Service.ts"
import { nodeAt, type ProblemNode } from "./WorkflowModel.ts"

export const ProblemList = ({
  nodes,
  problems
}: {
  readonly nodes: ReadonlyArray<ProblemNode>
  readonly problems: ReadonlyArray<Problem>
}) =>
  problems.length === 0 ? null : (
    <ul class="problem list" role="alert">
      {problems.map(({ message, path }) => {
        const node = nodeAt(nodes, path)
        return (
          <li key={path + message}>
            {node?.name !== undefined && <b>Step “{node.name}” </b>}
            {path !== "" && <code>{path}</code>} {message}
          </li>
        )
      })}
    </ul>
  )
