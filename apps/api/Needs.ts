/**
 * The services that the HTTP server needs.
 *
 * They are explicit, because inferring them would make the compiler check every endpoint again in each file that
 * assembles the server. The compiler reports missing services here.
 */
import type { Context } from "effect"
import { SpendLedger } from "../../core/agent/spending/SpendLedger.ts"
import { BuilderStore } from "../../core/builder/BuilderStore.ts"
import { AlertReceiverStore } from "../../core/event/alert/AlertReceiver.ts"
import { Alerts } from "../../core/event/alert/Alerts.ts"
import { MailTransport } from "../../core/event/alert/MailTransport.ts"
import { EventLog } from "../../core/event/EventLog.ts"
import { RunSubscriptionStore } from "../../core/event/notification/KeptSubscription.ts"
import { ClientProgress } from "../../core/event/stream/ClientProgress.ts"
import { Deliveries } from "../../core/event/webhook/Deliveries.ts"
import { Sender } from "../../core/event/webhook/Sender.ts"
import { WebhookStore } from "../../core/event/webhook/Webhook.ts"
import { WebhookSecrets } from "../../core/event/webhook/WebhookSecrets.ts"
import { LiveChannel } from "../../core/execution/live/LiveChannel.ts"
import { LiveStore } from "../../core/execution/live/LiveStore.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import { ArtifactFiles } from "../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactLinks } from "../../core/run/artifact/ArtifactLinks.ts"
import { ArtifactStore } from "../../core/run/artifact/ArtifactStore.ts"
import { CanaryStore } from "../../core/run/canary/CanaryStore.ts"
import { FileDeliveries } from "../../core/run/delivery/FileDeliveries.ts"
import { FileDestinationStore } from "../../core/run/delivery/FileDestination.ts"
import { FileSink } from "../../core/run/delivery/FileSink.ts"
import { BundleSigner } from "../../core/run/evidence/BundleSigner.ts"
import { DecisionStore } from "../../core/run/evidence/DecisionStore.ts"
import { ErrorReports } from "../../core/run/evidence/ErrorReports.ts"
import { EvidenceStore } from "../../core/run/evidence/EvidenceStore.ts"
import { InteractionStore } from "../../core/run/interaction/InteractionStore.ts"
import { NamedLimitStore } from "../../core/run/limit/NamedLimit.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { RunRemovalStore } from "../../core/run/retention/RunRemovalStore.ts"
import { StartLedger } from "../../core/run/start/StartLedger.ts"
import { Signals } from "../../core/runtime/Signals.ts"
import { ScheduleStore } from "../../core/schedule/ScheduleStore.ts"
import { Mailboxes } from "../../core/vault/inbox/Mailboxes.ts"
import { ReceivedCodes } from "../../core/vault/inbox/ReceivedCodes.ts"
import { EncryptionKeys } from "../../core/vault/keys/EncryptionKeys.ts"
import { Fingerprints } from "../../core/vault/keys/Fingerprints.ts"
import { ReencryptionWalks } from "../../core/vault/keys/Reencryption.ts"
import { SealedColumns } from "../../core/vault/keys/ReencryptionTargets.ts"
import { Sealing } from "../../core/vault/keys/Sealing.ts"
import { KeyWrapping, WrappedKeys } from "../../core/vault/keys/WrappedKeys.ts"
import { PhoneNumberStore } from "../../core/vault/otp/PhoneNumbers.ts"
import { TimeSteps } from "../../core/vault/otp/TimeSteps.ts"
import { SecretProviders } from "../../core/vault/providers/SecretProviders.ts"
import { FormerSecrets } from "../../core/vault/site/FormerSecrets.ts"
import { VaultEntries } from "../../core/vault/VaultEntries.ts"
import { ComponentStore } from "../../core/workflow/component/ComponentStore.ts"
import { PatchStore } from "../../core/workflow/patch/PatchStore.ts"
import { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { Audit } from "../../core/workspace/audit/Audit.ts"
import { ErrorCodeStore } from "../../core/workspace/ErrorCodes.ts"
import { Identifiers } from "../../core/workspace/Identifiers.ts"
import { InvitationStore } from "../../core/workspace/invitation/Invitations.ts"
import { Keys } from "../../core/workspace/Keys.ts"
import { IdempotencyStore } from "../../core/workspace/request/Idempotency.ts"
import { SignInStore } from "../../core/workspace/signin/SignInStore.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { LiveTickets } from "./live/LiveTickets.ts"
import { Readiness } from "./Readiness.ts"

/** Those that are taken while a request is answered. */
export const ofRequests = [ArtifactFiles, ArtifactLinks, Readiness] as const

/** Those that only the making of the server takes. */
export const ofMaking = [
  SpendLedger,
  AlertReceiverStore,
  Alerts,
  ArtifactStore,
  CanaryStore,
  Audit,
  BuilderStore,
  BundleSigner,
  ClientProgress,
  ComponentStore,
  DecisionStore,
  Deliveries,
  EncryptionKeys,
  ErrorCodeStore,
  ErrorReports,
  EventLog,
  EvidenceStore,
  FileDeliveries,
  FileDestinationStore,
  NamedLimitStore,
  FileSink,
  Fingerprints,
  GateStore,
  IdempotencyStore,
  Identifiers,
  InteractionStore,
  InvitationStore,
  KeyWrapping,
  Keys,
  LiveChannel,
  LiveStore,
  LiveTickets,
  Mailboxes,
  MailTransport,
  PatchStore,
  PhoneNumberStore,
  ReceivedCodes,
  ReencryptionWalks,
  RunRemovalStore,
  RunStore,
  RunSubscriptionStore,
  ScheduleStore,
  SealedColumns,
  Sealing,
  SecretProviders,
  FormerSecrets,
  Sender,
  SignInStore,
  Signals,
  StartLedger,
  TimeSteps,
  VaultEntries,
  WebhookSecrets,
  WebhookStore,
  WorkflowStore,
  WorkspaceStore,
  WrappedKeys
] as const

export type Needs = Context.Service.Identifier<(typeof ofRequests | typeof ofMaking)[number]>
