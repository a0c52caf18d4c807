/** The encryption keys of the installation and of all workspaces, wrapped with the master key. */
import { Layer, type Redacted } from "effect"
import { EncryptionKeys } from "../../core/vault/keys/EncryptionKeys.ts"
import { InstallationKey } from "../../core/vault/keys/InstallationKey.ts"
import * as KeyedFingerprints from "./KeyedFingerprints.ts"
import * as MasterKeyWrapping from "./MasterKeyWrapping.ts"
import * as SealedSecrets from "./SealedSecrets.ts"
import * as WorkspaceSealing from "./WorkspaceSealing.ts"

/**
 * Fails to build, and writes nothing, if the stored keys are wrapped with another master key. During a rotation of the
 * master key, keys under the previous one are accepted, too.
 */
export const layer = (masterKey: Redacted.Redacted<string>, previousKey: Redacted.Redacted<string> | null = null) =>
  Layer.mergeAll(WorkspaceSealing.layer, SealedSecrets.layer, KeyedFingerprints.layer).pipe(
    Layer.provideMerge(EncryptionKeys.layer),
    Layer.provideMerge(InstallationKey.layer),
    Layer.provideMerge(MasterKeyWrapping.layer(masterKey, previousKey))
  )
