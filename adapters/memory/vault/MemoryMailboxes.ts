/** The mailboxes of credentials in memory, by an index that is kept with the entries. */
import { Effect, Layer, Option } from "effect"
import * as Inbox from "../../../core/vault/inbox/Inbox.ts"
import { Mailboxes } from "../../../core/vault/inbox/Mailboxes.ts"
import type { VaultEntry } from "../../../core/vault/VaultEntry.ts"
import type { Collection } from "../../../core/workspace/Collection.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  Mailboxes,
  Effect.map(Tables, ({ mailboxes }) =>
    Mailboxes.of({
      ownersOf: (mailbox) => Effect.sync(() => [...new Set(mailboxes.get(mailbox)?.values() ?? [])].slice(0, 2))
    })
  )
)

/** A collection of entries that keeps the index. The user and the site of an entry never change, and so its mailbox. */
export const indexed = (entries: Collection<VaultEntry>): Effect.Effect<Collection<VaultEntry>, never, Tables> =>
  Effect.map(Tables, ({ mailboxes }) => ({
    ...entries,
    insert: (workspaceId, entry) =>
      Effect.tap(entries.insert(workspaceId, entry), () =>
        Effect.sync(() => {
          const mailbox = Inbox.mailboxKey(workspaceId, entry)
          const owners = mailboxes.get(mailbox) ?? new Map()
          mailboxes.set(mailbox, owners.set(entry.id, workspaceId))
        })
      ),
    remove: (workspaceId, id) =>
      Effect.tap(entries.remove(workspaceId, id), (removed) =>
        Effect.sync(() => {
          if (Option.isNone(removed)) return
          const mailbox = Inbox.mailboxKey(workspaceId, removed.value)
          const owners = mailboxes.get(mailbox)
          owners?.delete(id)
          if (owners?.size === 0) mailboxes.delete(mailbox)
        })
      )
  }))
