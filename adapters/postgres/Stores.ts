/**
 * All stores on one PostgreSQL database, whose schema is migrated before any of them is built.
 */
import { Layer, type Redacted } from "effect"
import { AlertReceiverStore, kind as alertReceivers } from "../../core/event/alert/AlertReceiver.ts"
import { RunSubscriptionStore, kind as runSubscriptions } from "../../core/event/notification/KeptSubscription.ts"
import { FileDestinationStore, kind as fileDestinations } from "../../core/run/delivery/FileDestination.ts"
import { ErrorCodeStore, kind as errorCodes } from "../../core/workspace/ErrorCodes.ts"
import { InvitationStore, kind as invitations } from "../../core/workspace/invitation/Invitations.ts"
import * as PgAlerts from "./event/PgAlerts.ts"
import * as PgDeliveries from "./event/PgDeliveries.ts"
import * as PgEventLog from "./event/PgEventLog.ts"
import * as PgWebhookStore from "./event/PgWebhookStore.ts"
import * as PgGateStore from "./gate/PgGateStore.ts"
import * as Migrations from "./Migrations.ts"
import * as PgBuilderStore from "./PgBuilderStore.ts"
import * as PgCollection from "./PgCollection.ts"
import * as PgSignals from "./PgSignals.ts"
import * as PgArtifactStore from "./run/PgArtifactStore.ts"
import * as PgCanaryStore from "./run/PgCanaryStore.ts"
import * as PgDecisionStore from "./run/PgDecisionStore.ts"
import * as PgElementMemory from "./run/PgElementMemory.ts"
import * as PgErrorReports from "./run/PgErrorReports.ts"
import * as PgEvidenceStore from "./run/PgEvidenceStore.ts"
import * as PgFileDeliveries from "./run/PgFileDeliveries.ts"
import * as PgInteractionStore from "./run/PgInteractionStore.ts"
import * as PgLiveChannel from "./run/PgLiveChannel.ts"
import * as PgLiveStore from "./run/PgLiveStore.ts"
import * as PgNamedLimitStore from "./run/PgNamedLimitStore.ts"
import * as PgRunStore from "./run/PgRunStore.ts"
import * as PgSpendLedger from "./run/PgSpendLedger.ts"
import * as PgRetentionStore from "./run/retention/PgRetentionStore.ts"
import * as PgRunRemovalStore from "./run/retention/PgRunRemovalStore.ts"
import * as PgScheduleStore from "./schedule/PgScheduleStore.ts"
import * as Client from "./server/Client.ts"
import * as WriteProbe from "./server/WriteProbe.ts"
import * as PgStartLedger from "./start/PgStartLedger.ts"
import * as PgVault from "./vault/PgVault.ts"
import * as PgComponentStore from "./workflow/PgComponentStore.ts"
import * as PgPatchStore from "./workflow/PgPatchStore.ts"
import * as PgWorkflowStore from "./workflow/PgWorkflowStore.ts"
import * as PgAudit from "./workspace/PgAudit.ts"
import * as PgIdempotencyStore from "./workspace/PgIdempotencyStore.ts"
import * as PgSignInStore from "./workspace/PgSignInStore.ts"
import * as PgWorkspaceStore from "./workspace/PgWorkspaceStore.ts"

/**
 * The longest row that is read, in bytes. A run's input alone may have 25 MB, and its events may repeat it; the client
 * would take 16 MB.
 */
export const maxMessageSize = 268_435_456

/** The stores, on the given client of the database. */
export const layerStores = Layer.mergeAll(
  PgAudit.layer,
  PgComponentStore.layer,
  PgCanaryStore.layer,
  PgDeliveries.layer,
  PgEventLog.layer,
  PgBuilderStore.layer,
  PgGateStore.layer,
  PgIdempotencyStore.layer,
  PgInteractionStore.layer,
  PgRunStore.layer,
  PgSignInStore.layer,
  PgSpendLedger.layer,
  PgStartLedger.layer,
  PgRetentionStore.layer,
  PgRunRemovalStore.layer,
  PgWebhookStore.layer,
  PgWorkflowStore.layer,
  PgWorkspaceStore.layer,
  PgErrorReports.layer,
  PgDecisionStore.layer,
  PgEvidenceStore.layer,
  PgFileDeliveries.layer,
  PgAlerts.layer,
  PgLiveStore.layer,
  PgNamedLimitStore.layer,
  PgElementMemory.layer,
  PgPatchStore.layer,
  PgArtifactStore.layer,
  Layer.effect(ErrorCodeStore, PgCollection.make(errorCodes)),
  Layer.effect(InvitationStore, PgCollection.make(invitations)),
  PgVault.layer
).pipe(
  (stores) => Layer.provideMerge(PgScheduleStore.layer, stores),
  Layer.provideMerge(Layer.effect(AlertReceiverStore, PgCollection.make(alertReceivers))),
  Layer.provideMerge(Layer.effect(FileDestinationStore, PgCollection.make(fileDestinations))),
  Layer.provideMerge(Layer.effect(RunSubscriptionStore, PgCollection.make(runSubscriptions))),
  Layer.provideMerge(Migrations.layer)
)

/** The stores and signals on the server at a URL such as `postgres://user:password@host/database`. */
export const layer = (url: Redacted.Redacted<string>, maxConnections = 10, waitMillis = 0) =>
  Layer.mergeAll(layerStores, PgSignals.layer, PgLiveChannel.layer, WriteProbe.layer).pipe(
    Layer.provideMerge(Client.layer({ url, maxConnections, maxMessageSize, waitMillis }))
  )
