/**
 * Tickets of viewers of a run: signed with a secret of the installation, not stored, and valid for a limited time. A
 * page keeps its ticket in memory and gets a new one with every status. A ticket names the API key of its holder, and
 * the user who may take control, if any.
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
  /** Reads a ticket; `null` if its signature is invalid, or it has expired at `now`. */
  readonly read: (ticket: string, now: number) => Ticket | null
}

export interface Ticket {
  readonly runId: RunId
  /** The API key of the holder; `null` for a ticket in an event, which may be passed on. */
  readonly keyId: string | null
  /** The user who may take control; `null` for watching only. */
  readonly userId: UserId | null
}

const isRun = Schema.is(RunId)
const isUser = Schema.is(UserId)

/** Signs tickets with a key that is derived from the secret. */
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
