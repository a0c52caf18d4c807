/**
 * Tickets of those who watch a run: signed with a secret of the installation, kept nowhere, and good for a while. A page
 * holds its ticket in memory and is given a new one with every look.
 */
import { Schema } from "effect"
import { RunId } from "../../../core/run/Run.ts"
import * as Signatures from "../request/Signatures.ts"

export interface Tickets {
  /** A ticket for a run that is good until an instant, in epoch milliseconds. */
  readonly issue: (runId: string, expiresAt: number) => string
  /** The run of a ticket; `null` when it is not one of ours, or its time is over at `now`. */
  readonly read: (ticket: string, now: number) => RunId | null
}

const isRun = Schema.is(RunId)

/** Tickets are signed with a key that is derived from the first secret, and believed when signed with any of them. */
export const make = (secrets: Signatures.Secrets): Tickets => {
  const { matches, sign } = Signatures.make(secrets, "sluice live views")
  return {
    issue: (runId, expiresAt) => `${runId}.${expiresAt}.${sign(`${runId}.${expiresAt}`)}`,
    read: (ticket, now) => {
      const [id = "", expires = "", signature = ""] = ticket.split(".")
      const valid = matches(`${id}.${expires}`, signature) && Number(expires) > now
      return valid && isRun(id) ? id : null
    }
  }
}
