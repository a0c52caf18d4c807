/** Answers the endpoints of run windows, paces and pauses. */
import { Clock, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Waiting } from "../../../core/gate/GateStore.ts"
import { Gates, type WindowView } from "../../../core/gate/Gates.ts"
import type { Pace } from "../../../core/gate/Pace.ts"
import * as Zone from "../../../core/window/calendar/Zone.ts"
import type { RunWindowState } from "../../../core/window/RunWindow.ts"
import { WorkflowId, WorkflowNotFound } from "../../../core/workspace/Ids.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { parseInstant } from "../http/body/Query.ts"
import * as Errors from "../http/Errors.ts"
import * as IfMatch from "../http/IfMatch.ts"
import { holdJson, iso, isoOrNull } from "../run/RunRecord.ts"
import { workflowId } from "../workflow/WorkflowsHttp.ts"
import { forecastJson } from "./ForecastJson.ts"
import type { RunWindowResponse, WorkflowPace } from "./GatesApi.ts"
import * as InForce from "./InForce.ts"

const defaultOpenings = 10
const defaultHistory = 100
const mostRevisions = 2_147_483_647

export const layer = HttpApiBuilder.group(
  Api,
  "runWindows",
  Effect.fn(function* (handlers) {
    const gates = yield* Gates
    return handlers.handleAll({
      getRunWindow: Effect.fn(function* ({ params }) {
        const id = yield* workflowId(params.workflow_id)
        return yield* response(yield* gates.window(yield* CurrentCaller, id))
      }),
      listRunWindows: Effect.fn(function* ({ params, query }) {
        const id = yield* workflowId(params.workflow_id)
        const limit = query.limit ?? defaultHistory
        const before = query.cursor ?? mostRevisions
        const found = yield* gates.history(yield* CurrentCaller, id, { before, limit: limit + 1 })
        const page = found.slice(0, limit)
        return {
          run_windows: page.map(({ revision, setAt, setBy, window }) => ({
            run_window_revision: revision,
            run_window: window,
            set_at: isoOrNull(setAt),
            set_by: setBy
          })),
          next_cursor: found.length > limit ? String(page.at(-1)?.revision) : null
        }
      }),
      setRunWindow: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const id = yield* workflowId(params.workflow_id)
        return yield* response(yield* gates.setWindow(caller, id, payload, yield* InForce.base))
      }),
      removeRunWindow: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        const id = yield* workflowId(params.workflow_id)
        return yield* response(yield* gates.removeWindow(caller, id, yield* InForce.base))
      }),
      previewRunWindow: Effect.fn(function* ({ params, payload, query }) {
        const id = yield* workflowId(params.workflow_id)
        const preview = yield* gates.preview(yield* CurrentCaller, id, payload, {
          openings: query.openings ?? defaultOpenings
        })

        const { endsLift, forecast, held, released, ...rest } = preview
        return {
          ...rest,
          forecast: forecast === null ? null : forecastJson(forecast),
          released_runs: released.map(listed),
          held_runs: held.map(listed),
          ends_lift: endsLift,
          tz_data: Zone.dataVersion,
          releases: preview.releases.runs,
          holds: preview.holds.runs,
          at_least: preview.releases.atLeast || preview.holds.atLeast,
          state: stateJson(preview.state),
          openings: preview.openings.map((opening) => ({
            opens_at: iso(opening.opensAt),
            closes_at: isoOrNull(opening.closesAt),
            decided_by: opening.deciders
          }))
        }
      }),
      getPace: Effect.fn(function* ({ params }) {
        const id = yield* workflowId(params.workflow_id)
        return paceJson(yield* gates.pace(yield* CurrentCaller, id))
      }),
      setPace: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const id = yield* workflowId(params.workflow_id)
        const { max_running: maxRunning, max_starts_per_minute: maxStartsPerMinute } = payload
        const isNone = maxRunning === null && maxStartsPerMinute === null
        return paceJson(yield* gates.setPace(caller, id, isNone ? null : { maxRunning, maxStartsPerMinute }))
      }),
      pause: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const id = yield* workflowId(params.workflow_id)
        const until = yield* futureInstant(payload.until ?? null)
        const holds = yield* gates.pause(caller, id, { reason: payload.reason ?? "Paused by a user", until })

        return { success: true, holds: holds.map(holdJson) }
      }),
      unpause: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const isId = Schema.is(WorkflowId)
        const unknown = payload.resource_ids.filter((id) => !isId(id))
        const { errors, resumedRuns, skipped } = yield* gates.unpause(
          caller,
          payload.pause_resource,
          payload.resource_ids.filter(isId)
        )
        const all = [...errors, ...new Set(unknown.map((id) => new WorkflowNotFound({ workflowId: id }).message))]
        return {
          success: all.length === 0,
          resumedRuns,
          skippedResourceGroups: skipped,
          errors: all
        }
      })
    })
  })
)

const response = (window: WindowView) => Effect.as(IfMatch.tagged(String(window.revision)), shown(window))

const shown = ({ inForce, revision, runWindow, state, warnings }: WindowView): typeof RunWindowResponse.Type => ({
  run_window: runWindow,
  state: state === null ? null : stateJson(state),
  ...InForce.json(revision, inForce),
  ...(warnings.length === 0 ? {} : { warnings })
})

const paceJson = (pace: Pace | null): typeof WorkflowPace.Type => ({
  max_starts_per_minute: pace?.maxStartsPerMinute ?? null,
  max_running: pace?.maxRunning ?? null
})

const stateJson = ({ nextOpenAt, open }: RunWindowState) => ({ open, nextOpenAt: isoOrNull(nextOpenAt) })

const futureInstant = Effect.fnUntraced(function* (text: string | null) {
  if (text === null) return null
  const until = parseInstant(text)
  const now = yield* Clock.currentTimeMillis
  if (until !== null && until > now) return until
  return yield* Effect.fail(
    Errors.invalidAt(
      "until",
      `Expected an instant in the future such as 2027-01-31T08:00:00Z, got "${text.slice(0, 80)}"`
    )
  )
})

const listed = ({ createdAt, id }: Waiting) => ({ session_id: id, created_at: iso(createdAt) })
