/** The vault stores, in memory. */
import { Effect, Layer } from "effect"
import * as Reencryption from "../../../core/vault/keys/Reencryption.ts"
import * as SecretProviders from "../../../core/vault/providers/SecretProviders.ts"
import * as FormerSecrets from "../../../core/vault/site/FormerSecrets.ts"
import * as VaultEntries from "../../../core/vault/VaultEntries.ts"
import * as MemoryCollection from "../MemoryCollection.ts"
import * as MemoryMailboxes from "./MemoryMailboxes.ts"
import * as MemoryPhoneNumbers from "./MemoryPhoneNumbers.ts"
import * as MemoryReceivedCodes from "./MemoryReceivedCodes.ts"
import * as MemorySealedColumns from "./MemorySealedColumns.ts"
import * as MemoryTimeSteps from "./MemoryTimeSteps.ts"
import * as MemoryWrappedKeys from "./MemoryWrappedKeys.ts"

export const layer = Layer.mergeAll(
  Layer.effect(
    VaultEntries.VaultEntries,
    Effect.flatMap(MemoryCollection.make(VaultEntries.kind), MemoryMailboxes.indexed)
  ),
  MemoryMailboxes.layer,
  Layer.effect(SecretProviders.SecretProviders, MemoryCollection.make(SecretProviders.kind)),
  Layer.effect(Reencryption.ReencryptionWalks, MemoryCollection.make(Reencryption.kind)),
  Layer.effect(FormerSecrets.FormerSecrets, MemoryCollection.make(FormerSecrets.kind)),
  MemoryPhoneNumbers.layer,
  MemoryReceivedCodes.layer,
  MemorySealedColumns.layer,
  MemoryTimeSteps.layer,
  MemoryWrappedKeys.layer
)
