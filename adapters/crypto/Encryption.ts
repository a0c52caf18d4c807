/** The encryption keys of all workspaces and what is sealed with them, under the master key of the installation. */
import { Layer, type Redacted } from "effect"
import { EncryptionKeys } from "../../core/vault/EncryptionKeys.ts"
import * as MasterKeyWrapping from "./MasterKeyWrapping.ts"
import * as WorkspaceSealing from "./WorkspaceSealing.ts"

/** Fails to build, and writes nothing, when the stored keys are under another master key. */
export const layer = (masterKey: Redacted.Redacted<string>) =>
  WorkspaceSealing.layer.pipe(
    Layer.provideMerge(EncryptionKeys.layer),
    Layer.provide(MasterKeyWrapping.layer(masterKey))
  )
