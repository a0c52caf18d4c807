/**
 * The tables of the stores in memory: gates, runs and workflows refer to each other.
 */
import { Context, Layer } from "effect"
import type { ElementRecord } from "../../core/agent/recovery/ElementMemory.ts"
import type { Day, Terms } from "../../core/agent/spending/ModelSpending.ts"
import type { ModelCall } from "../../core/agent/spending/SpendLedger.ts"
import type { View } from "../../core/builder/BuilderStore.ts"
import type { Conversation } from "../../core/builder/Conversation.ts"
import type { ConversationMessage } from "../../core/builder/ConversationMessage.ts"
import type { Alert } from "../../core/event/alert/Alert.ts"
import { bounded } from "../../core/event/EventBounds.ts"
import { consumers } from "../../core/event/EventLog.ts"
import { fileOf, type LoggedEvent, type RunEvent, type RunFile } from "../../core/event/RunEvent.ts"
import type { WrittenEvents } from "../../core/event/stream/ClientProgress.ts"
import type { Delivery } from "../../core/event/webhook/Delivery.ts"
import type { Admission, Control } from "../../core/execution/live/LiveStore.ts"
import * as Gate from "../../core/gate/Gate.ts"
import type { PastWindow } from "../../core/gate/GateStore.ts"
import type * as Pace from "../../core/gate/Pace.ts"
import type { StartedUpload, Summary } from "../../core/run/artifact/ArtifactStore.ts"
import type { FileDelivery } from "../../core/run/delivery/FileDelivery.ts"
import type { Decision } from "../../core/run/evidence/Decision.ts"
import type { NetworkLog, Snapshot } from "../../core/run/evidence/EvidenceStore.ts"
import type { Interaction } from "../../core/run/interaction/Interaction.ts"
import * as Run from "../../core/run/Run.ts"
import type { FailedLogin } from "../../core/run/Slots.ts"
import type { Start } from "../../core/run/start/Start.ts"
import type { Change, LockedRun } from "../../core/run/Transition.ts"
import type { Firing, RunSchedule } from "../../core/schedule/RunSchedule.ts"
import type { ReceivedCode } from "../../core/vault/inbox/ReceivedCodes.ts"
import type { WrappedKey } from "../../core/vault/keys/WrappedKeys.ts"
import * as Canary from "../../core/workflow/canary/Canary.ts"
import type { Component, ComponentVersion } from "../../core/workflow/component/Component.ts"
import type { Workflow, WorkflowVersion } from "../../core/workflow/Workflow.ts"
import type { Entry as AuditEntry } from "../../core/workspace/audit/Audit.ts"
import type { CollectionRecord } from "../../core/workspace/Collection.ts"
import type { WorkspaceId } from "../../core/workspace/Ids.ts"
import type { Entry } from "../../core/workspace/request/Idempotency.ts"
import type { StoredSignIn } from "../../core/workspace/signin/SignInStore.ts"
import type { Workspace } from "../../core/workspace/Workspace.ts"
import type { StoredKey } from "../../core/workspace/WorkspaceStore.ts"

/** The number of the last requested view and of the last given one, and that view. */
export interface RequestedView {
  readonly wanted: number
  readonly given: number
  readonly view: View | null
}

/** A delivery, and how often an entry of the queue was made for it. */
export interface KeptDelivery {
  readonly delivery: Delivery
  readonly turn: number
}

/** An artifact, the instant at which it was stored, and the instant since which a process has been removing it. */
export interface KeptArtifact extends StartedUpload {
  readonly bytes: number
  readonly finishedAt: number | null
  readonly takenAt: number | null
}

/** A delivery of a file, and until when no process takes it. */
export interface KeptFileDelivery {
  readonly position: number
  readonly turn: number
  readonly dueAt: number | null
  readonly delivery: FileDelivery
}

/** An alert, with the number of its hand-outs and changes. */
export interface KeptAlert {
  readonly position: number
  readonly turn: number
  readonly alert: Alert
}

