/**
 * The service with its stores in memory and a host of conversations on a scripted browser.
 */
import { Effect, Layer } from "effect"
import * as Host from "../../core/builder/host/Host.ts"
import * as StartingState from "../../core/builder/host/StartingState.ts"
import { Accounts } from "../../core/vault/Accounts.ts"
import { LoginCodes } from "../../core/vault/otp/LoginCodes.ts"
import * as ScriptedBrowser from "../kit/browser/ScriptedBrowser.ts"
import { layerInMemory } from "./service.ts"

export const home = "https://shop.example/"
export const list = "https://shop.example/orders"

const site: ScriptedBrowser.ScriptedSite = {
  [home]: [
    { selector: "//h1", text: "Welcome" },
    { selector: "#go", leadsTo: list },
    { selector: "#user", value: "" }
  ],
  [list]: [{ selector: "//h1", text: "Orders" }]
}

/** A host of conversations beside the service. */
export const hosting = Layer.effectDiscard(
  Effect.gen(function* () {
    const beginningOf = yield* StartingState.ofConversations
    yield* Effect.forkScoped(Host.run({ name: "host", capacity: 1_000, leaseMillis: 30_000, beginningOf }))
  })
).pipe(Layer.provide([ScriptedBrowser.layer(site), Accounts.layer, LoginCodes.layer]))

export const hosted = Layer.provideMerge(hosting, layerInMemory)
