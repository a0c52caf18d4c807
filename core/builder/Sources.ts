/** Workflows that conversations begin with: the latest version of a workflow, or the version of a failed run. */
import { Effect, Schema } from "effect"
import { Status } from "../run/Run.ts"
import { Runs } from "../run/Runs.ts"
import { Workflows } from "../workflow/Workflows.ts"
import { type RunId, type WorkflowId, WorkflowNotFound } from "../workspace/Ids.ts"
import type { Caller } from "../workspace/Workspace.ts"
import type { Opening } from "./ConversationStart.ts"

/** Raised for a run that has not failed. */
export class RunNotFailed extends Schema.TaggedError<RunNotFailed>()("RunNotFailed", {
  sessionId: Schema.String,
  status: Status
}) {
  override get message() {
    return `Cannot open a conversation on run "${this.sessionId}": expected a run that has failed, its status is ${this.status}`
  }
}

interface Given {
  readonly inputs: Schema.JsonObject
  /** The vault user for every alias that is not in the inputs. */
  readonly permissionedUserId: string | null
  readonly lastBrowserState: boolean
}

/** The latest version of a workflow, up to the node `until`. */
export const ofWorkflow = Effect.fn("Sources.ofWorkflow")(function* (
  caller: Caller,
  id: WorkflowId,
  until: string | null,
  given: Given
) {
  const stored = yield* (yield* Workflows).get(caller, id)
  const inputs = withUser(given, stored.version.content.vault_schema)
  return { _tag: "Of", stored, inputs, until, lastBrowserState: given.lastBrowserState } satisfies Opening
})

/**
 * The version of a failed run, up to the node that failed, or up to its start page if no node failed. Given inputs take
 * precedence over those of the run.
 */
export const ofFailedRun = Effect.fn("Sources.ofFailedRun")(function* (caller: Caller, id: RunId, given: Given) {
  const { run, status } = yield* (yield* Runs).get(caller, id)
  if (status !== "execution.failed") return yield* new RunNotFailed({ sessionId: id, status })
  const workflows = yield* Workflows
  const versions = yield* workflows.versions(caller, run.workflowId)
  const version = versions.find(({ versionId }) => versionId === run.versionId)
  if (version === undefined) return yield* new WorkflowNotFound({ workflowId: run.workflowId })
  const stored = yield* workflows.version(caller, run.workflowId, version.versionNumber)
  const inputs = withUser({ ...given, inputs: { ...run.input, ...given.inputs } }, stored.version.content.vault_schema)
  const error = run.errors.findLast(({ node }) => node !== null) ?? run.errors.at(-1)
  const until = error?.node?.id ?? null
  const message = error?.message ?? "The run has failed"
  const repair = { sessionId: id, nodeId: until, errorCode: error?.code ?? null, message }
  return { _tag: "Of", stored, inputs, until, lastBrowserState: given.lastBrowserState, repair } satisfies Opening
})

const withUser = ({ inputs, permissionedUserId }: Given, vaultSchema: Schema.JsonObject): Schema.JsonObject =>
  permissionedUserId === null
    ? inputs
    : { ...Object.fromEntries(Object.keys(vaultSchema).map((alias) => [alias, permissionedUserId])), ...inputs }
