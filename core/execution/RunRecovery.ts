/** The recoveries of an attempt: which are enabled, what they report, and what is kept of it for later runs. */
import { Cause, Effect } from "effect"
import type { Execution } from "../agent/Execution.ts"
import type { Observer } from "../agent/Observer.ts"
import * as ElementMemory from "../agent/recovery/ElementMemory.ts"
import * as RecoverySettings from "../agent/recovery/RecoverySettings.ts"
import type { Analysis } from "../agent/recovery/RecoveryStrategy.ts"
import type { RunEvent } from "../event/RunEvent.ts"
import type { Secrets } from "../redaction/Secrets.ts"
import type { Reporter } from "../run/Executor.ts"
import type { ClaimedRun } from "../run/RunStore.ts"
import { outage } from "../runtime/Supervisor.ts"
import { Patches } from "../workflow/patch/Patches.ts"
import type { PlainForm } from "../workflow/patch/PlainForm.ts"
import { Identifiers } from "../workspace/Identifiers.ts"
import { bestEffort } from "./BestEffort.ts"

export interface RunRecovery {
  readonly recovery: NonNullable<Execution["recovery"]>
  /** The plain forms that earlier runs found; absent where the workflow does without them. */
  readonly plainForms?: ReadonlyArray<PlainForm>
  readonly observes: Pick<Observer<never>, "analysed" | "misled" | "offered">
  /** Stores the element fingerprints of the attempt. Failing to store them does not change the result of the run. */
  readonly over: Effect.Effect<void>
}

/** Makes the function that prepares the recoveries of an attempt. */
export const make = Effect.gen(function* () {
  const elements = yield* ElementMemory.ElementMemory
  const identifiers = yield* Identifiers
  const patches = yield* Patches

  return Effect.fnUntraced(function* ({ run, version }: ClaimedRun, reporter: Reporter, secrets: Secrets) {
    const settings = RecoverySettings.of(version.content.settings)
    const { workflowId, workspaceId } = run
    const load = settings.selectors ? elements.of(workspaceId, workflowId) : Effect.succeed([])
    const { learned, memories } = yield* ElementMemory.of(
      load.pipe(
        Effect.catchTag("StoreUnavailable", ({ message }) => Effect.as(outage(`${notRead}: ${message}`), [])),
        Effect.catchCause((cause) =>
          Effect.as(Effect.logWarning(`${notRead}: ${secrets.describe(Cause.squash(cause))}`), [])
        )
      )
    )
    const compiles = version.content.settings.enable_compile === true && run.options.additionalContext == null
    const forms = compiles
      ? yield* patches.plainForms(workspaceId, workflowId).pipe(
          Effect.catchTag("StoreUnavailable", ({ message }) => Effect.as(outage(`${notRead}: ${message}`), [])),
          Effect.catchCause((cause) =>
            Effect.as(Effect.logWarning(`${notRead}: ${secrets.describe(Cause.squash(cause))}`), [])
          )
        )
      : null
    return {
      recovery: { settings, memories },
      ...(forms === null ? {} : { plainForms: forms }),
      observes: {
        analysed: Effect.fnUntraced(function* (analysis) {
          const id = yield* identifiers.uuid
          yield* reporter.event(eventOf({ runId: run.id, workflowId }, id, analysis, secrets))
        }),
        misled: (form) => patches.withdraw(workspaceId, workflowId, form).pipe(bestEffort(secrets, notKept)),
        offered: (offer) => patches.offer(workspaceId, workflowId, offer, run.id).pipe(bestEffort(secrets, notKept))
      },
      over: Effect.suspend(() => elements.keep(workspaceId, workflowId, learned())).pipe(bestEffort(secrets, notKept))
    } satisfies RunRecovery
  })
})

const notRead = "The findings of earlier runs could not be read"
const notKept = "The findings of a run could not be stored"

const eventOf = (
  ids: { readonly runId: string; readonly workflowId: string },
  errorId: string,
  { byModel, classification, kind, node, outcome, popup, remedy }: Analysis,
  secrets: Secrets
): RunEvent => ({
  event: "agent.error_analysis",
  ...ids,
  errorId,
  node: { id: node.id, name: node.name },
  analysis: byModel === null ? null : secrets.hide(byModel),
  rootCause: secrets.hide(classification.description),
  category: classification.category,
  subType: classification.subType,
  recovery: kind,
  remedy: secrets.hide(remedy),
  outcome,
  ...(popup === null
    ? {}
    : {
        popup: {
          phase: popup.phase,
          signature: secrets.hide(popup.signature),
          action: popup.action ?? null,
          label: popup.label == null ? null : secrets.hide(popup.label),
          responseMillis: popup.responseMillis ?? null,
          host: popup.host ?? null
        }
      })
})
