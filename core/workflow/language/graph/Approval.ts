/** The approval that a node needs before its act. */
import type { Approval } from "../parameters/ApprovalParameters.ts"
import { parameters } from "./Action.ts"
import type { Node } from "./Graph.ts"

/** The approval of a node; `null` for a node that needs none. */
export const of = ({ parameters }: Node): Approval | null =>
  "approval" in parameters ? (parameters.approval ?? null) : null

/** Why a node of another action has no approval. */
export const notFor = (action: string): string => {
  const approvable = Object.entries(parameters).flatMap(([name, { fields }]) => ("approval" in fields ? [name] : []))
  return `${action} cannot wait for an approval: expected it on ${approvable.join(", ")}`
}
