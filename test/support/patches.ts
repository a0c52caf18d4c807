/**
 * Patches of workflows, for tests that need some.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { PatchStore } from "../../core/workflow/patch/PatchStore.ts"
import type { WorkspaceId } from "../../core/workspace/Ids.ts"
import * as FindingsContract from "../kit/contracts/workflow/FindingsContract.ts"

/** A pop-up that a run dismissed. */
export const popupOffer = (xpath = `//button[@id="${randomUUID()}"]`) => FindingsContract.popupOffer(xpath)

/** Stores a patch without checks, and returns its id. */
export const makePatch = Effect.fn(function* (workspaceId: WorkspaceId, workflowId: string) {
  const made = FindingsContract.patchOf(workflowId)
  yield* (yield* PatchStore).insert(workspaceId, made).pipe(Effect.orDie)
  return made.id
})
