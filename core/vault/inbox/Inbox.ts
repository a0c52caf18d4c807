/**
 * The mail addresses that codes are sent to. Each credential has a separate one, which identifies workspace, user and
 * site: `{workspace}+{permissioned_user_id}+{site}@{inbox domain}`.
 */
import { Context } from "effect"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import { siteIdentifier } from "../site/Domain.ts"

/** The domain that mail for the inbox arrives at; `null` where this service receives none. */
export const InboxDomain = Context.Reference<string | null>("sluice/core/vault/inbox/InboxDomain", {
  defaultValue: () => null
})

/** How long after its arrival a code that came by mail is good for. */
export const freshMillis = 300_000

/**
 * The prefix of the addresses of a workspace: the last 8 digits of its id. They are random, so that the users of
 * another workspace never have the addresses of this one.
 */
export const workspacePrefix = (workspaceId: WorkspaceId): string => workspaceId.slice(-8).toLowerCase()

/** The local part of the address for the codes of a user on the site of a domain. */
export const mailboxOf = (
  workspaceId: WorkspaceId,
  credential: { readonly permissionedUserId: string; readonly domain: string }
): string =>
  `${workspacePrefix(workspaceId)}+${escaped(credential.permissionedUserId)}+${escaped(siteIdentifier(credential.domain))}`

/** The mailbox of a credential as it is looked up: addresses are equal regardless of case. */
export const mailboxKey = (
  workspaceId: WorkspaceId,
  credential: { readonly permissionedUserId: string; readonly domain: string }
): string => mailboxOf(workspaceId, credential).toLowerCase()

/** The address for the codes of a user on the site of a domain. */
export const addressOf = (
  workspaceId: WorkspaceId,
  credential: { readonly permissionedUserId: string; readonly domain: string },
  inboxDomain: string
): string => `${mailboxOf(workspaceId, credential)}@${inboxDomain}`

/**
 * The three parts of an address before its `@`, as they were before they were escaped; `null` for an address of another
 * form.
 */
export const read = (
  address: string
): { readonly workspacePrefix: string; readonly permissionedUserId: string; readonly site: string } | null => {
  const [local = "", ...rest] = address.split("@")
  const [prefix, user, site, ...more] = local.split("+")
  if (rest.length !== 1 || prefix === undefined || user === undefined || site === undefined || more.length > 0)
    return null
  const [permissionedUserId, identifier] = [unescaped(user), unescaped(site)]
  return permissionedUserId === null || identifier === null
    ? null
    : { workspacePrefix: prefix, permissionedUserId, site: identifier }
}

/** Bytes that may not stand in the local part of an address, or that mean something in ours, become `=` and two digits. */
const escaped = (text: string): string =>
  text.replace(/[^A-Za-z0-9._-]|^\.|\.$|\.(?=\.)/gu, (character) =>
    [...new TextEncoder().encode(character)].map((byte) => `=${byte.toString(16).padStart(2, "0")}`).join("")
  )

const unescaped = (text: string): string | null => {
  try {
    return decodeURIComponent(text.replace(/%/g, "%25").replace(/=([0-9a-f]{2})/gi, "%$1"))
  } catch {
    return null
  }
}
