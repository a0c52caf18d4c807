/** How many bytes of artifacts one workspace may keep, over all its runs; `null` for any number. */
import { Context } from "effect"

export const WorkspaceStorage: Context.Reference<number | null> = Context.Reference(
  "sluice/core/run/artifact/WorkspaceStorage",
  { defaultValue: (): number | null => null }
)
