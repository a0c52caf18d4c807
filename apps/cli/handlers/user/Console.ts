/**
 * What `sluice console` does: has the service make a link, and prints the address that signs a browser in with it.
 *
 * The console is served by the service itself, because its session belongs to that origin. A copy of the page on
 * another origin could not use it.
 */
import { Effect } from "effect"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"

export const consoleLink = (settings: ConnectionSettings & OutputSettings) =>
  connected(settings, (client, { url }) =>
    Effect.gen(function* () {
      const { expires_at, link } = yield* client.console.makeLink()
      const address = `${url.replace(/(?<!\/)\/+$/, "")}/#sign-in=${link}`
      yield* answer(settings, { url: address, expires_at }, () => address)
    })
  )
