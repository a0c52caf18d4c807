/**
 * The services that the HTTP server needs.
 *
 * The type is explicit, because inferring it would make the compiler check every endpoint again in each file that
 * assembles the server. The compiler reports missing services here.
 */
import type { BuilderStore } from "../../core/builder/BuilderStore.ts"
import type { EventLog } from "../../core/event/EventLog.ts"
import type { RunSubscriptionStore } from "../../core/event/notification/KeptSubscription.ts"
import type { ClientProgress } from "../../core/event/stream/ClientProgress.ts"
import type { Deliveries } from "../../core/event/webhook/Deliveries.ts"
import type { Sender } from "../../core/event/webhook/Sender.ts"
import type { WebhookStore } from "../../core/event/webhook/Webhook.ts"
import type { WebhookSecrets } from "../../core/event/webhook/WebhookSecrets.ts"
import type { LiveChannel } from "../../core/execution/live/LiveChannel.ts"
import type { LiveStore } from "../../core/execution/live/LiveStore.ts"
import type { GateStore } from "../../core/gate/GateStore.ts"
import type { ArtifactFiles } from "../../core/run/artifact/ArtifactFiles.ts"
import type { ArtifactLinks } from "../../core/run/artifact/ArtifactLinks.ts"
import type { ArtifactStore } from "../../core/run/artifact/ArtifactStore.ts"
import type { BundleSigner } from "../../core/run/evidence/BundleSigner.ts"
import type { DecisionStore } from "../../core/run/evidence/DecisionStore.ts"
import type { ErrorReports } from "../../core/run/evidence/ErrorReports.ts"
import type { EvidenceStore } from "../../core/run/evidence/EvidenceStore.ts"
import type { InteractionStore } from "../../core/run/interaction/InteractionStore.ts"
import type { RunStore } from "../../core/run/RunStore.ts"
import type { RunRemovalStore } from "../../core/run/retention/RunRemovalStore.ts"
import type { StartLedger } from "../../core/run/start/StartLedger.ts"
import type { Signals } from "../../core/runtime/Signals.ts"
import type { ScheduleStore } from "../../core/schedule/ScheduleStore.ts"
import type { Mailboxes } from "../../core/vault/inbox/Mailboxes.ts"
import type { ReceivedCodes } from "../../core/vault/inbox/ReceivedCodes.ts"
import type { EncryptionKeys } from "../../core/vault/keys/EncryptionKeys.ts"
import type { Fingerprints } from "../../core/vault/keys/Fingerprints.ts"
import type { ReencryptionWalks } from "../../core/vault/keys/Reencryption.ts"
import type { SealedColumns } from "../../core/vault/keys/ReencryptionTargets.ts"
import type { Sealing } from "../../core/vault/keys/Sealing.ts"
import type { KeyWrapping, WrappedKeys } from "../../core/vault/keys/WrappedKeys.ts"
import type { PhoneNumberStore } from "../../core/vault/otp/PhoneNumbers.ts"
import type { TimeSteps } from "../../core/vault/otp/TimeSteps.ts"
import type { SecretProviders } from "../../core/vault/providers/SecretProviders.ts"
import type { VaultEntries } from "../../core/vault/VaultEntries.ts"
import type { ComponentStore } from "../../core/workflow/component/ComponentStore.ts"
import type { PatchStore } from "../../core/workflow/patch/PatchStore.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { Audit } from "../../core/workspace/audit/Audit.ts"
import type { ErrorCodeStore } from "../../core/workspace/ErrorCodes.ts"
import type { Identifiers } from "../../core/workspace/Identifiers.ts"
import type { InvitationStore } from "../../core/workspace/invitation/Invitations.ts"
import type { Keys } from "../../core/workspace/Keys.ts"
import type { IdempotencyStore } from "../../core/workspace/request/Idempotency.ts"
import type { SignInStore } from "../../core/workspace/signin/SignInStore.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import type { LiveTickets } from "./live/LiveTickets.ts"
import type { Readiness } from "./Readiness.ts"

export type Needs =
  | ArtifactFiles
  | ArtifactLinks
  | ArtifactStore
  | Audit
  | BuilderStore
  | BundleSigner
  | ClientProgress
  | ComponentStore
  | DecisionStore
  | Deliveries
  | EncryptionKeys
  | ErrorCodeStore
  | ErrorReports
  | EventLog
  | EvidenceStore
  | Fingerprints
  | GateStore
  | IdempotencyStore
  | Identifiers
  | InteractionStore
  | InvitationStore
  | KeyWrapping
  | Keys
  | LiveChannel
  | LiveStore
  | LiveTickets
  | Mailboxes
  | PatchStore
  | PhoneNumberStore
  | Readiness
  | ReceivedCodes
  | ReencryptionWalks
  | RunRemovalStore
  | RunStore
  | RunSubscriptionStore
  | ScheduleStore
  | SealedColumns
  | Sealing
  | SecretProviders
  | Sender
  | SignInStore
  | Signals
  | StartLedger
  | TimeSteps
  | VaultEntries
  | WebhookSecrets
  | WebhookStore
  | WorkflowStore
  | WorkspaceStore
  | WrappedKeys
