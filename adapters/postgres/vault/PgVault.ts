/** The vault stores, in PostgreSQL. */
import { Layer } from "effect"
import * as Reencryption from "../../../core/vault/keys/Reencryption.ts"
import * as SecretProviders from "../../../core/vault/providers/SecretProviders.ts"
import * as FormerSecrets from "../../../core/vault/site/FormerSecrets.ts"
import * as VaultEntries from "../../../core/vault/VaultEntries.ts"
import * as PgCollection from "../PgCollection.ts"
import * as Vault from "../tables/Vault.ts"
import * as PgMailboxes from "./PgMailboxes.ts"
import * as PgPhoneNumbers from "./PgPhoneNumbers.ts"
import * as PgReceivedCodes from "./PgReceivedCodes.ts"
import * as PgSealedColumns from "./PgSealedColumns.ts"
import * as PgTimeSteps from "./PgTimeSteps.ts"
import * as PgWrappedKeys from "./PgWrappedKeys.ts"

export const layer = Layer.mergeAll(
  Layer.effect(VaultEntries.VaultEntries, PgCollection.make(VaultEntries.kind, Vault.entries)),
  Layer.effect(SecretProviders.SecretProviders, PgCollection.make(SecretProviders.kind)),
  Layer.effect(Reencryption.ReencryptionWalks, PgCollection.make(Reencryption.kind)),
  Layer.effect(FormerSecrets.FormerSecrets, PgCollection.make(FormerSecrets.kind)),
  PgMailboxes.layer,
  PgPhoneNumbers.layer,
  PgReceivedCodes.layer,
  PgSealedColumns.layer,
  PgTimeSteps.layer,
  PgWrappedKeys.layer
)
