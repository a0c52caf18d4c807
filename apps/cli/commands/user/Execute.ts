/**
 * `sluice run`: starts a run of a workflow, and follows it if asked.
 */
import { Argument, Command, Flag } from "effect/cli"
import { handler } from "../Handler.ts"
import { termsOfOne } from "./NewRunTerms.ts"
import { service } from "./Service.ts"

/** Maximum length of a reason, in characters. */
const mostOfReason = 1_024

/** The flag for the reason of a command. */
export const reason = (description: string) =>
  Flag.String("reason").pipe(
    Flag.withDescription(description),
    Flag.filter(
      (text) => text.length <= mostOfReason,
      () => `at most ${mostOfReason} characters`
    ),
    Flag.optional
  )

/** Where the artifacts of a run are saved. */
export const save = Flag.String("save").pipe(
  Flag.withDescription("Save the files, pictures and recordings of the run, and its record, in this empty folder"),
  Flag.optional
)

/** Whether a run that was started is followed. */
export const watch = Flag.Boolean("watch").pipe(
  Flag.withDescription("Print the steps as they happen, and fail unless the run succeeds"),
  Flag.withDefault(false)
)

const settings = {
  ...service,
  save,
  workflow: Argument.String("workflow").pipe(Argument.withDescription("Id or name of the workflow")),
  input: Flag.String("input").pipe(
    Flag.withDescription('Input of the run: a JSON object such as {"month": "2026-10"}, or @ and a file'),
    Flag.optional
  ),
  terms: termsOfOne,
  watch,
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Start a dry run, which ends before actions that cannot be undone"),
    Flag.withDefault(false)
  )
}

/** Also available as `sluice workflow run`. */
export const run = Command.make(
  "run",
  settings,
  handler(
    () => import("../../handlers/user/Execute.ts"),
    ({ run }) => run
  )
).pipe(Command.withDescription("Start a run of a workflow, and follow it with --watch"))
