/** The facts of a vault entry for a claim, in columns beside its body. */
import { createHash } from "node:crypto"
import * as Slots from "../../../core/run/Slots.ts"
import * as Domain from "../../../core/vault/site/Domain.ts"
import { keyOf } from "../../../core/vault/VaultEntries.ts"
import type { Pair, VaultEntry } from "../../../core/vault/VaultEntry.ts"

/** The columns that follow from an entry. */
export const of = (entry: VaultEntry) => {
  const { login, runs } = Slots.allowanceOf(entry)
  return {
    site_hash: siteHash(entry),
    runs_allowed: runs,
    // The names of mailboxes may be longer than an index takes.
    login_rule: login === null || login === "entry" ? login : `shared:${hash(login)}`,
    changed_at: new Date(entry.updatedAt)
  }
}

/** The hash of the pair exactly as given. */
export const keyHash = (pair: Pair): string => hash(keyOf(pair))

/** The hash of the user and the site, in any spelling of the domain; `null` if the domain names no host. */
export const siteHash = ({ domain, permissionedUserId }: Pair): string | null => {
  const host = Domain.hostOf(domain)
  return host === null ? null : hash(JSON.stringify([permissionedUserId, host]))
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")
