/**
 * A workspace, a workflow and the input of a run, for tests that need any.
 */

import { randomUUID } from "node:crypto"
import { Effect, Result } from "effect"
import * as Gate from "../../core/gate/Gate.ts"
import type { Submission } from "../../core/run/Transition.ts"
import { type StoredWorkflow, WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { RunId, UserId, VersionId, WorkflowId, WorkspaceId } from "../../core/workspace/Ids.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as Fixtures from "../kit/contracts/Fixtures.ts"

/** The smallest valid graph. */
export const graph = (url = "https://example.com") => {
  const [start, end] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]
  return {
    nodes: [
      { id: start, name: "Open", action: "START" as const, parameters: { url } },
      { id: end, name: "Done", action: "END" as const, parameters: {} }
    ],
    edges: { [String(start)]: { to: String(end) } }
  }
}

export const workspaceOf = Fixtures.workspaceOf

export const makeWorkspace = Effect.fn(function* (role: Caller["role"] = "Member") {
  const id = WorkspaceId.make(randomUUID())
  yield* (yield* WorkspaceStore).create(workspaceOf(id))
  return { workspaceId: id, userId: UserId.make(randomUUID()), role } satisfies Caller
})

export const stored = (
  caller: Caller,
  overrides: { readonly maxRetries?: number; readonly note?: string } = {}
): StoredWorkflow => {
  const workflowId = WorkflowId.make(randomUUID())
  return {
    workflow: {
      id: workflowId,
      workspaceId: caller.workspaceId,
      name: "Nightly",
      description: null,
      createdAt: 0,
      updatedAt: 0,
      createdBy: caller.userId
    },
    version: {
      versionId: VersionId.make(randomUUID()),
      workflowId,
      versionNumber: 1,
      createdAt: 0,
      createdBy: caller.userId,
      versionNote: overrides.note ?? null,
      name: "Nightly",
      description: null,
      content: {
        ...graph(),
        input_schema: {},
        output_schema: {},
        vault_schema: {},
        max_retries: overrides.maxRetries ?? 0,
        settings: {}
      }
    },
    gate: Gate.open,
    canary: null
  }
}

export const makeWorkflow = Effect.fn(function* (caller: Caller, overrides: { readonly maxRetries?: number } = {}) {
  const made = stored(caller, overrides)
  yield* (yield* WorkflowStore).create(made, () => Result.void)
  return made
})

/** A submission of a workflow. */
export const submission = (workflow: StoredWorkflow, overrides: Partial<Submission> = {}): Submission =>
  Fixtures.submission(workflow, { id: RunId.make(randomUUID()), ...overrides })

export const componentData = Fixtures.componentData
export const daily = Fixtures.daily
