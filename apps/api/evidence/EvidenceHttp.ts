/** Answers the endpoints of evidence. */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { isNoise } from "../../../core/browser/Exchange.ts"
import * as NetworkEventJson from "../../../core/browser/NetworkEventJson.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { ArtifactStore } from "../../../core/run/artifact/ArtifactStore.ts"
import type { Frame, Group } from "../../../core/run/evidence/ErrorReports.ts"
import { Evidence } from "../../../core/run/evidence/Evidence.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { instantExample, parseInstant } from "../http/body/Query.ts"
import * as Errors from "../http/Errors.ts"
import { origin } from "../http/Origin.ts"
import { iso, screenshots } from "../run/RunRecord.ts"
import { runId } from "../run/RunsHttp.ts"
import { workflowId } from "../workflow/WorkflowsHttp.ts"
import type { ErrorReport } from "./EvidenceApi.ts"

/** Lifetime of the addresses in the answer about a node, in milliseconds. */
const linkMillis = 3_600_000

const notRecorded =
  "This run was not recorded: set enable_network_listener on the workflow, or start the run with debug, to record the requests of its pages"

const noReplayRecord =
  "This run has no replay record: set record on the workflow, so that later runs have one. A record is kept as long as the other evidence of its run"

export const layer = HttpApiBuilder.group(
  Api,
  "evidence",
  Effect.fn(function* (handlers) {
    const evidence = yield* Evidence
    const links = yield* ArtifactLinks
    const artifacts = yield* ArtifactStore

    const report = Effect.fnUntraced(function* (workflows: string | undefined, query: Sent) {
      const frame = yield* readFrame(query)
      const ids = workflows?.split(",").map((id) => id.trim())
      const workflowIds = ids === undefined ? undefined : yield* Effect.forEach(ids, workflowId)
      const groups = yield* evidence.errors(yield* CurrentCaller, {
        ...frame,
        ...(workflowIds === undefined ? {} : { workflowIds })
      })
      return reportJson(workflowIds?.length === 1 ? (workflowIds[0] ?? null) : null, frame, groups)
    })

    return handlers.handleAll({
      debugSnapshot: Effect.fn(function* ({ params }) {
        const id = yield* runId(params.session_id)
        const { events, snapshot } = yield* evidence.node(yield* CurrentCaller, id, params.node_id)

        const addresses = yield* links.lasting(yield* origin, linkMillis)
        return {
          session_id: id,
          node_id: params.node_id,
          page_snapshot_url: Option.match(snapshot, {
            onNone: () => null,
            onSome: ({ artifactId }) => addresses.artifact(artifactId).url
          }),
          screenshots: screenshots(events, addresses, yield* artifacts.summary(id)).filter(
            ({ node_id }) => node_id === params.node_id
          )
        }
      }),
      network: Effect.fn(function* ({ params, query }) {
        const id = yield* runId(params.session_id)
        const { complete, log, recorded } = yield* evidence.network(yield* CurrentCaller, id)
        const all = query.include_noise === "true" || query.include_noise === "1"
        return {
          session_id: id,
          complete,
          truncated: log.truncated,
          events: log.events.filter((event) => all || !isNoise(event)).map(NetworkEventJson.write),
          ...(recorded ? {} : { message: notRecorded })
        }
      }),
      replayRecord: Effect.fn(function* ({ params }) {
        const id = yield* runId(params.session_id)
        const found = yield* evidence.replayRecord(yield* CurrentCaller, id)
        const addresses = yield* links.lasting(yield* origin, linkMillis)
        return Option.match(found, {
          onNone: () => ({ session_id: id, replay_record_url: null, message: noReplayRecord }),
          onSome: (artifactId) => ({ session_id: id, replay_record_url: addresses.artifact(artifactId).url })
        })
      }),
      errors: ({ params, query }) => report(params.workflow_id, query),
      reportedErrors: ({ query }) => report(query.workflow_id, query)
    })
  })
)

interface Sent {
  readonly start_timestamp?: string
  readonly end_timestamp?: string
  readonly start_time?: string
  readonly end_time?: string
  readonly error_code?: string
  readonly error_codes?: string
  readonly limit?: string
}

const defaultLimit = 1_000

/** Reads the time frame; everything that is wrong is reported at its parameter. */
const readFrame = (query: Sent): Effect.Effect<Frame, Errors.BadRequest> => {
  const problems: Array<{ readonly path: string; readonly message: string }> = []
  const instant = (older: "start_timestamp" | "end_timestamp", newer: "start_time" | "end_time"): number => {
    const name = query[older] === undefined && query[newer] !== undefined ? newer : older
    const text = query[name]
    const at = text === undefined ? null : parseInstant(text)
    if (query[older] !== undefined && query[newer] !== undefined) {
      problems.push({ path: newer, message: `Expected either ${older} or ${newer}` })
    } else if (at === null) {
      const got = text === undefined ? "nothing" : `"${text.slice(0, 80)}"`
      problems.push({ path: name, message: `Expected ${instantExample}, got ${got}` })
    }
    return at ?? Number.NaN
  }
  const [from, to] = [instant("start_timestamp", "start_time"), instant("end_timestamp", "end_time")]
  const codes = [
    ...(query.error_code === undefined ? [] : [query.error_code]),
    ...(query.error_codes?.split(",").map((code) => code.trim()) ?? [])
  ]
  if (to < from)
    problems.push({ path: "end_timestamp", message: "Expected an instant that is not before start_timestamp" })
  const written = query.limit ?? String(defaultLimit)
  const limit = Number(written)
  if (!/^\d{1,4}$/.test(written) || limit < 1 || limit > 1_000) {
    problems.push({ path: "limit", message: `Expected a number from 1 to 1000, got "${written.slice(0, 80)}"` })
  }
  return problems.length === 0
    ? Effect.succeed({ from, to, limit, ...(codes.length === 0 ? {} : { codes }) })
    : Effect.fail(Errors.invalid(problems))
}

const reportJson = (
  workflow: string | null,
  { from, to }: Frame,
  groups: ReadonlyArray<Group>
): typeof ErrorReport.Type => ({
  workflow_id: workflow,
  timeframe: { start: iso(from), end: iso(to) },
  total_errors: groups.reduce((sum, { count }) => sum + count, 0),
  error_groups: Object.fromEntries(
    groups.map(({ code, count, errors }) => [
      code,
      {
        count,
        errors: errors.map(({ error, runId }) => ({
          session_id: runId,
          error_id: error.id,
          created_at: iso(error.at),
          error_code: error.code,
          error_category: error.category,
          message: error.message,
          error_description: error.description ?? error.message,
          error_details: error.original
        }))
      }
    ])
  )
})
