/**
 * Tickets of those who watch a run: signed with a secret of the installation, kept nowhere, and good for a while. A page
 * holds its ticket in memory and is given a new one with every look.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { RunId } from "../../../core/run/Run.ts"
import { WorkspaceId } from "../../../core/workspace/Workspace.ts"

/** Whom a ticket lets watch which run. */
export interface Watcher {
  readonly id: RunId
  readonly workspaceId: WorkspaceId
}

export class LiveTickets extends Context.Service<
  LiveTickets,
  {
    /** A ticket for a run that is good for so many milliseconds from now. */
    readonly issue: (watcher: Watcher, millis: number) => Effect.Effect<string>
    /** Whom a ticket lets in; none when it is not one of ours, or its time is over. */
    readonly read: (ticket: string) => Effect.Effect<Option.Option<Watcher>>
  }
>()("sluice/apps/api/LiveTickets") {}

const isRun = Schema.is(RunId)
const isWorkspace = Schema.is(WorkspaceId)

/** `masterKey` is the key of the installation; tickets are signed with a key derived from it. */
export const layer = (masterKey: Redacted.Redacted<string>) =>
  Layer.sync(LiveTickets, () => {
    const key = createHmac("sha256", Redacted.value(masterKey)).update("sluice live views").digest()
    const sign = (claims: string) => createHmac("sha256", key).update(claims).digest()
    return LiveTickets.of({
      issue: ({ id, workspaceId }, millis) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const claims = `${workspaceId}.${id}.${now + millis}`
          return `${claims}.${sign(claims).toString("base64url")}`
        }),
      read: (ticket) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const [workspaceId = "", id = "", expires = "", signature = ""] = ticket.split(".")
          const own = sign(`${workspaceId}.${id}.${expires}`)
          const given = Buffer.from(signature, "base64url")
          const valid = given.length === own.length && timingSafeEqual(given, own) && Number(expires) > now
          return valid && isRun(id) && isWorkspace(workspaceId) ? Option.some({ id, workspaceId }) : Option.none()
        })
    })
  })
