/**
 * `sluice schedule`: the schedules that submit runs of workflows.
 */
import { Argument, Command, Flag } from "effect/cli"
import { CatchUp, Overlap } from "../../../../core/schedule/RunSchedule.ts"
import { handler } from "../Handler.ts"
import { reason } from "./Execute.ts"
import { tags } from "./NewRunTerms.ts"
import { service } from "./Service.ts"

const load = () => import("../../handlers/user/Schedules.ts")

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const workflow = text("workflow", "Id or name of the workflow")

const terms = {
  workflow,
  name: text("name", "Name of the schedule"),
  cron: text("cron", 'Cron expression, such as "30 7 * * MON-FRI"'),
  recurrence: text("recurrence", "Recurrence rule of RFC 5545, such as FREQ=DAILY"),
  atOpening: Flag.Boolean("at-opening").pipe(
    Flag.withDescription("Fire whenever the run window of the workflow opens"),
    Flag.withDefault(false)
  ),
  timeZone: text("time-zone", "Time zone of the times, such as Europe/Berlin"),
  input: text("input", "Input of each run: a JSON object, or @ and a file"),
  tag: tags,
  priority: Flag.Int("priority").pipe(
    Flag.withDescription("Priority of each run, from -10 to 10; of the waiting runs a higher one starts first"),
    Flag.optional
  ),
  startWithin: Flag.Int("start-within").pipe(
    Flag.withDescription("End runs that have not started within this number of minutes after their submission"),
    Flag.optional
  ),
  overlap: Flag.Literals("overlap", Overlap.literals).pipe(
    Flag.withDescription("What a firing does while an earlier run has not ended"),
    Flag.optional
  ),
  catchUp: Flag.Literals("catch-up", CatchUp.literals).pipe(
    Flag.withDescription("Which missed firings are caught up after an outage"),
    Flag.optional
  ),
  catchUpLimit: Flag.Int("catch-up-limit").pipe(
    Flag.withDescription("How many missed firings --catch-up all catches up at most"),
    Flag.optional
  ),
  jitter: Flag.Int("jitter").pipe(
    Flag.withDescription("Delay each firing by less than so many seconds, each by another part of them"),
    Flag.optional
  ),
  startsAt: text("starts-at", "First instant at which it may fire, such as 2026-12-01T00:00:00+01:00"),
  endsAt: text("ends-at", "Last instant at which it may fire")
}

const id = Argument.String("schedule-id").pipe(Argument.withDescription("Id of the schedule"))

export const schedule = Command.make("schedule").pipe(
  Command.withDescription("List, show, create, preview, run, pause, resume and delete schedules"),
  Command.withSubcommands([
    Command.make(
      "list",
      { ...service, workflow },
      handler(load, ({ list }) => list)
    ).pipe(Command.withDescription("List schedules, oldest first")),
    Command.make(
      "show",
      { ...service, id },
      handler(load, ({ show }) => show)
    ).pipe(Command.withDescription("Show a schedule with its latest 20 firings, and why one submitted no run")),
    Command.make(
      "create",
      { ...service, ...terms },
      handler(load, ({ create }) => create)
    ).pipe(Command.withDescription("Create a schedule with --cron, --recurrence or --at-opening")),
    Command.make(
      "preview",
      {
        ...service,
        ...terms,
        id: Argument.String("schedule-id").pipe(
          Argument.withDescription("Id of a schedule; without it, the schedule that create would make"),
          Argument.optional
        )
      },
      handler(load, ({ preview }) => preview)
    ).pipe(Command.withDescription("Show the next ten firings, and when their runs could start")),
    Command.make(
      "run-now",
      { ...service, id },
      handler(load, ({ runNow }) => runNow)
    ).pipe(Command.withDescription("Submit a run of a schedule now, with its inputs, whatever its times say")),
    Command.make(
      "pause",
      {
        ...service,
        id,
        reason: reason("Why")
      },
      handler(load, ({ pause }) => pause)
    ).pipe(Command.withDescription("Pause a schedule until it is resumed")),
    Command.make(
      "resume",
      { ...service, id },
      handler(load, ({ resume }) => resume)
    ).pipe(Command.withDescription("Resume a schedule; the firings of its pause are not caught up")),
    Command.make(
      "delete",
      { ...service, id },
      handler(load, ({ remove }) => remove)
    ).pipe(Command.withDescription("Delete a schedule; its runs stay"))
  ])
)
