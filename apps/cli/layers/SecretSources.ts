/**
 * The external secret stores that connections may lead to.
 */
import * as HttpSources from "../../../adapters/secrets/HttpSources.ts"
import * as SecretAsking from "../../../adapters/secrets/SecretStoreRequest.ts"

export interface SourceSettings {
  readonly allowPrivateNetworks: boolean
  readonly secretProviderOrigins: ReadonlyArray<string>
}

export const layerSecretSources = ({ allowPrivateNetworks, secretProviderOrigins }: SourceSettings) =>
  HttpSources.layer({ ...SecretAsking.defaults, allowPrivateNetworks, allowedOrigins: secretProviderOrigins })
