/**
 * `sluice runs`: lists runs, explains them, and acts on one or many.
 */
import { Argument, Command, Flag } from "effect/cli"
import * as Tags from "../../../../core/workspace/request/Tags.ts"
import { handler } from "../Handler.ts"
import { reason, save } from "./Execute.ts"
import { tagsNamed } from "./NewRunTerms.ts"
import { filter } from "./Selection.ts"
import { service } from "./Service.ts"

const loadLists = () => import("../../handlers/user/Runs.ts")
const loadQuestions = () => import("../../handlers/user/RunQuestions.ts")
const loadVerbs = () => import("../../handlers/user/RunVerbs.ts")

const id = Argument.String("session-id").pipe(Argument.withDescription("Id of the run"))

const whole = (name: string, description: string) => Flag.Int(name).pipe(Flag.withDescription(description))

/** Runs by their ids, or by a filter. */
const selection = {
  ids: Argument.String("session-id").pipe(
    Argument.withDescription("Ids of runs, instead of a filter"),
    Argument.variadic()
  ),
  filter,
  limit: whole("limit", "Maximum number of runs of the filter, newest first").pipe(
    Flag.filter(
      (limit) => limit > 0,
      () => "a number from 1 on"
    ),
    Flag.optional
  ),
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Report what the command would do, and change nothing"),
    Flag.withDefault(false)
  )
}

const because = reason("Reason, for the records of the runs")

const ls = Command.make(
  "ls",
  {
    ...service,
    filter,
    limit: whole("limit", "Maximum number of listed runs, 1 to 10000").pipe(
      Flag.filter(
        (limit) => limit > 0 && limit <= 10_000,
        () => "a number from 1 to 10000"
      ),
      Flag.withDefault(50)
    ),
    cursor: Flag.String("cursor").pipe(Flag.withDescription("next_cursor of the page before this one"), Flag.optional)
  },
  handler(loadLists, ({ ls }) => ls)
).pipe(Command.withDescription("List runs, newest first; without filters, those of the last day and all waiting ones"))

const summary = Command.make(
  "summary",
  { ...service, filter },
  handler(loadLists, ({ summary }) => summary)
).pipe(Command.withDescription("Count runs by status, hold, workflow, error code and tag"))

const show = Command.make(
  "show",
  { ...service, id, save },
  handler(loadLists, ({ show }) => show)
).pipe(Command.withDescription("Show a run: its status, steps, errors and results"))

const logs = Command.make(
  "logs",
  {
    ...service,
    id,
    follow: Flag.Boolean("follow").pipe(
      Flag.withDescription("Print further events until the run has ended"),
      Flag.withDefault(false)
    )
  },
  handler(loadLists, ({ logs }) => logs)
).pipe(Command.withDescription("Print the events of a run, oldest first, each on a line"))

const why = Command.make(
  "why",
  { ...service, id },
  handler(loadLists, ({ why }) => why)
).pipe(
  Command.withDescription("Explain why a run has not started: since when, until when, by whom, and what can be done")
)

const wait = Command.make(
  "wait",
  {
    ...service,
    ids: Argument.String("session-id").pipe(Argument.withDescription("Ids of runs"), Argument.variadic({ min: 1 })),
    timeout: whole("timeout", "Maximum wait in seconds; no limit when not set").pipe(
      Flag.filter(
        (seconds) => seconds > 0,
        () => "a number of seconds from 1 on"
      ),
      Flag.optional
    )
  },
  handler(loadLists, ({ wait }) => wait)
).pipe(Command.withDescription("Wait until runs have ended; fails unless all of them succeeded"))

const release = Command.make(
  "release",
  {
    ...service,
    ...selection,
    pastPause: Flag.Boolean("past-pause").pipe(
      Flag.withDescription("Also release runs past the manual pause of the workflow"),
      Flag.withDefault(false)
    )
  },
  handler(loadVerbs, ({ release }) => release)
).pipe(Command.withDescription("Let waiting runs start now although their run window is closed"))

const interrupt = Command.make(
  "interrupt",
  { ...service, ...selection, reason: because },
  handler(loadVerbs, ({ interrupt }) => interrupt)
).pipe(Command.withDescription("Stop waiting and running runs"))

const retry = Command.make(
  "retry",
  {
    ...service,
    ...selection,
    reason: because,
    at: Flag.Literals("at", ["same", "latest"]).pipe(
      Flag.withDescription("The version of the workflow that the new runs execute"),
      Flag.withDefault("same" as const)
    ),
    input: Flag.String("input").pipe(
      Flag.withDescription("JSON object of inputs that replace those with the same names"),
      Flag.optional
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Also retry runs whose actions must not be repeated; needs --reason"),
      Flag.withDefault(false)
    )
  },
  handler(loadVerbs, ({ retry }) => retry)
).pipe(Command.withDescription("Submit ended runs again, as new runs"))

const question = Command.make(
  "question",
  { ...service, id },
  handler(loadQuestions, ({ question }) => question)
).pipe(Command.withDescription("Show what a run in progress asks a person, with the digest of an act to approve"))

const deciding = {
  ...service,
  id,
  digest: Flag.String("digest").pipe(Flag.withDescription("Digest of the act, as `runs question` shows it")),
  reason: reason("Reason, for the audit trail")
}

const approve = Command.make(
  "approve",
  deciding,
  handler(loadQuestions, ({ approve }) => approve)
).pipe(Command.withDescription("Approve the act that a run waits with, and no other"))

const refuse = Command.make(
  "refuse",
  deciding,
  handler(loadQuestions, ({ refuse }) => refuse)
).pipe(Command.withDescription("Refuse the act that a run waits with, so that the run fails"))

const tag = Command.make(
  "tag",
  {
    ...service,
    ...selection,
    add: tagsNamed("add", `A tag to add, may be repeated; a run has at most ${Tags.most}`),
    remove: tagsNamed("remove", "A tag to remove, may be repeated")
  },
  handler(loadVerbs, ({ tag }) => tag)
).pipe(Command.withDescription("Add tags to runs and remove tags from them"))

export const runs = Command.make("runs").pipe(
  Command.withDescription("List, explain, follow, release, interrupt, retry, approve and tag runs"),
  Command.withSubcommands([
    ls,
    summary,
    show,
    logs,
    why,
    wait,
    release,
    interrupt,
    retry,
    question,
    approve,
    refuse,
    tag
  ])
)
