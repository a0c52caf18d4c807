/**
 * `sluice console`: an address that opens the console of a service in a browser.
 */
import { Command } from "effect/cli"
import { handler } from "../Handler.ts"
import { service } from "./Service.ts"

export const consoleLink = Command.make(
  "console",
  service,
  handler(
    () => import("../../handlers/user/Console.ts"),
    ({ consoleLink }) => consoleLink
  )
).pipe(
  Command.withDescription("Print an address that opens the console of a service and signs in once, within an hour")
)
