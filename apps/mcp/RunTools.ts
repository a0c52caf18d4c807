/** The tools of runs: they are submitted, followed for a bounded time, listed, stopped and repeated. */
import { Effect, Option, Schema, Stream } from "effect"
import * as Run from "../../core/run/Run.ts"
import type { Client } from "../api/Client.ts"
import * as Events from "../api/Client.ts"
import type { RunRecord } from "../api/run/RunRecord.ts"
import * as FailedRun from "./FailedRun.ts"
import * as PageText from "./PageText.ts"
import type { Step } from "./Steps.ts"
import { type Answer, type Place, tool } from "./Tool.ts"
import * as Untrusted from "./Untrusted.ts"

/** The longest wait of a call, in seconds: hosts give up on a call after 60. */
const longestWait = 45

const session_id = Schema.String
const wait_seconds = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: longestWait })).annotate({
    description: "Wait so long for its end or for a person it needs"
  })
)
const inputs = Schema.optionalKey(Schema.JsonObject.annotate({ description: "By the input_schema" }))

type Record = typeof RunRecord.Type

const ended: ReadonlySet<string> = new Set(["execution.success", "execution.failed", "execution.stopped"])

/** The events at which a wait ends: the run has, or a person has to act. */
const waitsFor: ReadonlySet<string> = new Set([...ended, "interaction.waiting", "execution.input_required"])

const read = (client: Client, session_id: string) => client.runs.record({ params: { session_id } })

/** Waits until the run has ended or needs a person, but not longer than the seconds. */
const waited = ({ client }: Place, session_id: string, seconds: number) =>
  seconds === 0
    ? Effect.void
    : Effect.gen(function* () {
        const { events, status } = yield* read(client, session_id)
        if (ended.has(status)) return
        const after = String(events.length)
        yield* Events.events(client, session_id, { after }).pipe(
          Stream.takeUntil(({ event }) => waitsFor.has(event)),
          Stream.runDrain,
          Effect.timeoutOption(`${seconds} seconds`)
        )
      })

/** What a person opens to sign in, to answer or to approve. */
const pageOf = ({ publicUrl }: Place, session_id: string): string => `${publicUrl}/#/runs/${session_id}`

/** The question of a run that waits for a person. It is answered on the page, never here. */
const questionOf = ({ client }: Place, session_id: string) =>
  client.interactions.openQuestion({ params: { session_id } }).pipe(
    Effect.map(({ current_step, kind, message, missing_properties }) => ({
      kind,
      current_step,
      message,
      missing_properties
    })),
    Effect.option,
    Effect.map(Option.getOrNull)
  )

const described = (run: Record) => ({
  session_id: run.session_id,
  workflow_id: run.workflow_id,
  status: run.status,
  ended: ended.has(run.status),
  created_at: run.created_at,
  started_at: run.execution_start,
  ended_at: run.execution_end,
  retries: run.session_retries,
  ...(run.waits_for.length === 0
    ? {}
    : { waits_for: run.waits_for.map(({ reason, until }) => ({ reason, until })), can_start_at: run.can_start_at }),
  ...(run.outcome_certainty === null ? {} : { outcome_certainty: run.outcome_certainty }),
  files: run.file_urls.length,
  screenshots: run.screenshot_urls.length
})

/** The step of a failure as its workflow has it now, and what runs suggest for it. */
const failedStep = Effect.fnUntraced(function* (client: Client, { workflow_id }: Record, node: string | null) {
  if (node === null) return { step: null, suggestions: [] }
  const params = { workflow_id }
  const view = yield* Effect.option(client.workflows.get({ params }))
  const patches = yield* Effect.option(client.patches.listPatches({ params }))
  const nodes = Option.match(view, { onNone: () => [], onSome: ({ nodes }) => nodes as unknown as ReadonlyArray<Step> })
  return {
    step: nodes.find(({ id }) => id === node) ?? null,
    suggestions: Option.getOrElse(patches, () => []).filter(
      ({ node_id, state }) => state === "offered" && node_id === node
    )
  }
})