export interface Shape {
  readonly workspaces: Map<string, Workspace>
  readonly keys: Map<string, StoredKey>
  /** By the hash of their secret. */
  readonly signIns: Map<string, StoredSignIn>
  /** The audit trails of all workspaces, oldest entry first. */
  readonly audit: Array<AuditEntry>
  readonly workflows: Map<string, Workflow>
  /** The versions of each workflow, oldest first. */
  readonly versions: Map<string, Array<WorkflowVersion>>
  /** The last canary of each workflow. */
  readonly canaries: Map<string, Canary.Canary>
  readonly components: Map<string, Component>
  /** The versions of each component, oldest first. */
  readonly componentVersions: Map<string, Array<ComponentVersion>>
  readonly gates: Map<string, Gate.Gate>
  /** The windows that each workflow had, oldest first; `null` where one was removed. */
  readonly runWindows: Map<string, ReadonlyArray<PastWindow>>
  /** The reasons for starts, in the order of the starts. */
  readonly starts: Array<Start>
  /** Runs in the order of their submission. */
  readonly runs: Map<string, Run.Run>
  readonly events: Array<LoggedEvent>
  /** The latest question of each run. */
  readonly interactions: Map<string, Interaction>
  readonly snapshots: Map<string, Snapshot>
  readonly networkLogs: Map<string, NetworkLog>
  readonly artifacts: Map<string, KeptArtifact>
  /** The artifacts that runs left out, and when their artifacts were removed. */
  readonly artifactTotals: Map<string, Omit<Summary, "videos">>
  readonly decisions: Map<string, ReadonlyArray<Decision>>
  /** By the hash of their token. */
  readonly admissions: Map<string, Admission>
  readonly controls: Map<string, Control>
  /**
   * The held runs of a workflow that may still need an event about the hold, and whether the workflow has had its
   * event.
   */
  readonly unannounced: Map<string, { readonly announced: boolean; readonly runs: ReadonlyArray<string> }>
  /** The ids of watched runs, except those that are watched since their submission. */
  readonly watched: Set<string>
  /** The number of events that each consumer of the log has read. */
  readonly consumers: Map<string, number>
  /** The range of log positions that a consumer has postponed, by workflow. */
  readonly backlogs: Map<string, Map<string, { readonly from: number; readonly to: number }>>
  /** Runs whose failures no longer count. */
  readonly uncounted: Set<string>
  /** The run up to which a part of runs was removed, by workspace and part. */
  readonly retentionPlaces: Map<string, { readonly endedAt: number; readonly runId: string }>
  /** The position up to which the events of runs were written to the stream of their client. */
  readonly written: Map<string, WrittenEvents>
  /** The workspaces of mailboxes, by mailbox and by the id of the entry that has it. */
  readonly mailboxes: Map<string, Map<string, WorkspaceId>>
  /** The records of each collection, by its name. */
  readonly collections: Map<
    string,
    Map<string, { readonly workspaceId: WorkspaceId; readonly value: CollectionRecord }>
  >
  readonly conversations: Map<string, Conversation>
  /** The messages of each conversation, in the order of their numbers. */
  readonly messages: Map<string, Array<ConversationMessage>>
  /** Looks at the pages of conversations, by conversation and kind. */
  readonly requestedViews: Map<string, RequestedView>
  /** The answers of named requests. */
  readonly idempotency: Map<string, Entry>
  readonly wrappedKeys: Map<string, WrappedKey>
  readonly receivedCodes: Map<string, { readonly workspaceId: WorkspaceId; readonly code: ReceivedCode }>
  /** The instant until which the id of each stored message is remembered. */
  readonly receivedMessages: Map<string, number>
  /** The phone numbers of workspaces, where they are set. */
  readonly phoneNumbers: Map<string, string>
  /** The last used time step of each secret, by its hash, and when it is over. */
  readonly timeSteps: Map<string, { readonly last: number; readonly until: number }>
  /** Deliveries to webhooks, oldest first. */
  readonly deliveries: Map<string, KeptDelivery>
  readonly fileDeliveries: Map<string, KeptFileDelivery>
  readonly alerts: Map<string, KeptAlert>
  /** The instant until which the pace of each workflow is used up by its starts. */
  readonly paces: Map<string, number>
  /** The instant until which the minute of each named limit is taken by starts. */
  readonly limitsTaken: Map<string, number>
  /** The last instant at which a run of each workflow was claimed. */
  readonly served: Map<string, number>
  /** The last assignment of a slot and the last failed login of each entry, by the name of its slots. */
  readonly slotTurns: Map<string, { readonly served: number; readonly failedAt: number | null }>
  /** The failed logins whose waiting runs are still being stopped, by the run that failed. */
  readonly failedLogins: Map<
    string,
    FailedLogin & { readonly waiting: ReadonlyArray<string>; readonly failedAt: number }
  >
  /** The appearance of the elements of each workflow. */
  readonly elementMemory: Map<string, ReadonlyArray<ElementRecord>>
  readonly schedules: Map<string, RunSchedule>
  /** The firings of each schedule. */
  readonly firings: Map<string, ReadonlyArray<Firing>>
  /** What each workspace may spend on models. */
  readonly modelTerms: Map<string, Terms>
  /** What was spent on models, by workspace, day and scope. */
  readonly modelDays: Map<string, Day>
  /** The calls of models, in the order in which they were reserved. */
  readonly modelCalls: Map<
    string,
    { readonly workspaceId: WorkspaceId; readonly call: ModelCall; readonly lostAt: number }
  >
  lastFence: number
}

