/**
 * `sluice mcp`: the tools for agents over standard input and output, for hosts that start a program.
 */
import { Command, Flag } from "effect/cli"
import { connection } from "../../Settings.ts"
import { handler } from "../Handler.ts"

export const mcp = Command.make(
  "mcp",
  {
    ...connection,
    readOnly: Flag.Boolean("read-only").pipe(
      Flag.withDescription("Offer only the tools that change nothing"),
      Flag.withDefault(false)
    )
  },
  handler(
    () => import("../../handlers/user/Mcp.ts"),
    ({ mcp }) => mcp
  )
).pipe(
  Command.withDescription(
    "Serve the tools for agents over standard input and output, by the Model Context Protocol, with the key of a user"
  )
)
