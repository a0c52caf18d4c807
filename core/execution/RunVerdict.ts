/**
 * Decides about a run after a failed attempt: its error code, whether the run is retried, and whether its workflow is
 * paused.
 */
import { Clock, Effect, Option, type Schema } from "effect"
import type { Failure } from "../agent/Outcome.ts"
import type { RunFailure } from "../event/RunFailure.ts"
import { Gates } from "../gate/Gates.ts"
import type { ClaimedRun } from "../run/RunStore.ts"
import type { Outcome, Retry } from "../run/Transition.ts"
import type { Settings } from "../workflow/Workflow.ts"
import { type ErrorCode, ErrorCodeStore } from "../workspace/ErrorCodes.ts"
import { Identifiers } from "../workspace/Identifiers.ts"

/**
 * A failed attempt. `acted` if it had an effect on the site that a retry would repeat; `committed` if it passed a node
 * that must not be repeated.
 */
export interface FailedAttempt {
  readonly data: Schema.Json
  readonly failure: Failure
  readonly acted: boolean
  readonly committed: boolean
}

/** Makes the function that decides about a run after a failed attempt. */
export const make = Effect.gen(function* () {
  const errorCodes = yield* ErrorCodeStore
  const gates = yield* Gates
  const identifiers = yield* Identifiers

  /** The error code that the failed node names, unless it has been removed since the workflow was saved. */
  const declaredCode = Effect.fnUntraced(function* ({ run }: ClaimedRun, { errorCodeId }: Failure) {
    // A check of a credential neither repeats itself nor pauses the workflow.
    if (errorCodeId === null || run.options.check !== undefined) return null
    return Option.getOrNull(yield* errorCodes.get(run.workspaceId, errorCodeId))
  })

  /** Pauses the workflow in the name of the user who saved the version with this error code. */
  const pause = ({ run, version }: ClaimedRun, code: ErrorCode) =>
    gates
      .pause({ workspaceId: run.workspaceId, userId: version.createdBy, role: "Member" }, run.workflowId, {
        reason: `Paused by the error code ${code.name} of run ${run.id}`,
        until: null
      })
      .pipe(Effect.catchTags({ WorkflowNotFound: () => Effect.void, RoleForbids: Effect.die }))

  return Effect.fn("RunVerdict.of")(function* (
    claimed: ClaimedRun,
    { acted, committed, data, failure }: FailedAttempt
  ) {
    if (failure.code === "BROWSER-E0001" && !acted && !committed) {
      const lost: RunFailure = {
        ...reportedAs(failure, failure.message, null),
        id: yield* identifiers.uuid,
        at: yield* Clock.currentTimeMillis
      }
      return { _tag: "Failed", data, errors: [lost], lostBrowser: true } satisfies Outcome
    }
    const code = yield* declaredCode(claimed, failure)
    const requeued =
      code?.action !== "retry" &&
      claimed.run.options.check === undefined &&
      isRequeued(claimed.version.content.settings, failure)
    const message = requeued && committed ? `${failure.message}. ${noRetryReason}` : failure.message
    const error: RunFailure = {
      ...reportedAs(failure, message, code),
      id: yield* identifiers.uuid,
      at: yield* Clock.currentTimeMillis
    }
    if (code?.action === "pause") yield* pause(claimed, code)
    const retry = code?.action === "retry" ? { retry: retryOf(code) } : requeued ? { retry: later } : {}
    const login = failure.failedLogin === null ? {} : { failedLogin: failure.failedLogin }
    return { _tag: "Failed", data, errors: [error], ...retry, ...login } satisfies Outcome
  })
})

/** The report of a failure, with the name and description of the error code of the node, if any. */
const reportedAs = (
  { errorCodeId: _code, failedLogin: _login, passing: _passing, ...facts }: Failure,
  message: string,
  code: ErrorCode | null
) =>
  code === null
    ? { ...facts, message }
    : { ...facts, code: code.name, message: code.description || code.name, original: message }

/** As many retries as the workflow allows, with exponential delays. */
const later: Retry = { times: null, delayMillis: null }

/** The reason why a run ends although a retry might succeed. */
const noRetryReason = "The run is not retried, because it passed a node that must not be repeated"

/** Whether a run with a temporary failure is retried later. */
const isRequeued = (settings: Settings, { passing }: Failure): boolean =>
  passing && (settings.allow_requeue ?? settings.enable_service_unavailable_recovery ?? false)

const retryOf = ({ retries, retryAfterSeconds }: ErrorCode): Retry => ({
  times: retries,
  delayMillis: retryAfterSeconds === null ? null : Math.round(retryAfterSeconds * 1_000)
})
