/** `sluice prune`: applies retention now, or reports what it would remove. */
import { Command, Flag } from "effect/cli"
import * as Settings from "../Settings.ts"
import { handler } from "./Handler.ts"
import { service } from "./user/Service.ts"

export const prune = Command.make(
  "prune",
  {
    ...Settings.storage,
    ...Settings.keeping,
    json: service.json,
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Report what would be removed, by workspace and kind, and change nothing"),
      Flag.withDefault(false)
    )
  },
  handler(
    () => import("../handlers/retention/Prune.ts"),
    ({ prune }) => prune
  )
).pipe(
  Command.withDescription(
    "Remove the runs, parts of runs and artifacts whose retention is over, while the service runs"
  )
)
