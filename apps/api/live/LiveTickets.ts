/** The tickets of live views as a service of the server. */
import { Context, Layer, type Redacted } from "effect"
import * as Tickets from "./Tickets.ts"

export class LiveTickets extends Context.Service<LiveTickets, Tickets.Tickets>()("sluice/apps/api/LiveTickets") {}

export const layer = (masterKey: Redacted.Redacted<string>) =>
  Layer.sync(LiveTickets, () => LiveTickets.of(Tickets.make(masterKey)))
