/**
 * Finds credentials that an input names and that the vault does not have, so that a submission is refused and its run
 * does not fail hours later.
 */
import { Effect, Option, type Schema } from "effect"
import * as Domain from "../../vault/site/Domain.ts"
import { keyOf } from "../../vault/VaultEntries.ts"
import type { VaultEntry } from "../../vault/VaultEntry.ts"
import type { InputError } from "../../workflow/contract/InputContract.ts"
import type { Content } from "../../workflow/Workflow.ts"
import type { Collection } from "../../workspace/Collection.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import * as CredentialReferences from "../CredentialReferences.ts"

/** How many ids of a pool are looked up one by one, before the whole vault is read. */
const mostLookups = 4

/** How many ids a message names. */
const mostNamed = 5

/**
 * An error for each alias whose credential does not exist. A pool is accepted as long as one of its members exists, as
 * a run continues to the next member.
 */
export const errors = Effect.fnUntraced(function* (
  entries: Collection<VaultEntry>,
  workspaceId: WorkspaceId,
  content: Pick<Content, "vault_schema">,
  input: Schema.JsonObject
) {
  const found: Array<InputError> = []
  let all: ReadonlyArray<VaultEntry> | undefined
  for (const { alias, domain, permissionedUserIds } of CredentialReferences.of(content, input)) {
    const lookedUp = yield* Effect.findFirst(permissionedUserIds.slice(0, mostLookups), (permissionedUserId) =>
      Effect.map(entries.find(workspaceId, keyOf({ permissionedUserId, domain })), Option.isSome)
    )
    if (Option.isSome(lookedUp)) continue
    all ??= yield* entries.list(workspaceId)
    const named = new Set(permissionedUserIds)
    if (all.some((one) => named.has(one.permissionedUserId) && Domain.matches(one.domain, domain))) continue
    found.push(missing(alias, domain, permissionedUserIds, input[alias]))
  }
  return found
})

const missing = (
  alias: string,
  domain: string,
  ids: ReadonlyArray<string>,
  received: Schema.Json | undefined
): InputError => {
  const names = ids.slice(0, mostNamed).map((id) => `"${id.slice(0, 100)}"`)
  const more = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : ""
  return {
    path: alias,
    field: `/${alias.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    message: `must name a credential of the vault for ${domain}: there is none of ${names.join(", ")}${more}`,
    keyword: "credential",
    expected: { domain },
    ...(received === undefined ? {} : { received })
  }
}
