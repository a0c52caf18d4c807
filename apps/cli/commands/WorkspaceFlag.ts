/**
 * The flag that names the workspace of a command.
 */
import { Flag } from "effect/cli"

export const workspace = Flag.String("workspace").pipe(
  Flag.withDescription("Id of the workspace; optional if there is only one"),
  Flag.optional
)