/** The page at the failed step, if the run kept it. */
const pageAt = Effect.fnUntraced(function* ({ client, snapshot }: Place, session_id: string, node_id: string | null) {
  if (node_id === null) return null
  const found = yield* Effect.option(client.evidence.debugSnapshot({ params: { session_id, node_id } }))
  const address = Option.match(found, { onNone: () => null, onSome: ({ page_snapshot_url }) => page_snapshot_url })
  const html = address === null ? null : yield* snapshot(address)
  return html === null ? null : PageText.read(html)
})

const answerOf = Effect.fnUntraced(function* (place: Place, run: Record) {
  const error = run.status === "execution.failed" ? run.errors.at(-1) : undefined
  const question = ended.has(run.status) ? null : yield* questionOf(place, run.session_id)
  const data = {
    ...described(run),
    ...(question === null
      ? {}
      : {
          needs_person: {
            open: pageOf(place, run.session_id),
            what:
              question.kind === "approval"
                ? "A person approves or refuses on this page, signed in with another key than this one"
                : "A person answers on this page"
          }
        }),
    ...(error === undefined ? {} : { error_code: error.error_code, failed_step: error.node_id }),
    ...Untrusted.marked({
      output: run.output_data,
      question,
      error: error === undefined ? null : error.message,
      warnings: run.warnings.slice(0, 20).map(({ code, message, node }) => ({ code, message, step: node.name }))
    })
  }
  if (error === undefined) return { data } satisfies Answer
  const { step, suggestions } = yield* failedStep(place.client, run, error.node_id)
  const text = FailedRun.markdown({
    session_id: run.session_id,
    workflow_id: run.workflow_id,
    status: run.status,
    outcome_certainty: run.outcome_certainty,
    error: {
      code: error.error_code,
      message: error.message,
      description: error.llm_error_description,
      address: error.full_url
    },
    step,
    page: yield* pageAt(place, run.session_id, error.node_id),
    suggestions
  })
  return { data, text } satisfies Answer
})

const runWorkflow = tool({
  name: "run_workflow",
  title: "Run a workflow",
  description:
    "Submit a run; answers its id at once. The run window of the workflow may hold it: see waits_for. dry_run ends before steps that are marked as final.",
  needs: "run",
  destructive: true,
  fields: {
    workflow_id: Schema.String,
    inputs,
    dry_run: Schema.optionalKey(Schema.Boolean),
    debug: Schema.optionalKey(Schema.Boolean.annotate({ description: "Keep the page at each step; default true" })),
    tags: Schema.optionalKey(Schema.Array(Schema.String)),
    wait_seconds
  },
  run: ({ debug = true, dry_run = false, inputs = {}, tags = [], wait_seconds = 0, workflow_id }, place) =>
    Effect.gen(function* () {
      const { session_id } = yield* place.client.runs.start({
        payload: {
          workflow_id,
          run_input_variables: inputs,
          debug,
          ...(tags.length === 0 ? {} : { tags }),
          ...(dry_run ? { dry_run: { enabled: true } } : {})
        }
      })
      yield* waited(place, session_id, wait_seconds)
      return yield* answerOf(place, yield* read(place.client, session_id))
    })
})

const getRun = tool({
  name: "get_run",
  title: "Read a run",
  description: "Status, output and cause of failure of a run. A failed run is explained as Markdown.",
  needs: "read",
  fields: { session_id, wait_seconds },
  run: ({ session_id, wait_seconds = 0 }, place) =>
    Effect.gen(function* () {
      yield* waited(place, session_id, wait_seconds)
      return yield* answerOf(place, yield* read(place.client, session_id))
    })
})