export class Tables extends Context.Service<Tables, Shape>()("sluice/adapters/memory/Tables") {
  static readonly layer = Layer.sync(Tables, () =>
    Tables.of({
      workspaces: new Map(),
      keys: new Map(),
      signIns: new Map(),
      audit: [],
      workflows: new Map(),
      versions: new Map(),
      canaries: new Map(),
      components: new Map(),
      componentVersions: new Map(),
      gates: new Map(),
      runWindows: new Map(),
      starts: [],
      runs: new Map(),
      events: [],
      interactions: new Map(),
      snapshots: new Map(),
      networkLogs: new Map(),
      artifacts: new Map(),
      artifactTotals: new Map(),
      decisions: new Map(),
      admissions: new Map(),
      controls: new Map(),
      unannounced: new Map(),
      watched: new Set(),
      consumers: new Map(),
      backlogs: new Map(),
      uncounted: new Set(),
      retentionPlaces: new Map(),
      written: new Map(),
      mailboxes: new Map(),
      collections: new Map(),
      conversations: new Map(),
      messages: new Map(),
      requestedViews: new Map(),
      idempotency: new Map(),
      wrappedKeys: new Map(),
      receivedCodes: new Map(),
      receivedMessages: new Map(),
      phoneNumbers: new Map(),
      timeSteps: new Map(),
      deliveries: new Map(),
      fileDeliveries: new Map(),
      alerts: new Map(),
      paces: new Map(),
      limitsTaken: new Map(),
      served: new Map(),
      slotTurns: new Map(),
      failedLogins: new Map(),
      elementMemory: new Map(),
      schedules: new Map(),
      firings: new Map(),
      modelTerms: new Map(),
      modelDays: new Map(),
      modelCalls: new Map(),
      lastFence: 0
    })
  )
}

/** The version that a run gets which is submitted now, by its id or by that of the run that it repeats. */
export const versionIdFor = (tables: Shape, workflowId: string, id: string): string | undefined => {
  const latest = tables.versions.get(workflowId)?.at(-1)
  return latest === undefined ? undefined : Canary.assign(latest, tables.canaries.get(workflowId) ?? null, id).versionId
}

/** Keeps the latest version of a workflow, with its canary. */
export const keepVersion = (tables: Shape, version: WorkflowVersion, canary: Canary.Canary | null, at: number) => {
  const { versionId, workflowId } = version
  const versions = tables.versions.get(workflowId) ?? []
  if (versions.at(-1)?.versionId !== versionId) tables.versions.set(workflowId, [...versions, version])
  const before = tables.canaries.get(workflowId) ?? null
  const after = Canary.afterSave(canary, version, at)
  if (after !== null) tables.canaries.set(workflowId, after)
  if (before === null || !Canary.isRollback(before, after)) return
  for (const run of waitingOf(tables, workflowId)) {
    if (run.versionId === before.candidate.versionId && run.attempts === 0)
      tables.runs.set(run.id, { ...run, versionId })
  }
}

