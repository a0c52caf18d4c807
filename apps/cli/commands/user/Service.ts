/**
 * The flags of every command that talks to a service as its user.
 */
import { Flag } from "effect/cli"
import { connection } from "../../Settings.ts"

/** Which service, and in which form the answer is printed. */
export const service = {
  ...connection,
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print the answer as JSON"), Flag.withDefault(false))
}
