/** The tools, and which of them a caller sees. */
import type { Ability } from "../../core/workspace/Workspace.ts"
import * as RunTools from "./RunTools.ts"
import type { Tool } from "./Tool.ts"
import * as WorkflowTools from "./WorkflowTools.ts"

export const all: ReadonlyArray<Tool> = [
  ...WorkflowTools.reading,
  ...RunTools.reading,
  ...RunTools.running,
  ...WorkflowTools.editing
]

/** Whether a caller may have an ability. */
export type Permits = (ability: Ability) => boolean

/** The tools of a caller. Those that write are hidden in the read-only mode. */
export const visible = (permits: Permits, readOnly: boolean): ReadonlyArray<Tool> =>
  all.filter(({ needs }) => permits(needs) && (!readOnly || needs === "read"))
