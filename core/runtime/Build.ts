/** The name of this build of the service: its version, with its commit where that is known. */
import { Context } from "effect"

export const Build: Context.Reference<string> = Context.Reference("sluice/core/runtime/Build", {
  defaultValue: () => "without a name"
})
