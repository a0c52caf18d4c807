/** What every submission decides in the same way, whatever submits it. */
import { Clock, Effect, Option, type Schema } from "effect"
import * as Canary from "../../workflow/canary/Canary.ts"
import * as InputContract from "../../workflow/contract/InputContract.ts"
import * as Sandbox from "../../workflow/sandbox/Sandbox.ts"
import type { RunTerms } from "../../workflow/WorkflowStore.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import { RunId, type WorkflowId, type WorkspaceId } from "../../workspace/Ids.ts"
import { distinct } from "../../workspace/request/Tags.ts"
import { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import * as CredentialReferences from "../CredentialReferences.ts"
import type * as Run from "../Run.ts"
import type * as Transition from "../Transition.ts"

export interface Draft extends Partial<Run.Terms> {
  readonly workspaceId: WorkspaceId
  readonly workflowId: WorkflowId
  readonly input: Schema.JsonObject
  readonly options: Run.Options
}

export const make = Effect.gen(function* () {
  const workspaces = yield* WorkspaceStore
  const identifiers = yield* Identifiers

  /** When a run of a workspace that is submitted now expires, if it still waits then; `null` for never. */
  const expiry = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
    const workspace = yield* workspaces.get(workspaceId)
    const ttl = Option.getOrUndefined(workspace)?.waitingTtlMillis ?? null
    return ttl === null ? null : (yield* Clock.currentTimeMillis) + ttl
  })

  /** The submission of a run of this version, or of the one before while a canary of it is running. */
  const draft = Effect.fnUntraced(function* (latest: RunTerms, { tags = [], ...given }: Draft) {
    const id = RunId.make(yield* identifiers.uuid)
    const { content, versionId } = Canary.assign(latest, latest.canary, id)
    const submission: Transition.Submission = {
      ...given,
      id,
      options: { ...given.options, ...Canary.ofRun(latest.canary, id) },
      versionId,
      credentials: CredentialReferences.of(content, given.input),
      tags: distinct(tags),
      // A check is one attempt to sign in, whatever becomes of it.
      maxRetries: given.options.check === undefined ? content.max_retries : 0,
      expiresAt: yield* expiry(given.workspaceId)
    }
    return submission
  })

  return { draft, expiry }
})

/** What is wrong with an input by the contract of a version. A check that costs too much is a problem of the input. */
export const checkInput = (workspaceId: WorkspaceId, { content }: RunTerms, input: Schema.JsonObject) =>
  Sandbox.run(workspaceId, "checkInput", {
    content: { input_schema: content.input_schema, vault_schema: content.vault_schema },
    input
  }).pipe(
    Effect.catchTag(
      "TooCostly",
      Sandbox.refused((message) => Effect.succeed([InputContract.tooCostly({ message })]))
    )
  )