/** The gate of a workflow of this workspace, unless it was deleted. */
export const gateIn = (tables: Shape, workspaceId: WorkspaceId, workflowId: string): Gate.Gate | undefined => {
  const gate = tables.gates.get(workflowId)
  return tables.workflows.get(workflowId)?.workspaceId === workspaceId && gate?.removedAt === null ? gate : undefined
}

/** The gate of a run's workflow, which every run has. */
export const gateOf = (tables: Shape, run: Run.Run): Gate.Gate => {
  const gate = tables.gates.get(run.workflowId)
  if (gate === undefined) throw new Error(`Run ${run.id} has no gate`)
  return gate
}

export const waitingOf = (tables: Shape, workflowId: string): ReadonlyArray<Run.WaitingRun> =>
  [...tables.runs.values()].filter(Run.isWaiting).filter((run) => run.workflowId === workflowId)

/** The starts of a workflow that count against its pace. */
export const progressOf = (tables: Shape, workflowId: string): Pace.Progress => ({
  takenUntil: tables.paces.get(workflowId) ?? 0,
  running: [...tables.runs.values()].filter((run) => run.workflowId === workflowId && Run.isRunning(run)).length
})

/** Changes a gate, and records the waiting runs for an event if the change holds them. */
export const changeGate = (tables: Shape, workflowId: string, after: Gate.Gate, at: number): void => {
  const before = tables.gates.get(workflowId)
  if (before !== undefined && Gate.mayStart(before, at) && !Gate.mayStart(after, at)) {
    const runs = waitingOf(tables, workflowId).map(({ id }) => id)
    if (runs.length > 0) tables.unannounced.set(workflowId, { announced: false, runs })
  }
  if (after.windowRevision !== (before?.windowRevision ?? 0)) {
    const set = {
      revision: after.windowRevision,
      window: after.runWindow,
      setAt: after.windowSet?.at ?? null,
      setBy: after.windowSet?.by ?? null
    }
    tables.runWindows.set(workflowId, [...(tables.runWindows.get(workflowId) ?? []), set])
  }
  tables.gates.set(workflowId, after)
}

/**
 * The runs with an event that a consumer of the installation has not read. A consumer that has never read does not
 * count.
 */
export const unreadRuns = ({ backlogs, consumers: places, events }: Shape): ReadonlySet<string> => {
  const runs = new Set<string>()
  for (const consumer of Object.values(consumers)) {
    const place = places.get(consumer)
    if (place === undefined) continue
    for (const { runId } of events.slice(place)) runs.add(runId)
    for (const [workflowId, { from, to }] of backlogs.get(consumer) ?? []) {
      for (const { event, runId } of events.slice(from, to)) if (event.workflowId === workflowId) runs.add(runId)
    }
  }
  return runs
}

/** Removes the events of runs. Other events keep their positions in the log. */
export const forgetEvents = (tables: Shape, ofRun: (runId: string) => boolean): void => {
  tables.events.forEach(({ event: { workflowId }, runId, sequence }, index) => {
    if (!ofRun(runId)) return
    tables.events[index] = { sequence, runId: "", at: 0, event: { event: "execution.queued", runId: "", workflowId } }
  })
}

/** The files that a run has produced, oldest first. */
export const filesOf = (tables: Shape, id: string): ReadonlyArray<RunFile> =>
  tables.events.flatMap(({ event, runId }) => (runId === id ? fileOf(event) : []))

/** The facts that a decision about a run reads. */
export const lockedOf = <R extends Run.Run>(tables: Shape, run: R): LockedRun<R> => ({
  run,
  gate: gateOf(tables, run),
  files: filesOf(tables, run.id)
})

/** Stores the result of a transition. */
export const write = (tables: Shape, { events, run }: Change, at: number): void => {
  tables.runs.set(run.id, run)
  append(tables, run.id, events, at)
}

/** Appends events of a run, each within its bounds. */
export const append = (tables: Shape, runId: string, events: ReadonlyArray<RunEvent>, at: number): void => {
  for (const event of events)
    tables.events.push({ sequence: tables.events.length + 1, runId, at, event: bounded(event) })
}
