/** Which runs keep a log of what their pages ask of the network. */
import type { Content } from "../../workflow/Workflow.ts"
import type { Options } from "../Run.ts"

/** Returns whether a run is recorded: a debug run, or one of a workflow that sets `enable_network_listener`. */
export const records = ({ settings }: Pick<Content, "settings">, options: Options): boolean =>
  options.debug === true || (settings.enable_network_listener ?? false)
