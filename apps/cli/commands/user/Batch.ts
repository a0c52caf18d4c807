/**
 * `sluice batch`: submits a run for each row of a CSV file.
 */
import { Argument, Command, Flag } from "effect/cli"
import { handler } from "../Handler.ts"
import { terms } from "./NewRunTerms.ts"
import { service } from "./Service.ts"

export const batch = Command.make(
  "batch",
  {
    ...service,
    file: Argument.String("file").pipe(
      Argument.withDescription("CSV file whose first row names the inputs of the workflow")
    ),
    workflow: Flag.String("workflow").pipe(Flag.withDescription("Id or name of the workflow")),
    terms,
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Check every cell, and submit nothing"),
      Flag.withDefault(false)
    ),
    skipBad: Flag.Boolean("skip-bad").pipe(
      Flag.withDescription("Submit the valid rows of a file that also has invalid ones"),
      Flag.withDefault(false)
    ),
    fromRow: Flag.Int("from-row").pipe(
      Flag.withDescription("Skip the rows before this line of the file, to continue a batch that was interrupted"),
      Flag.optional
    ),
    resume: Flag.String("resume").pipe(
      Flag.withDescription("What the interrupted batch printed beside --from-row, so that no row is submitted twice"),
      Flag.filter(
        (key) => /^[\w-]{1,100}$/.test(key),
        () => "what the interrupted batch printed"
      ),
      Flag.optional
    )
  },
  handler(
    () => import("../../handlers/user/Batch.ts"),
    ({ batch }) => batch
  )
).pipe(Command.withDescription("Check every cell of a CSV file, then submit a run for each row"))
