/**
 * All stores and signals in memory, for tests and for programs that embed the core. Nothing outlives the layer.
 *
 * Every operation is atomic: no other fiber runs in the middle of it, which is all the locking there is.
 */
import { Layer } from "effect"
import { RunSubscriptionStore, kind as runSubscriptions } from "../../core/event/notification/KeptSubscription.ts"
import { ErrorCodeStore, kind as errorCodes } from "../../core/workspace/ErrorCodes.ts"
import { layerSignals } from "./LocalSignals.ts"
import * as MemoryArtifactStore from "./MemoryArtifactStore.ts"
import * as MemoryArtifacts from "./MemoryArtifacts.ts"
import * as MemoryBuilderStore from "./MemoryBuilderStore.ts"
import * as MemoryCollection from "./MemoryCollection.ts"
import * as MemoryComponentStore from "./MemoryComponentStore.ts"
import * as MemoryDecisionStore from "./MemoryDecisionStore.ts"
import * as MemoryDeliveries from "./MemoryDeliveries.ts"
import * as MemoryElementMemory from "./MemoryElementMemory.ts"
import * as MemoryErrorReports from "./MemoryErrorReports.ts"
import * as MemoryEventLog from "./MemoryEventLog.ts"
import * as MemoryEvidenceStore from "./MemoryEvidenceStore.ts"
import * as MemoryGateStore from "./MemoryGateStore.ts"
import * as MemoryIdempotencyStore from "./MemoryIdempotencyStore.ts"
import * as MemoryInteractionStore from "./MemoryInteractionStore.ts"
import * as MemoryLiveChannel from "./MemoryLiveChannel.ts"
import * as MemoryLiveStore from "./MemoryLiveStore.ts"
import * as MemoryPatchStore from "./MemoryPatchStore.ts"
import * as MemoryRunStore from "./MemoryRunStore.ts"
import * as MemoryVault from "./MemoryVault.ts"
import * as MemoryWebhookStore from "./MemoryWebhookStore.ts"
import * as MemoryWorkflowStore from "./MemoryWorkflowStore.ts"
import * as MemoryWorkspaceStore from "./MemoryWorkspaceStore.ts"
import { Tables } from "./Tables.ts"

export const layer = Layer.mergeAll(
  MemoryComponentStore.layer,
  MemoryDeliveries.layer,
  MemoryEventLog.layer,
  MemoryBuilderStore.layer,
  MemoryGateStore.layer,
  MemoryIdempotencyStore.layer,
  MemoryInteractionStore.layer,
  MemoryRunStore.layer,
  MemoryWebhookStore.layer,
  MemoryWorkflowStore.layer,
  MemoryWorkspaceStore.layer,
  MemoryVault.layer,
  MemoryArtifacts.layer,
  MemoryArtifactStore.layer,
  MemoryErrorReports.layer,
  MemoryDecisionStore.layer,
  MemoryEvidenceStore.layer,
  MemoryLiveStore.layer,
  MemoryElementMemory.layer,
  MemoryPatchStore.layer,
  MemoryLiveChannel.layer,
  Layer.effect(ErrorCodeStore, MemoryCollection.make(errorCodes)),
  Layer.effect(RunSubscriptionStore, MemoryCollection.make(runSubscriptions)),
  layerSignals
).pipe(Layer.provideMerge(Tables.layer))
