/**
 * Patches of workflows, for tests that need some to be there.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { Offer, Patch } from "../../core/workflow/patch/Patch.ts"
import { PatchStore } from "../../core/workflow/patch/PatchStore.ts"
import { WorkflowId, type WorkspaceId } from "../../core/workspace/Ids.ts"

/** A pop-up that a run dismissed. */
export const popupOffer = (xpath = `//button[@id="${randomUUID()}"]`): Offer => ({
  kind: "popup_xpath",
  nodeId: null,
  nodeName: null,
  parameter: null,
  before: null,
  after: xpath,
  reason: "A pop-up lay in the way"
})

export const patchOf = (workflowId: string, overrides: Partial<Patch> = {}): Patch => ({
  ...popupOffer(),
  id: randomUUID(),
  workflowId: WorkflowId.make(workflowId),
  state: "offered",
  firstRunId: randomUUID(),
  lastRunId: randomUUID(),
  confirmations: 1,
  createdAt: 0,
  updatedAt: 0,
  decidedBy: null,
  appliedVersion: null,
  ...overrides
})

/** Keeps a patch as it stands, and answers its id. */
export const makePatch = Effect.fn(function* (workspaceId: WorkspaceId, workflowId: string) {
  const made = patchOf(workflowId)
  yield* (yield* PatchStore).insert(workspaceId, made).pipe(Effect.orDie)
  return made.id
})
