/** The person whom a run asks through the API. Questions are stored and announced, and have a time limit. */

import { Effect, Option } from "effect"
import type { Picture } from "../agent/Observer.ts"
import type { Person, Popup } from "../agent/Person.ts"
import type { OpenPopup } from "../event/RunEvent.ts"
import type { Reporter } from "../run/Executor.ts"
import type { Told } from "../run/interaction/ApprovedAct.ts"
import type { Question } from "../run/interaction/Interaction.ts"
import * as InteractionRequest from "../run/interaction/InteractionRequest.ts"
import type { InteractionStore } from "../run/interaction/InteractionStore.ts"
import type { ClaimedRun } from "../run/RunStore.ts"
import type { Signals } from "../runtime/Signals.ts"
import { waitUntilBack } from "../runtime/StoreUnavailable.ts"
import type { Sealing } from "../vault/keys/Sealing.ts"
import * as InputContract from "../workflow/contract/InputContract.ts"
import type { Node } from "../workflow/language/graph/Graph.ts"
import type { Identifiers } from "../workspace/Identifiers.ts"
import * as Workspace from "../workspace/Workspace.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** Makes the person of an attempt. `upload` stores a screenshot and returns its id; `null` if it cannot be stored. */
export const make = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  const services = yield* Effect.context<InteractionStore | Signals | Identifiers | Sealing>()

  return (
    { run, version }: ClaimedRun,
    reporter: Reporter,
    upload: (picture: Picture) => Effect.Effect<string | null>
  ): Person => {
    const asker = {
      workspaceId: run.workspaceId,
      workflowId: run.workflowId,
      runId: run.id,
      fence: run.lease.fence
    }
    const ask = (question: Question, lifetimeMillis: number) =>
      Effect.provide(InteractionRequest.ask(asker, question, lifetimeMillis, reporter.event), services)

    return {
      ask: Effect.fnUntraced(function* ({ message, node, schema, shot = null, timeoutMillis }) {
        if (shot !== null) {
          yield* upload({ ...shot, node, error: false, fullPage: false, metadata: { purpose: "question" } })
        }
        const answer = yield* ask(
          { subject: { _tag: "interaction" }, node: named(node), message, schema },
          timeoutMillis
        )
        return answer?._tag === "data" ? answer.data : null
      }),
      correct: Effect.fnUntraced(function* ({ ambiguous, choosing, inputs, message, node, popup, shot }) {
        const workspace = Option.getOrNull(yield* waitUntilBack(workspaces.get(run.workspaceId)))
        const seconds = workspace?.inputRequiredTimeoutSeconds ?? Workspace.defaultInputRequiredTimeoutSeconds
        const picture = shot === null ? null : { ...shot, node, error: true, fullPage: false, metadata: {} }
        const screenshotId = picture === null ? null : yield* upload(picture)
        const answer = yield* ask(
          {
            subject: {
              _tag: "input_required",
              reason:
                popup !== undefined
                  ? "non_dismissible_popup"
                  : ambiguous === true
                    ? "multiple_matching_results"
                    : "incorrect_form_input",
              inputs,
              choosing,
              screenshotId,
              ...(popup === undefined ? {} : { popup: openPopup(popup) })
            },
            node: named(node),
            message,
            schema: InputContract.effectiveSchema(version.content)
          },
          Workspace.clampInputRequiredTimeout(seconds) * 1_000
        )
        return answer === null || answer._tag === "data" || answer._tag === "decision" ? null : answer
      }),
      approve: Effect.fnUntraced(function* ({ box, by, change, digest, node, shot, timeoutMillis, told }) {
        const metadata = { purpose: "approval", digest }
        const picture = shot === null ? null : { ...shot, node, error: false, fullPage: false, metadata }
        const screenshotId = picture === null ? null : yield* upload(picture)
        const subject = { _tag: "approval", by, digest, told, change, screenshotId, box } as const
        const answer = yield* ask(
          { subject, node: named(node), message: sentenceOf(node, told), schema: {} },
          timeoutMillis
        )
        if (answer?._tag !== "decision") return { _tag: "Unanswered" }
        return answer.approved ? { _tag: "Approved" } : { _tag: "Refused", reason: answer.reason }
      })
    }
  }
})

const verbs: Readonly<Record<string, string>> = { CLICK: "click", INPUT_TEXT: "type into", INPUT_SELECT: "choose in" }

/** What is about to be done, for the person who decides. */
const sentenceOf = ({ name }: Node, { action, element, target }: Told): string => {
  const what = element.text || element.name || element.tag
  const leads = target.address === null ? "" : `, which leads to ${target.address}`
  return `The step "${name}" is about to ${verbs[action] ?? action} "${what}" on ${target.page}${leads}`
}

const openPopup = ({ actions, address, attempt, description, maxAttempts, subType }: Popup): OpenPopup => ({
  description,
  subType,
  address,
  actions: actions.map(({ id, label }) => ({ id, label })),
  attempt,
  maxAttempts
})

const named = ({ id, name }: Node) => ({ id, name })