const listRuns = tool({
  name: "list_runs",
  title: "List runs",
  description: "Runs of the last day and all waiting ones, newest first.",
  needs: "read",
  fields: {
    workflow_id: Schema.optionalKey(Schema.String),
    status: Schema.optionalKey(Run.Status),
    start_time: Schema.optionalKey(Schema.String.annotate({ description: "ISO 8601, to see older ones" })),
    limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }))),
    cursor: Schema.optionalKey(Schema.String.annotate({ description: "next_cursor of the page before" }))
  },
  run: ({ limit = 20, ...filter }, { client }) =>
    Effect.map(
      client.runs.listRuns({ query: { ...filter, limit: String(limit) }, responseMode: "decoded-and-response" }),
      ([runs, { headers }]) => ({
        data: {
          next_cursor: headers["x-next-cursor"] ?? null,
          runs: runs.map(
            ({ created_at, dry_run, error, hold, session_id, status, tags, workflow_id, workflow_name }) => ({
              session_id,
              workflow_id,
              workflow_name,
              status,
              hold,
              created_at,
              error_code: error?.error_code ?? null,
              dry_run,
              tags
            })
          )
        }
      })
    )
})

const stopRun = tool({
  name: "stop_run",
  title: "Stop a run",
  description: "Stop a waiting or running run.",
  needs: "run",
  destructive: true,
  fields: { session_id },
  run: ({ session_id }, { client }) =>
    Effect.as(client.runs.interrupt({ params: { session_id } }), { data: { session_id, stopped: true } })
})

const retryRun = tool({
  name: "retry_run",
  title: "Repeat a run",
  description:
    "Submit a run that has ended again, as a new run. Refused where its effects may have happened: a person decides that.",
  needs: "run",
  destructive: true,
  fields: {
    session_id,
    inputs: Schema.optionalKey(Schema.JsonObject.annotate({ description: "Values that replace those of its input" })),
    version: Schema.optionalKey(Schema.Literals(["same", "latest"]))
  },
  run: ({ inputs, session_id, version = "latest" }, { client }) =>
    Effect.map(
      client.runVerbs.retry({
        payload: {
          session_ids: [session_id],
          version,
          ...(inputs === undefined ? {} : { run_input_variables: inputs })
        }
      }),
      ({ results: [result] }) => ({
        data: {
          session_id: result?.retry_session_id ?? null,
          outcome: result?.outcome ?? "not_found",
          message: result?.message ?? null,
          ...(result?.errors === undefined ? {} : { errors: result.errors })
        }
      })
    )
})

const checkInputs = tool({
  name: "check_inputs",
  title: "Check inputs",
  description: "Check inputs against a workflow without a run; without inputs, examples that fit.",
  needs: "read",
  fields: { workflow_id: Schema.String, inputs },
  run: ({ inputs, workflow_id }, { client }) =>
    Effect.gen(function* () {
      const params = { workflow_id }
      if (inputs === undefined) {
        return { data: { examples: (yield* client.workflows.examplePayloads({ params })).slice(0, 3) } }
      }
      const verdict = yield* client.workflows.validateInput({ params, payload: { run_input_variables: inputs } })
      return { data: { valid: verdict.valid, errors: verdict.errors ?? [] } }
    })
})

const listCredentials = tool({
  name: "list_credentials",
  title: "List credentials",
  description: "The names of credentials for inputs, never their secrets. A person adds them in the console.",
  needs: "read",
  fields: { domain: Schema.optionalKey(Schema.String) },
  run: ({ domain }, { client }) =>
    Effect.map(client.vault.listEntries({ query: domain === undefined ? {} : { domain } }), (found) => ({
      data: {
        credentials: [found].flat().map((entry) => ({
          permissioned_user_id: entry.permissioned_user_id,
          domain: entry.domain,
          user_alias: entry.user_alias ?? null,
          second_factor: entry.tfa_method ?? null,
          session_until: entry.effective_expires_at
        }))
      }
    }))
})

export const reading = [listRuns, getRun, checkInputs, listCredentials] as const
export const running = [runWorkflow, stopRun, retryRun] as const
