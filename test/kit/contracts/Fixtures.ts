/**
 * A workspace, a workflow and what a run of it is given, for contracts that do not care which.
 */
import { Effect, Random, Result } from "effect"
import * as Gate from "../../../core/gate/Gate.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import type { Submission } from "../../../core/run/Transition.ts"
import { unset } from "../../../core/vault/EntryRules.ts"
import type { Fields, VaultEntry } from "../../../core/vault/VaultEntry.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import { type StoredWorkflow, WorkflowStore } from "../../../core/workflow/WorkflowStore.ts"
import { RunId, UserId, VersionId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import type { Caller, Workspace } from "../../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"

const [start, end] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]

/** The smallest graph there is. */
const graph = {
  nodes: [
    { id: start, name: "Open", action: "START" as const, parameters: { url: "https://example.com" } },
    { id: end, name: "Done", action: "END" as const, parameters: {} }
  ],
  edges: { [String(start)]: { to: String(end) } }
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")

/** The beginning of ids: 64 bits by chance, so that promises that share a database do not meet. */
const prefix = Effect.gen(function* () {
  const parts = [
    yield* Random.nextIntBetween(0, 0xffff_ffff),
    yield* Random.nextIntBetween(0, 0xffff),
    yield* Random.nextIntBetween(0, 0xfff),
    yield* Random.nextIntBetween(0, 0xfff)
  ] as const
  return `${hex(parts[0], 8)}-${hex(parts[1], 4)}-4${hex(parts[2], 3)}-8${hex(parts[3], 3)}`
})

let made = 0

/** A new id with the beginning of another one. */
export const beside = (id: string): string => `${id.slice(0, 23)}-${hex(++made, 12)}`

/** A new id that none before has. */
export const newId = Effect.map(
  Effect.suspend(() => prefix),
  beside
)

/** A stored workspace with the default settings. */
export const workspaceOf = (id: WorkspaceId): Workspace => ({
  id,
  name: "Test",
  createdAt: 0,
  waitingTtlMillis: null,
  inputRequiredTimeoutSeconds: 15,
  signedUrlTtlSeconds: 604_800
})

/** Makes a workspace. */
export const makeWorkspace = Effect.fn(function* (role: Caller["role"] = "Member") {
  const id = WorkspaceId.make(beside(yield* prefix))
  yield* (yield* WorkspaceStore).create(workspaceOf(id))
  return { workspaceId: id, userId: UserId.make(beside(id)), role } satisfies Caller
})

/** A stored workflow with its first version. */
export const stored = (caller: Caller): StoredWorkflow => {
  const workflowId = WorkflowId.make(beside(caller.workspaceId))
  const shared = { name: "Nightly", description: null, createdAt: 0, createdBy: caller.userId }
  return {
    workflow: { ...shared, id: workflowId, workspaceId: caller.workspaceId, updatedAt: 0 },
    version: {
      ...shared,
      versionId: VersionId.make(beside(caller.workspaceId)),
      workflowId,
      versionNumber: 1,
      versionNote: null,
      content: { ...graph, input_schema: {}, output_schema: {}, vault_schema: {}, max_retries: 0, settings: {} }
    },
    gate: Gate.open,
    canary: null
  }
}

/** Makes a workflow. */
export const makeWorkflow = Effect.fn(function* (caller: Caller) {
  const workflow = stored(caller)
  yield* (yield* WorkflowStore).create(workflow, () => Result.void)
  return workflow
})

/** A submission of a workflow. */
export const submission = ({ version, workflow }: StoredWorkflow, overrides: Partial<Submission> = {}): Submission => ({
  id: RunId.make(beside(workflow.workspaceId)),
  workspaceId: workflow.workspaceId,
  workflowId: workflow.id,
  versionId: version.versionId,
  input: {},
  credentials: [],
  options: {},
  maxRetries: version.content.max_retries,
  expiresAt: null,
  ...overrides
})

/** Submits a run of a new workflow and claims it, for ten minutes. */
export const claimed = Effect.fn(function* (caller: Caller) {
  const runs = yield* RunStore
  yield* runs.submit(submission(yield* makeWorkflow(caller)))
  const [one] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 600_000 })
  if (one === undefined) throw new Error("Nothing was claimed")
  return one
})

/** The data of the smallest component: one button to press. */
export const componentData = (selector = "//button") => ({
  nodes: [
    {
      workflowNode: {
        id: "00000000-0000-4000-8000-0000000000c1",
        name: "Press",
        action: "CLICK",
        parameters: { execution: "STATIC", selector }
      },
      position: { x: 0, y: 0 }
    }
  ],
  workflowEdges: {},
  reactFlowEdges: [],
  vault_schema: {}
})

/** A credential of a caller with the given fields, and nothing in the others. */
export const vaultEntry = (
  { userId, workspaceId }: Pick<Caller, "userId" | "workspaceId">,
  fields: Partial<Fields> = {},
  more: Partial<Omit<VaultEntry, "fields">> = {}
): VaultEntry => ({
  id: beside(workspaceId),
  workspaceId,
  permissionedUserId: "robot",
  domain: "https://app.example.com",
  createdBy: userId,
  createdAt: 0,
  updatedAt: 0,
  sessionDataSetAt: null,
  lastUsedAt: null,
  hotpCounter: null,
  ...more,
  fields: { ...unset, ...fields }
})

/** A window that is open from `from` to `to` o'clock every day, in UTC. */
export const daily = (from: number, to: number): RunWindow.ValidRunWindow =>
  Result.getOrThrow(
    RunWindow.validate({
      time_zone: "UTC",
      regular_hours: ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"].map((day) => ({
        active_start_day: day,
        active_start_time: { hours: from, minutes: 0 },
        active_end_day: day,
        active_end_time: { hours: to, minutes: 0 }
      }))
    })
  ).window
