/** The outside stores of secrets that can be asked over HTTP. */
import { Layer } from "effect"
import { SecretSources } from "../../core/vault/providers/SecretSource.ts"
import * as HashiCorpVault from "./HashiCorpVault.ts"
import * as OnePasswordConnect from "./OnePasswordConnect.ts"
import * as SecretStoreRequest from "./SecretStoreRequest.ts"

export const layer = (options: SecretStoreRequest.Options) =>
  Layer.sync(SecretSources, () => {
    const asking = SecretStoreRequest.make(options)
    return new Map([
      ["1password", OnePasswordConnect.make(asking)],
      ["hashicorp_vault", HashiCorpVault.make(asking)]
    ])
  })
