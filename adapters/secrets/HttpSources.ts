/** The outside stores of secrets that can be asked over HTTP. */
import { Layer } from "effect"
import { SecretSources } from "../../core/vault/providers/SecretSource.ts"
import * as Asking from "./Asking.ts"
import * as HashiCorpVault from "./HashiCorpVault.ts"
import * as OnePasswordConnect from "./OnePasswordConnect.ts"

export const layer = (options: Asking.Options) =>
  Layer.sync(SecretSources, () => {
    const asking = Asking.make(options)
    return new Map([
      ["1password", OnePasswordConnect.make(asking)],
      ["hashicorp_vault", HashiCorpVault.make(asking)]
    ])
  })
