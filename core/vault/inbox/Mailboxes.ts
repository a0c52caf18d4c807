/** Finds the workspaces of mailboxes. Each credential has one mailbox, identified by the local part of its address. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"

export class Mailboxes extends Context.Service<
  Mailboxes,
  {
    /**
     * The workspaces with a credential of this mailbox, given in lower case: none, one, or two where more than one has it.
     * The cost does not depend on how many credentials there are.
     */
    readonly ownersOf: (mailbox: string) => Effect.Effect<ReadonlyArray<WorkspaceId>, StoreUnavailable>
  }
>()("sluice/core/vault/inbox/Mailboxes") {}
