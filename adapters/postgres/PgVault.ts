/** What the vault keeps, in PostgreSQL. */
import { Layer } from "effect"
import * as SecretProviders from "../../core/vault/SecretProviders.ts"
import * as VaultEntries from "../../core/vault/VaultEntries.ts"
import * as PgCollection from "./PgCollection.ts"
import * as PgPhoneNumbers from "./PgPhoneNumbers.ts"
import * as PgReceivedCodes from "./PgReceivedCodes.ts"
import * as PgTimeSteps from "./PgTimeSteps.ts"
import * as PgWrappedKeys from "./PgWrappedKeys.ts"

export const layer = Layer.mergeAll(
  Layer.effect(VaultEntries.VaultEntries, PgCollection.make(VaultEntries.kind)),
  Layer.effect(SecretProviders.SecretProviders, PgCollection.make(SecretProviders.kind)),
  PgPhoneNumbers.layer,
  PgReceivedCodes.layer,
  PgTimeSteps.layer,
  PgWrappedKeys.layer
)
