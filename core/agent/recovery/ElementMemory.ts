/**
 * The appearance of the elements of a workflow when its runs last used them.
 */
import { Context, Effect, Schema } from "effect"
import { Appearance } from "../../browser/element/Appearance.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import type { WorkflowId, WorkspaceId } from "../../workspace/Ids.ts"

/** The element of a node, good for as long as the node names it by this selector. */
export const ElementRecord = Schema.Struct({
  nodeId: Schema.String,
  selector: Schema.String,
  appearance: Appearance,
  /** In epoch milliseconds. */
  seenAt: Schema.Finite
})
export type ElementRecord = typeof ElementRecord.Type

/** How many elements are remembered of one workflow: those that were seen last. */
export const mostRemembered = 1_000

export class ElementMemory extends Context.Service<
  ElementMemory,
  {
    /** All that is remembered of a workflow. */
    readonly of: (
      workspaceId: WorkspaceId,
      workflowId: WorkflowId
    ) => Effect.Effect<ReadonlyArray<ElementRecord>, StoreUnavailable>

    /**
     * Remembers elements in place of what was known of their nodes, unless that was seen later, and forgets the oldest
     * beyond `mostRemembered`. The appearances of a deleted workflow are dropped.
     */
    readonly keep: (
      workspaceId: WorkspaceId,
      workflowId: WorkflowId,
      seen: ReadonlyArray<ElementRecord>
    ) => Effect.Effect<void, StoreUnavailable>
  }
>()("sluice/core/agent/recovery/ElementMemory") {}

/** The appearances that an execution reads, and those that it records. */
export interface Memories {
  /** The known facts about the element of a node; `null` when nothing is. */
  readonly known: (node: Node) => Effect.Effect<ElementRecord | null>
  readonly learn: (node: Node, selector: string, appearance: Appearance, at: number) => void
}

export const nothing: Memories = { known: () => Effect.succeed(null), learn: () => undefined }

/** Minimum time between two descriptions of an element, in milliseconds: pages change slowly. */
const freshMillis = 24 * 3_600_000

/** The selector in the parameters of a node; `null` if it names no element. */
export const selectorOf = (node: Node): string | null => {
  const selector: unknown = "selector" in node.parameters ? node.parameters.selector : undefined
  return typeof selector === "string" && selector !== "" ? selector : null
}

/** Whether the element of a node must be described at `at`. */
export const isStale = (known: ElementRecord | null, at: number): boolean =>
  known === null || at - known.seenAt >= freshMillis

/** Makes the memories of an execution. They are loaded when first asked for; `learned` are those to store. */
export const of = Effect.fnUntraced(function* (load: Effect.Effect<ReadonlyArray<ElementRecord>>) {
  const loaded = yield* Effect.cached(Effect.map(load, (all) => new Map(all.map((one) => [one.nodeId, one]))))
  const learned = new Map<string, ElementRecord>()
  const memories: Memories = {
    known: Effect.fnUntraced(function* (node) {
      const found = learned.get(node.id) ?? (yield* loaded).get(node.id)
      return found !== undefined && found.selector === selectorOf(node) ? found : null
    }),
    learn: (node, selector, appearance, seenAt) =>
      void learned.set(node.id, { nodeId: node.id, selector, appearance, seenAt })
  }
  return { memories, learned: (): ReadonlyArray<ElementRecord> => [...learned.values()] }
})
