/**
 * Asks the stores in memory for the promises of every contract, without a test runner, so that every runtime can: each
 * broken one is printed, and the exit code is 1 then.
 */
import { Effect, type Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as ArtifactContract from "../../core/testing/contract/ArtifactContract.ts"
import * as Contract from "../../core/testing/contract/Contract.ts"
import * as DeliveryContract from "../../core/testing/contract/DeliveryContract.ts"
import * as EventLogContract from "../../core/testing/contract/EventLogContract.ts"
import * as IdempotencyContract from "../../core/testing/contract/IdempotencyContract.ts"
import * as DecisionContract from "../../core/testing/contract/run/DecisionContract.ts"
import * as EvidenceContract from "../../core/testing/contract/run/EvidenceContract.ts"
import * as InteractionContract from "../../core/testing/contract/run/InteractionContract.ts"
import * as LiveContract from "../../core/testing/contract/run/LiveContract.ts"
import * as ScheduleContract from "../../core/testing/contract/run/ScheduleContract.ts"
import * as StoreContract from "../../core/testing/contract/StoreContract.ts"
import * as VaultContract from "../../core/testing/contract/VaultContract.ts"
import * as WorkspaceContract from "../../core/testing/contract/WorkspaceContract.ts"
import * as AuditContract from "../../core/testing/contract/workspace/AuditContract.ts"
import * as ConversationContract from "../../core/testing/contract/workspace/ConversationContract.ts"
import * as SignInContract from "../../core/testing/contract/workspace/SignInContract.ts"

const promises: ReadonlyArray<Contract.ContractPromise<Layer.Success<typeof Memory.layer>>> = [
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

const broken = await Effect.runPromise(Contract.broken(promises, Effect.provide(Memory.layer)))
for (const { reason, title } of broken) process.stdout.write(`${title}\n${reason}\n`)
process.stdout.write(`${promises.length} promises of stores, ${broken.length} broken\n`)
process.exitCode = broken.length === 0 ? 0 : 1
