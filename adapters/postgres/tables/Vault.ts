/** The tables of the vault: the columns of entries beside their bodies, received codes and messages. */
import { Schema } from "effect"
import * as Slots from "../../../core/run/Slots.ts"
import * as Inbox from "../../../core/vault/inbox/Inbox.ts"
import type { ReceivedCode, RecentMessage } from "../../../core/vault/inbox/ReceivedCodes.ts"
import type { VaultEntry } from "../../../core/vault/VaultEntry.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as SlotColumns from "../claim/SlotColumns.ts"
import { sha256 } from "../Hash.ts"
import * as Table from "./Table.ts"

const ofEntry = Table.of<VaultEntry>()
const text = Table.nullable(Table.text)

/** Names of shared mailboxes and numbers may be longer than an index takes. */
const loginRule = (entry: VaultEntry): string | null => {
  const { login } = Slots.allowanceOf(entry)
  return login === null || login === "entry" ? login : `shared:${sha256(login)}`
}

/** Columns derived from an entry, so that claims and the inbox need not read its body, which may be megabytes long. */
export const entries = Table.make(
  "vault_entries",
  {
    site_hash: ofEntry(text, SlotColumns.siteHash),
    runs_allowed: ofEntry(Table.nullable(Table.integer), (entry) => Slots.allowanceOf(entry).runs),
    login_rule: ofEntry(text, loginRule),
    changed_at: ofEntry(Table.instant, ({ updatedAt }) => updatedAt),
    mailbox_hash: ofEntry(text, (entry) => sha256(Inbox.mailboxKey(entry.workspaceId, entry)))
  },
  []
)

/** A code of a workspace. */
interface Received {
  readonly workspaceId: WorkspaceId
  readonly code: ReceivedCode
}

const ofReceived = Table.of<Received>()
const Kind: Schema.Codec<ReceivedCode["kind"]> = Schema.Literals(["code", "link", "uncertain_code"])

export const codes = Table.make(
  "received_codes",
  {
    id: ofReceived(Table.uuid<string>(), ({ code }) => code.id),
    workspace_id: ofReceived(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    kind: ofReceived(Table.textOf(Kind), ({ code }) => code.kind),
    // Addresses are equal regardless of case.
    address: ofReceived(Table.text, ({ code }) => code.address.toLowerCase()),
    sealed: ofReceived(Table.text, ({ code }) => code.sealed),
    received_at: ofReceived(Table.instant, ({ code }) => code.receivedAt),
    authentication: ofReceived(text, ({ code }) => code.authentication ?? null)
  },
  ["id"]
)

/** A code with its place in the order of arrival. */
export type CodeRow = Table.Row<typeof codes.columns> & { readonly position: bigint }

export const toCode = (row: CodeRow): ReceivedCode => {
  const { address, authentication, id, kind, received_at, sealed } = codes.decode(row)
  return { id, kind, address, sealed, receivedAt: received_at, ...(authentication === null ? {} : { authentication }) }
}

const ofMessage = Table.of<RecentMessage>()

export const messages = Table.make(
  "received_messages",
  {
    // An id may hold an address, and be longer than the column takes.
    id: ofMessage(Table.text, ({ id }) => (id.length <= 200 ? id : `sha256:${sha256(id)}`)),
    remember_until: ofMessage(Table.instant, ({ until }) => until)
  },
  ["id"]
)
