/** The audit entries of connections to stores of secrets. The access of a connection is never in one. */
import type { Draft } from "../../workspace/audit/Audit.ts"
import type { SecretProvider } from "./SecretProviders.ts"

export const ofChange = (before: SecretProvider | null, after: SecretProvider): Draft => ({
  action: before === null ? "secret_provider.create" : "secret_provider.change",
  resourceId: after.id,
  resourceName: after.name,
  before: before === null ? null : json(before),
  after: { ...json(after), access_changed: before?.sealedAccess !== after.sealedAccess }
})

export const ofRemoval = (before: SecretProvider): Draft => ({
  action: "secret_provider.delete",
  resourceId: before.id,
  resourceName: before.name,
  before: json(before),
  after: null
})

const json = ({ cacheTtlSeconds, name, providerType }: SecretProvider) => ({
  name,
  provider_type: providerType,
  cache_ttl_seconds: cacheTtlSeconds
})
