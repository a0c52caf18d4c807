/**
 * All stores and signals in memory, for tests and for programs that embed the core. Nothing outlives the layer.
 *
 * Every operation is one step of JavaScript: nothing else happens in between, which is all the locking there is.
 */
import { Layer } from "effect"
import { layerSignals } from "./LocalSignals.ts"
import * as MemoryArtifacts from "./MemoryArtifacts.ts"
import * as MemoryDeliveries from "./MemoryDeliveries.ts"
import * as MemoryEventLog from "./MemoryEventLog.ts"
import * as MemoryGateStore from "./MemoryGateStore.ts"
import * as MemoryRunStore from "./MemoryRunStore.ts"
import * as MemoryWebhookStore from "./MemoryWebhookStore.ts"
import * as MemoryWorkflowStore from "./MemoryWorkflowStore.ts"
import * as MemoryWorkspaceStore from "./MemoryWorkspaceStore.ts"
import { Tables } from "./Tables.ts"

export const layer = Layer.mergeAll(
  MemoryDeliveries.layer,
  MemoryEventLog.layer,
  MemoryGateStore.layer,
  MemoryRunStore.layer,
  MemoryWebhookStore.layer,
  MemoryWorkflowStore.layer,
  MemoryWorkspaceStore.layer,
  MemoryArtifacts.layer,
  layerSignals
).pipe(Layer.provideMerge(Tables.layer))
