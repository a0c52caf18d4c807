/** The promises of every contract that the stores in memory keep. */
import type { Layer } from "effect"
import type * as Memory from "../../../adapters/memory/Memory.ts"
import * as ArtifactContract from "../../../core/testing/contract/ArtifactContract.ts"
import type * as Contract from "../../../core/testing/contract/Contract.ts"
import * as DeliveryContract from "../../../core/testing/contract/DeliveryContract.ts"
import * as EventLogContract from "../../../core/testing/contract/EventLogContract.ts"
import * as IdempotencyContract from "../../../core/testing/contract/IdempotencyContract.ts"
import * as ArtifactRecordContract from "../../../core/testing/contract/run/ArtifactRecordContract.ts"
import * as DecisionContract from "../../../core/testing/contract/run/DecisionContract.ts"
import * as EvidenceContract from "../../../core/testing/contract/run/EvidenceContract.ts"
import * as InteractionContract from "../../../core/testing/contract/run/InteractionContract.ts"
import * as LiveContract from "../../../core/testing/contract/run/LiveContract.ts"
import * as RemovalContract from "../../../core/testing/contract/run/RemovalContract.ts"
import * as ScheduleContract from "../../../core/testing/contract/run/ScheduleContract.ts"
import * as StartContract from "../../../core/testing/contract/run/StartContract.ts"
import * as SignalsContract from "../../../core/testing/contract/SignalsContract.ts"
import * as StoreContract from "../../../core/testing/contract/StoreContract.ts"
import * as HoldContract from "../../../core/testing/contract/start/HoldContract.ts"
import * as LoginContract from "../../../core/testing/contract/start/LoginContract.ts"
import * as PaceContract from "../../../core/testing/contract/start/PaceContract.ts"
import * as VaultContract from "../../../core/testing/contract/VaultContract.ts"
import * as InboxContract from "../../../core/testing/contract/vault/InboxContract.ts"
import * as SealedContract from "../../../core/testing/contract/vault/SealedContract.ts"
import * as TimeStepContract from "../../../core/testing/contract/vault/TimeStepContract.ts"
import * as WorkspaceContract from "../../../core/testing/contract/WorkspaceContract.ts"
import * as ComponentContract from "../../../core/testing/contract/workflow/ComponentContract.ts"
import * as FindingsContract from "../../../core/testing/contract/workflow/FindingsContract.ts"
import * as AuditContract from "../../../core/testing/contract/workspace/AuditContract.ts"
import * as CollectionContract from "../../../core/testing/contract/workspace/CollectionContract.ts"
import * as ConversationContract from "../../../core/testing/contract/workspace/ConversationContract.ts"
import * as SignInContract from "../../../core/testing/contract/workspace/SignInContract.ts"

export const promises: ReadonlyArray<Contract.ContractPromise<Layer.Success<typeof Memory.layer>>> = [
  ...ArtifactRecordContract.promises,
  ...CollectionContract.promises,
  ...ComponentContract.promises,
  ...FindingsContract.promises,
  ...HoldContract.promises,
  ...InboxContract.promises,
  ...LoginContract.promises,
  ...PaceContract.promises,
  ...RemovalContract.promises,
  ...SealedContract.promises,
  ...SignalsContract.promises,
  ...StartContract.promises,
  ...TimeStepContract.promises,
  ...ArtifactContract.promises,
  ...AuditContract.promises,
  ...ConversationContract.promises,
  ...DecisionContract.promises,
  ...DeliveryContract.promises,
  ...EventLogContract.promises,
  ...EvidenceContract.promises,
  ...IdempotencyContract.promises,
  ...InteractionContract.promises,
  ...LiveContract.promises,
  ...ScheduleContract.promises,
  ...SignInContract.promises,
  ...StoreContract.promises,
  ...VaultContract.promises,
  ...WorkspaceContract.promises
]
