/** The flags of every command that connects to a service. */
import { Flag } from "effect/cli"
import { connection } from "../../Settings.ts"

/** The service, and the format of the output. */
export const service = {
  ...connection,
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print the answer as JSON"), Flag.withDefault(false))
}
