/**
 * Tickets of those who watch a run: signed with a secret of the installation, kept nowhere, and good for a while. A page
 * holds its ticket in memory and is given a new one with every look.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Redacted, Schema } from "effect"
import { RunId } from "../../../core/run/Run.ts"

export interface Tickets {
  /** A ticket for a run that is good until an instant, in epoch milliseconds. */
  readonly issue: (runId: string, expiresAt: number) => string
  /** The run of a ticket; `null` when it is not one of ours, or its time is over at `now`. */
  readonly read: (ticket: string, now: number) => RunId | null
}

const isRun = Schema.is(RunId)

/** `masterKey` is the key of the installation; tickets are signed with a key derived from it. */
export const make = (masterKey: Redacted.Redacted<string>): Tickets => {
  const key = createHmac("sha256", Redacted.value(masterKey)).update("sluice live views").digest()
  const sign = (claims: string) => createHmac("sha256", key).update(claims).digest()
  return {
    issue: (runId, expiresAt) => `${runId}.${expiresAt}.${sign(`${runId}.${expiresAt}`).toString("base64url")}`,
    read: (ticket, now) => {
      const [id = "", expires = "", signature = ""] = ticket.split(".")
      const own = sign(`${id}.${expires}`)
      const given = Buffer.from(signature, "base64url")
      const valid = given.length === own.length && timingSafeEqual(given, own) && Number(expires) > now
      return valid && isRun(id) ? id : null
    }
  }
}
