/**
 * Submitting a run that has ended again, as a new run. Both records name each other.
 *
 * A run is retried once; to try again, retry its retry. A run that may have done what must not be repeated, or that
 * succeeded, is retried only with a reason, which the record of the new run keeps; so is one that was retried before.
 */
import { Clock, Effect, type Schema } from "effect"
import * as Trace from "../../runtime/Trace.ts"
import { inOneSentence, listed } from "../../window/Problems.ts"
import * as Canary from "../../workflow/canary/Canary.ts"
import * as InputContract from "../../workflow/contract/InputContract.ts"
import type { Problem } from "../../workflow/Workflow.ts"
import { type RunTerms, WorkflowStore } from "../../workflow/WorkflowStore.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import { RunId, type WorkflowId } from "../../workspace/Ids.ts"
import type { Caller } from "../../workspace/Workspace.ts"
import * as CredentialReferences from "../CredentialReferences.ts"
import * as Run from "../Run.ts"
import { RunStore } from "../RunStore.ts"
import * as Slots from "../Slots.ts"
import * as Drafting from "../submit/Drafting.ts"
import * as Transition from "../Transition.ts"

/** How ended runs are submitted again. */
export interface Terms {
  /** `same`: the version that the run executed. `latest`: the latest one of its workflow. */
  readonly version: "same" | "latest"
  /** Values that take the place of those of the same names in the input of the run. */
  readonly input: Schema.JsonObject
  /** Why what must not be repeated is repeated all the same; `null`: it is not. */
  readonly reason: string | null
}

/** What became of a run that is to be retried. */
export type Kind = "retried" | "not_ended" | "not_repeatable" | "already_retried" | "invalid_input" | "workflow_deleted"

interface Answer {
  readonly outcome: Kind | "not_found"
  readonly status: Run.Status | null
  readonly message: string | null
  readonly retriedAs: string | null
  /** The workflow of the run; `null` for one that does not exist. */
  readonly workflowId: WorkflowId | null
  /** What is wrong with the input, each at its path: at most `mostProblems`. Empty unless that is the outcome. */
  readonly problems: ReadonlyArray<Problem>
}

/** How many problems of an input are listed: a call may retry thousands of runs. */
const mostProblems = 20

/** Retries one run. It reports no signals: its caller retries many. */
export const make = Effect.gen(function* () {
  const runs = yield* RunStore
  const workflows = yield* WorkflowStore
  const identifiers = yield* Identifiers

  /** The version that the new run executes; `null` for the same one, which need not be read where the input is the same. */
  const versionFor = Effect.fnUntraced(function* (caller: Caller, run: Run.Run, { input, version }: Terms) {
    if (version === "latest") {
      const { canary, version } = yield* workflows.get(caller.workspaceId, run.workflowId)
      return { ...Canary.assign(version, canary, run.id), canary }
    }
    if (Object.keys(input).length === 0) return null
    const all = yield* workflows.versions(caller.workspaceId, run.workflowId)
    const number = all.find(({ versionId }) => versionId === run.versionId)?.versionNumber ?? 0
    return { ...(yield* workflows.version(caller.workspaceId, run.workflowId, number)).version, canary: null }
  })

  const problemsOf = Effect.fnUntraced(function* (caller: Caller, version: RunTerms, input: Schema.JsonObject) {
    const errors = yield* Drafting.checkInput(caller.workspaceId, version, input)
    return errors.map(InputContract.asProblem)
  })

  const { expiry } = yield* Drafting.make

  return Effect.fnUntraced(
    function* (caller: Caller, id: RunId, terms: Terms & { readonly dryRun: boolean }) {
      const { gate, run } = yield* runs.get(caller.workspaceId, id)
      const status = Run.statusAt(run, gate, yield* Clock.currentTimeMillis)
      const refuse = (outcome: Kind, message: string, retriedAs: string | null = null): Answer => ({
        outcome,
        status,
        message,
        retriedAs,
        workflowId: run.workflowId,
        problems: []
      })
      const refuseInput = (problems: ReadonlyArray<Problem>): Answer => ({
        ...refuse("invalid_input", inOneSentence(problems)),
        problems: listed(problems.slice(0, mostProblems))
      })
      const done = (retriedAs: string | null): Answer => ({
        outcome: "retried",
        status,
        message: null,
        retriedAs,
        workflowId: run.workflowId,
        problems: []
      })
      if (!Run.isEnded(run)) return refuse("not_ended", "It has not ended: only what has ended is retried")
      if (gate.removedAt !== null) return refuse("workflow_deleted", "Its workflow was deleted")
      const risk = terms.reason === null ? Transition.whyNotRepeatable(run) : null
      if (risk !== null) return refuse("not_repeatable", risk)

      const attempt: Effect.Effect<Answer, Failures> = Effect.gen(function* () {
        const version = yield* versionFor(caller, run, terms)
        const input = { ...run.input, ...terms.input }
        const problems = version === null ? [] : yield* problemsOf(caller, version, input)
        if (problems.length > 0) return refuseInput(problems)
        // A retry belongs to the request that asked for it.
        const { canary: _arm, requestId: _request, submittedBy: _key, traceparent: _position, ...options } = run.options
        const submission: Transition.Submission & { readonly retry: Run.Retry } = {
          id: RunId.make(yield* identifiers.uuid),
          workspaceId: run.workspaceId,
          workflowId: run.workflowId,
          versionId: version?.versionId ?? run.versionId,
          input,
          credentials:
            version === null
              ? run.credentials.map(({ tried: _, ...one }) => Slots.unassigned(one))
              : CredentialReferences.of(version.content, input),
          options: {
            ...options,
            ...(yield* Trace.origin),
            ...Run.submittedBy(caller),
            ...Canary.ofRun(version?.canary ?? null, id)
          },
          trigger: "retry",
          tags: run.tags,
          // The instant by which the run had to start may have passed.
          priority: run.priority,
          maxRetries: version?.content.max_retries ?? run.maxRetries,
          expiresAt: yield* expiry(caller.workspaceId),
          retry: { of: id, by: caller.userId, reason: terms.reason }
        }
        if (terms.dryRun) {
          const [before] = yield* runs.retriesOf([id])
          return before === undefined || terms.reason !== null
            ? done(null)
            : refuse("already_retried", alreadyRetried(before.retry), before.retry)
        }
        const isLatest = terms.version === "latest"
        const retried = yield* runs.retry(submission, { isLatest })
        return done(retried.run.id)
      }).pipe(
        Effect.catchTags({
          // The workflow was saved in between.
          VersionOutdated: () => attempt,
          AlreadyRetried: ({ retriedAs }) =>
            Effect.succeed(refuse("already_retried", alreadyRetried(retriedAs), retriedAs)),
          FieldsTooLarge: ({ message }) => Effect.succeed(refuse("invalid_input", message)),
          WorkflowNotFound: () => Effect.succeed(refuse("workflow_deleted", "Its workflow was deleted"))
        })
      )
      return yield* attempt
    },
    (retrying, _caller, id) =>
      Effect.catchTag(retrying, "RunNotFound", () =>
        Effect.succeed<Answer>({
          outcome: "not_found",
          status: null,
          message: `Run "${id}" not found in this workspace`,
          retriedAs: null,
          workflowId: null,
          problems: []
        })
      )
  )
})

type Failures = Effect.Error<ReturnType<RunStore["Service"]["get"]>>

const alreadyRetried = (retriedAs: string) =>
  `It was retried already, as run ${retriedAs}: retry that one, or send force with a reason`
