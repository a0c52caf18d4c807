/**
 * Looking into what runs left behind, as callers do: the page as a node began, the network log, the failures of a
 * workflow.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { LoggedEvent } from "../../event/RunEvent.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { NodeId } from "../../workflow/language/graph/Graph.ts"
import type { Content } from "../../workflow/Workflow.ts"
import { WorkflowStore } from "../../workflow/WorkflowStore.ts"
import { type RunId, RunNotFound, type WorkflowNotFound } from "../../workspace/Ids.ts"
import type { Caller } from "../../workspace/Workspace.ts"
import { isEnded, type Options, type Run } from "../Run.ts"
import { history, RunStore } from "../RunStore.ts"
import { ErrorReports, type Frame, type Group } from "./ErrorReports.ts"
import { EvidenceStore, type NetworkLog, replayRecordPlace, type Snapshot } from "./EvidenceStore.ts"

/** Raised for a node that the version of the workflow that a run executes does not have. */
export class NodeNotFound extends Schema.TaggedError<NodeNotFound>()("NodeNotFound", {
  sessionId: Schema.String,
  nodeId: Schema.String
}) {
  override get message() {
    return `Node "${this.nodeId}" not found in the workflow version of run "${this.sessionId}"`
  }
}

/** The recorded network requests of a run. */
export interface Network {
  /** Whether the run keeps a network log. */
  readonly recorded: boolean
  /** The run has ended, and its log holds all that there was. */
  readonly complete: boolean
  readonly log: NetworkLog
}

const nothing: NetworkLog = { events: [], open: false, truncated: false }

/** Returns whether a run is recorded: a debug run, or one of a workflow that sets `enable_network_listener`. */
export const recordsNetwork = ({ settings }: Pick<Content, "settings">, options: Options): boolean =>
  options.debug === true || (settings.enable_network_listener ?? false)

export class Evidence extends Context.Service<
  Evidence,
  {
    /** The snapshot of a node, if the run kept one, and the events of the run, whose pictures may show the node. */
    readonly node: (
      caller: Caller,
      id: RunId,
      nodeId: NodeId
    ) => Effect.Effect<
      { readonly snapshot: Option.Option<Snapshot>; readonly events: ReadonlyArray<LoggedEvent> },
      RunNotFound | NodeNotFound | StoreUnavailable
    >

    /** The artifact with the replay record of a run; none where it has none, or its time is over. */
    readonly replayRecord: (
      caller: Caller,
      id: RunId
    ) => Effect.Effect<Option.Option<string>, RunNotFound | StoreUnavailable>

    readonly network: (caller: Caller, id: RunId) => Effect.Effect<Network, RunNotFound | StoreUnavailable>

    /** The failures of a workflow within a frame, in groups of one code, the most frequent first. */
    readonly errors: (
      caller: Caller,
      frame: Frame
    ) => Effect.Effect<ReadonlyArray<Group>, WorkflowNotFound | StoreUnavailable>
  }
>()("sluice/core/run/evidence/Evidence") {
  static readonly layer = Layer.effect(
    Evidence,
    Effect.gen(function* () {
      const runs = yield* RunStore
      const workflows = yield* WorkflowStore
      const store = yield* EvidenceStore
      const reports = yield* ErrorReports

      /** The version that a run executes. A run without it is one whose workflow is gone. */
      const contentOf = (caller: Caller, run: Run) =>
        Effect.gen(function* () {
          const versions = yield* workflows.versions(caller.workspaceId, run.workflowId)
          const number = versions.find(({ versionId }) => versionId === run.versionId)?.versionNumber ?? 0
          return (yield* workflows.version(caller.workspaceId, run.workflowId, number)).version.content
        }).pipe(Effect.mapError(() => new RunNotFound({ sessionId: run.id })))

      return Evidence.of({
        node: Effect.fn("Evidence.node")(function* (caller, id, nodeId) {
          const { run } = yield* runs.get(caller.workspaceId, id)
          const { nodes } = yield* contentOf(caller, run)
          if (!Array.isArray(nodes) || !nodes.some((node) => idOf(node) === nodeId)) {
            return yield* new NodeNotFound({ sessionId: id, nodeId })
          }
          return { snapshot: yield* store.snapshot(id, nodeId), events: yield* history(runs, id) }
        }),
        replayRecord: Effect.fn("Evidence.replayRecord")(function* (caller, id) {
          yield* runs.get(caller.workspaceId, id)
          return Option.map(yield* store.snapshot(id, replayRecordPlace), ({ artifactId }) => artifactId)
        }),
        network: Effect.fn("Evidence.network")(function* (caller, id) {
          const { run } = yield* runs.get(caller.workspaceId, id)
          if (!recordsNetwork(yield* contentOf(caller, run), run.options)) {
            return { recorded: false, complete: true, log: nothing }
          }
          const log = Option.getOrElse(yield* store.network(id), () => nothing)
          return { recorded: true, complete: isEnded(run) && !log.open && !log.truncated, log }
        }),
        errors: Effect.fn("Evidence.errors")(function* (caller, frame) {
          yield* Effect.forEach(frame.workflowIds ?? [], (id) => workflows.get(caller.workspaceId, id), {
            discard: true
          })
          return yield* reports.report(caller.workspaceId, frame)
        })
      })
    })
  )
}

const idOf = (node: Schema.Json): unknown =>
  typeof node === "object" && node !== null && "id" in node ? node.id : undefined
