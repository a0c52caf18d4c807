/**
 * Tickets of those who watch a run: signed with a secret of the installation, kept nowhere, and good for a while. A page
 * holds its ticket in memory and is given a new one with every look. It says with which key its holder was let in, whether
 * they may also take control, and in whose name.
 */

import { type Redacted, Schema } from "effect"
import { RunId, UserId } from "../../core/workspace/Ids.ts"
import * as Signatures from "./Signatures.ts"

export interface Tickets {
  /**
   * Issues a ticket for a run that is valid until an instant, in epoch milliseconds. Without a holder it allows
   * watching only.
   */
  readonly issue: (runId: string, expiresAt: number, holder?: Pick<Ticket, "keyId" | "userId">) => string
  /** Reads a ticket; `null` when it is not one of ours, or has expired at `now`. */
  readonly read: (ticket: string, now: number) => Ticket | null
}

export interface Ticket {
  readonly runId: RunId
  /** The key that let its holder in; `null` for a ticket that was sent around, as that of an event is. */
  readonly keyId: string | null
  /** The user who may take control with it; `null` when it is for watching only. */
  readonly userId: UserId | null
}

const isRun = Schema.is(RunId)
const isUser = Schema.is(UserId)

/** Tickets are signed with a key that is derived from the secret. */
export const make = (secret: Redacted.Redacted<string>): Tickets => {
  const { matches, sign } = Signatures.make(secret, "sluice live views")
  return {
    issue: (runId, expiresAt, holder) => {
      const said = `${runId}.${expiresAt}.${holder?.userId ?? ""}.${holder?.keyId ?? ""}`
      return `${said}.${sign(said)}`
    },
    read: (ticket, now) => {
      const [id = "", expires = "", user = "", key = "", signature = ""] = ticket.split(".")
      const valid = matches(`${id}.${expires}.${user}.${key}`, signature) && Number(expires) > now
      return valid && isRun(id)
        ? { runId: id, keyId: key === "" ? null : key, userId: isUser(user) ? user : null }
        : null
    }
  }
}
