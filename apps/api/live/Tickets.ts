/**
 * Tickets of those who watch a run: signed with a secret of the installation, kept nowhere, and good for a while. A page
 * holds its ticket in memory and is given a new one with every look. It says whether its holder may also take control, and
 * in whose name.
 */
import { Schema } from "effect"
import { RunId } from "../../../core/run/Run.ts"
import { UserId } from "../../../core/workspace/Workspace.ts"
import * as Signatures from "../request/Signatures.ts"

export interface Tickets {
  /** A ticket for a run that is good until an instant, in epoch milliseconds. */
  readonly issue: (runId: string, expiresAt: number, userId?: UserId | null) => string
  /** What a ticket is for; `null` when it is not one of ours, or its time is over at `now`. */
  readonly read: (ticket: string, now: number) => Ticket | null
}

export interface Ticket {
  readonly runId: RunId
  /** Who may take control with it; `null` when it is for watching only. */
  readonly userId: UserId | null
}

const isRun = Schema.is(RunId)
const isUser = Schema.is(UserId)

/** Tickets are signed with a key that is derived from the first secret, and believed when signed with any of them. */
export const make = (secrets: Signatures.Secrets): Tickets => {
  const { matches, sign } = Signatures.make(secrets, "sluice live views")
  return {
    issue: (runId, expiresAt, userId = null) => {
      const said = `${runId}.${expiresAt}.${userId ?? ""}`
      return `${said}.${sign(said)}`
    },
    read: (ticket, now) => {
      const [id = "", expires = "", user = "", signature = ""] = ticket.split(".")
      const valid = matches(`${id}.${expires}.${user}`, signature) && Number(expires) > now
      return valid && isRun(id) ? { runId: id, userId: isUser(user) ? user : null } : null
    }
  }
}
