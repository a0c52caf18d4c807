/** The promises of every contract that the stores in memory keep. */
import type { Layer } from "effect"
import type * as Memory from "../../../adapters/memory/Memory.ts"
import type * as Contract from "../../kit/contracts/Contract.ts"
import * as AlertContract from "../../kit/contracts/event/AlertContract.ts"
import * as DeliveryContract from "../../kit/contracts/event/DeliveryContract.ts"
import * as EventLogContract from "../../kit/contracts/event/EventLogContract.ts"
import * as ArtifactContract from "../../kit/contracts/run/ArtifactContract.ts"
import * as ArtifactRecordContract from "../../kit/contracts/run/ArtifactRecordContract.ts"
import * as CanaryContract from "../../kit/contracts/run/CanaryContract.ts"
import * as DecisionContract from "../../kit/contracts/run/DecisionContract.ts"
import * as EvidenceContract from "../../kit/contracts/run/EvidenceContract.ts"
import * as FileDeliveryContract from "../../kit/contracts/run/FileDeliveryContract.ts"
import * as InteractionContract from "../../kit/contracts/run/InteractionContract.ts"
import * as LiveContract from "../../kit/contracts/run/LiveContract.ts"
import * as RemovalContract from "../../kit/contracts/run/RemovalContract.ts"
import * as ScheduleContract from "../../kit/contracts/run/ScheduleContract.ts"
import * as SpendContract from "../../kit/contracts/run/SpendContract.ts"
import * as StartContract from "../../kit/contracts/run/StartContract.ts"
import * as StoreContract from "../../kit/contracts/run/StoreContract.ts"
import * as SignalsContract from "../../kit/contracts/runtime/SignalsContract.ts"
import * as HoldContract from "../../kit/contracts/start/HoldContract.ts"
import * as LimitContract from "../../kit/contracts/start/LimitContract.ts"
import * as LoginContract from "../../kit/contracts/start/LoginContract.ts"
import * as PaceContract from "../../kit/contracts/start/PaceContract.ts"
import * as InboxContract from "../../kit/contracts/vault/InboxContract.ts"
import * as SealedContract from "../../kit/contracts/vault/SealedContract.ts"
import * as TimeStepContract from "../../kit/contracts/vault/TimeStepContract.ts"
import * as VaultContract from "../../kit/contracts/vault/VaultContract.ts"
import * as ComponentContract from "../../kit/contracts/workflow/ComponentContract.ts"
import * as FindingsContract from "../../kit/contracts/workflow/FindingsContract.ts"
import * as AuditContract from "../../kit/contracts/workspace/AuditContract.ts"
import * as CollectionContract from "../../kit/contracts/workspace/CollectionContract.ts"
import * as ConversationContract from "../../kit/contracts/workspace/ConversationContract.ts"
import * as IdempotencyContract from "../../kit/contracts/workspace/IdempotencyContract.ts"
import * as SignInContract from "../../kit/contracts/workspace/SignInContract.ts"
import * as WorkspaceContract from "../../kit/contracts/workspace/WorkspaceContract.ts"

export const promises: ReadonlyArray<Contract.ContractPromise<Layer.Success<typeof Memory.layer>>> = [
  ...ArtifactRecordContract.promises,
  ...CollectionContract.promises,
  ...ComponentContract.promises,
  ...FindingsContract.promises,
  ...HoldContract.promises,
  ...InboxContract.promises,
  ...LoginContract.promises,
  ...LimitContract.promises,
  ...PaceContract.promises,
  ...RemovalContract.promises,
  ...SealedContract.promises,
  ...SignalsContract.promises,
  ...StartContract.promises,
  ...TimeStepContract.promises,
  ...AlertContract.promises,
  ...ArtifactContract.promises,
  ...AuditContract.promises,
  ...CanaryContract.promises,
  ...ConversationContract.promises,
  ...DecisionContract.promises,
  ...DeliveryContract.promises,
  ...EventLogContract.promises,
  ...EvidenceContract.promises,
  ...FileDeliveryContract.promises,
  ...IdempotencyContract.promises,
  ...InteractionContract.promises,
  ...LiveContract.promises,
  ...ScheduleContract.promises,
  ...SignInContract.promises,
  ...SpendContract.promises,
  ...StoreContract.promises,
  ...VaultContract.promises,
  ...WorkspaceContract.promises
]
