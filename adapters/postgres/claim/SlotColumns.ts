/** The hashes by which a claim finds vault entries. */
import * as Domain from "../../../core/vault/site/Domain.ts"
import { keyOf } from "../../../core/vault/VaultEntries.ts"
import type { Pair } from "../../../core/vault/VaultEntry.ts"
import { sha256 } from "../Hash.ts"

/** The hash of the pair exactly as given. */
export const keyHash = (pair: Pair): string => sha256(keyOf(pair))

/** The hash of the user and the site, in any spelling of the domain; `null` if the domain names no host. */
export const siteHash = ({ domain, permissionedUserId }: Pair): string | null => {
  const host = Domain.hostOf(domain)
  return host === null ? null : sha256(JSON.stringify([permissionedUserId, host]))
}
