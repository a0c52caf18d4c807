/**
 * `sluice up`: everything in one process, and the demo when the data is empty.
 */
import { Command } from "effect/cli"
import * as BrowserSettings from "../BrowserSettings.ts"
import * as Settings from "../Settings.ts"
import { handler } from "./Handler.ts"

export const up = Command.make(
  "up",
  {
    ...Settings.storage,
    ...Settings.listening,
    ...Settings.working,
    ...Settings.model,
    ...BrowserSettings.browsers,
    ...Settings.keeping,
    ...Settings.vault,
    ...Settings.inbox,
    ...Settings.inbound,
    ...Settings.bootstrap,
    ...Settings.health
  },
  handler(
    () => import("../handlers/Up.ts"),
    ({ up }) => up
  )
).pipe(Command.withDescription("Run the API, the scheduler and a worker in one process"))
