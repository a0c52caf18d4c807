/**
 * The credentials that a run refers to: its input names one, or several to choose from, for each alias of the vault
 * schema. These are references only; nothing here is secret.
 */
import type { Schema } from "effect"
import type { CredentialUse } from "../event/RunEvent.ts"
import type { Content } from "../workflow/Workflow.ts"

/** A credential of a run for one alias: whose it is, and for which site. */
export interface Credential {
  readonly alias: string
  /** One, or the pool from which one is taken. */
  readonly permissionedUserIds: ReadonlyArray<string>
  readonly domain: string
  /** The member that its attempt uses, or that its last one used. A run that waits to be tried again has none. */
  readonly chosen?: string
  /** Members that the run does not try again: signing in with them failed, or they did not exist. */
  readonly tried?: ReadonlyArray<string>
  /** The slots of the chosen member that the run uses while it is carried out. */
  readonly slot?: Slot
}

/** One of the runs that an entry of the vault allows at a time, as `Slots` decides. Names are those of the store. */
export interface Slot {
  readonly entry: string
  /** The key of the exclusive login; `null` once the run has signed in, and if logins are not exclusive. */
  readonly login: string | null
}

/** The one that a run uses: the only one, or the one that was chosen of a pool; `null` while none was. */
export const chosen = ({ chosen: member, permissionedUserIds }: Credential): string | null =>
  member ?? (permissionedUserIds.length === 1 ? (permissionedUserIds[0] ?? null) : null)

/** The references in an input, in the order of the vault schema. An alias that was given nothing is left out. */
export const of = (content: Pick<Content, "vault_schema">, input: Schema.JsonObject): ReadonlyArray<Credential> =>
  Object.entries(content.vault_schema).flatMap(([alias, entry]) => {
    const given = Object.hasOwn(input, alias) ? input[alias] : undefined
    const ids = (Array.isArray(given) ? given : [given]).filter((id) => typeof id === "string")
    return ids.length === 0 ? [] : [{ alias, permissionedUserIds: [...new Set(ids)], domain: domainOf(entry) }]
  })

const domainOf = (entry: Schema.Json | undefined): string => {
  if (typeof entry !== "object" || entry === null || !("domain" in entry)) return ""
  return typeof entry.domain === "string" ? entry.domain : ""
}

/** A credential in the final event of a run, and in its record. */
export const useOf = (credential: Credential): CredentialUse => ({
  alias: credential.alias,
  permissionedUserIds: credential.permissionedUserIds,
  chosen: chosen(credential),
  domain: credential.domain
})
