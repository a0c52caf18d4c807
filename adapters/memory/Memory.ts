/**
 * All stores and signals in memory, for tests and for programs that embed the core. All data is lost when the layer is
 * released.
 *
 * Every operation is atomic, so there are no other locks.
 */
import { Layer } from "effect"
import { AlertReceiverStore, kind as alertReceivers } from "../../core/event/alert/AlertReceiver.ts"
import { RunSubscriptionStore, kind as runSubscriptions } from "../../core/event/notification/KeptSubscription.ts"
import { FileDestinationStore, kind as fileDestinations } from "../../core/run/delivery/FileDestination.ts"
import { ErrorCodeStore, kind as errorCodes } from "../../core/workspace/ErrorCodes.ts"
import { InvitationStore, kind as invitations } from "../../core/workspace/invitation/Invitations.ts"
import * as MemoryAlerts from "./event/MemoryAlerts.ts"
import * as MemoryDeliveries from "./event/MemoryDeliveries.ts"
import * as MemoryEventLog from "./event/MemoryEventLog.ts"
import * as MemoryWebhookStore from "./event/MemoryWebhookStore.ts"
import { layerSignals } from "./LocalSignals.ts"
import * as MemoryBuilderStore from "./MemoryBuilderStore.ts"
import * as MemoryCollection from "./MemoryCollection.ts"
import * as MemoryGateStore from "./MemoryGateStore.ts"
import * as MemoryArtifactStore from "./run/MemoryArtifactStore.ts"
import * as MemoryArtifacts from "./run/MemoryArtifacts.ts"
import * as MemoryCanaryStore from "./run/MemoryCanaryStore.ts"
import * as MemoryDecisionStore from "./run/MemoryDecisionStore.ts"
import * as MemoryElementMemory from "./run/MemoryElementMemory.ts"
import * as MemoryErrorReports from "./run/MemoryErrorReports.ts"
import * as MemoryEvidenceStore from "./run/MemoryEvidenceStore.ts"
import * as MemoryFileDeliveries from "./run/MemoryFileDeliveries.ts"
import * as MemoryInteractionStore from "./run/MemoryInteractionStore.ts"
import * as MemoryLiveChannel from "./run/MemoryLiveChannel.ts"
import * as MemoryLiveStore from "./run/MemoryLiveStore.ts"
import * as MemoryNamedLimits from "./run/MemoryNamedLimits.ts"
import * as MemoryRunStore from "./run/MemoryRunStore.ts"
import * as MemorySpendLedger from "./run/MemorySpendLedger.ts"
import * as MemoryRetentionStore from "./run/retention/MemoryRetentionStore.ts"
import * as MemoryRunRemovalStore from "./run/retention/MemoryRunRemovalStore.ts"
import * as MemoryScheduleStore from "./schedule/MemoryScheduleStore.ts"
import * as MemoryStartLedger from "./start/MemoryStartLedger.ts"
import { Tables } from "./Tables.ts"
import * as MemoryVault from "./vault/MemoryVault.ts"
import * as MemoryComponentStore from "./workflow/MemoryComponentStore.ts"
import * as MemoryPatchStore from "./workflow/MemoryPatchStore.ts"
import * as MemoryWorkflowStore from "./workflow/MemoryWorkflowStore.ts"
import * as MemoryAudit from "./workspace/MemoryAudit.ts"
import * as MemoryIdempotencyStore from "./workspace/MemoryIdempotencyStore.ts"
import * as MemorySignInStore from "./workspace/MemorySignInStore.ts"
import * as MemoryWorkspaceStore from "./workspace/MemoryWorkspaceStore.ts"

export type { Tables } from "./Tables.ts"

export const layer = Layer.mergeAll(
  MemoryAudit.layer,
  MemoryComponentStore.layer,
  MemoryCanaryStore.layer,
  MemoryDeliveries.layer,
  MemoryEventLog.layer,
  MemoryBuilderStore.layer,
  MemoryGateStore.layer,
  MemoryIdempotencyStore.layer,
  MemoryInteractionStore.layer,
  MemoryRunStore.layer,
  MemorySignInStore.layer,
  MemorySpendLedger.layer,
  MemoryStartLedger.layer,
  MemoryRetentionStore.layer,
  MemoryRunRemovalStore.layer,
  MemoryWebhookStore.layer,
  MemoryWorkflowStore.layer,
  MemoryWorkspaceStore.layer,
  MemoryVault.layer,
  MemoryArtifacts.layer,
  MemoryArtifactStore.layer,
  MemoryErrorReports.layer,
  MemoryDecisionStore.layer,
  MemoryEvidenceStore.layer,
  MemoryFileDeliveries.layer,
  MemoryAlerts.layer,
  MemoryLiveStore.layer,
  MemoryNamedLimits.layer,
  MemoryElementMemory.layer,
  MemoryPatchStore.layer,
  MemoryLiveChannel.layer,
  Layer.effect(ErrorCodeStore, MemoryCollection.make(errorCodes)),
  Layer.effect(InvitationStore, MemoryCollection.make(invitations)),
  layerSignals
).pipe(
  (stores) => Layer.provideMerge(MemoryScheduleStore.layer, stores),
  Layer.provideMerge(Layer.effect(AlertReceiverStore, MemoryCollection.make(alertReceivers))),
  Layer.provideMerge(Layer.effect(FileDestinationStore, MemoryCollection.make(fileDestinations))),
  Layer.provideMerge(Layer.effect(RunSubscriptionStore, MemoryCollection.make(runSubscriptions))),
  Layer.provideMerge(Tables.layer)
)
