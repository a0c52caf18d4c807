/**
 * `sluice replay` and `sluice workflow try`: run a workflow against what the pages of earlier runs received.
 */
import { Argument, Command, Flag } from "effect/cli"
import { chromium } from "../../Settings.ts"
import { handler } from "../Handler.ts"
import { service } from "./Service.ts"

const load = () => import("../../handlers/user/Replay.ts")

export const replay = Command.make(
  "replay",
  {
    ...service,
    chromium,
    id: Argument.String("session-id").pipe(Argument.withDescription("Id of a run that has a replay record")),
    workflow: Flag.String("workflow").pipe(
      Flag.withDescription("File of a workflow to run in place of that of the run"),
      Flag.optional
    )
  },
  handler(load, ({ replay }) => replay)
).pipe(Command.withDescription("Run a recorded run again without its site, on this machine; fails if it differs"))

/** The most runs that a workflow is tried against. */
const mostRuns = 1_000

export const tryWorkflow = Command.make(
  "try",
  {
    ...service,
    chromium,
    file: Argument.String("file").pipe(
      Argument.withDescription("File of the workflow, as pull writes it, or a workflow in TypeScript")
    ),
    runs: Flag.Int("runs").pipe(
      Flag.withDescription(`Number of recorded runs of the workflow, newest first, 1 to ${mostRuns}`),
      Flag.filter(
        (runs) => runs >= 1 && runs <= mostRuns,
        () => `a number from 1 to ${mostRuns}`
      ),
      Flag.withDefault(50)
    )
  },
  handler(load, ({ tryWorkflow }) => tryWorkflow)
).pipe(
  Command.withDescription("Replay the last recorded runs of a workflow with a changed file; fails if it does worse")
)
