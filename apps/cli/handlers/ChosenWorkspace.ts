/** The workspace of a command. */
import { Effect, Option, Schema } from "effect"
import type { Workspace } from "../../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"

export interface OfWorkspace {
  /** Its id; optional if there is only one workspace. */
  readonly workspace: Option.Option<string>
}

/** Raised when the workspace is ambiguous, or a key is not found. */
export class CannotFind extends Schema.TaggedError<CannotFind>()("CannotFind", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** The workspace of this id, or the only one. */
export const chosen = Effect.fnUntraced(function* (id: Option.Option<string>) {
  const all = yield* (yield* WorkspaceStore).list
  const found = Option.match(id, {
    onNone: () => (all.length === 1 ? all[0] : undefined),
    onSome: (wanted) => all.find((workspace) => workspace.id === wanted)
  })
  if (found !== undefined) return found
  const known = all.map((workspace: Workspace) => `${workspace.id} (${workspace.name})`).join(", ")
  return yield* new CannotFind({
    reason: `Expected a workspace in --workspace, one of ${known || "none, because no workspace exists yet"}`
  })
})
