/** The tickets of live views as a service of the server. */
import { Context, Effect, Layer } from "effect"
import * as Tickets from "../../../adapters/crypto/Tickets.ts"
import { InstallationKey } from "../../../core/vault/keys/InstallationKey.ts"

export class LiveTickets extends Context.Service<LiveTickets, Tickets.Tickets>()("sluice/apps/api/LiveTickets") {}

export const layer = Layer.effect(
  LiveTickets,
  Effect.map(InstallationKey, ({ key }) => LiveTickets.of(Tickets.make(key)))
)
