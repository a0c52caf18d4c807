import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Option } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import * as Session from "../../../core/browser/Session.ts"
import { Builder } from "../../../core/builder/Builder.ts"
import * as Host from "../../../core/builder/host/Host.ts"
import * as StartingState from "../../../core/builder/host/StartingState.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { altered } from "../../support/alteredSessions.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

const home = "https://shop.example/"
const token = "canary-token-0123456789"

const site: ScriptedBrowser.ScriptedSite = {
  [home]: [
    { selector: "//h1", text: `Your token is ${token}` },
    { selector: "#go", leadsTo: home }
  ]
}

/** A browser whose clicks fail in an unexpected way, with a message that holds secrets. */
const browser = Layer.effect(
  Browser,
  Effect.map(Browser, ({ open }) =>
    Browser.of({
      open: (session) =>
        Effect.map(open(session), (page) =>
          altered(page, { elements: { click: () => Effect.die(new Error(`Clicked with ${token}`)) } })
        )
    })
  )
).pipe(Layer.provide(ScriptedBrowser.layer(site)))

const services = Builder.layer.pipe(
  Layer.provideMerge(Workflows.layer),
  Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer, browser))
)

const settle = Effect.repeat(Effect.yieldNow, { times: 200 })

it.effect("what the session of a conversation brings is in nothing that is shown, said or logged of it", () => {
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.make((entry) => void lines.push(Logger.formatLogFmt.log(entry)))])
  return Effect.gen(function* () {
    const builder = yield* Builder
    const caller = yield* makeWorkspace()
    const session = { ...Session.empty, localStorage: { [home]: { token } } }
    const beginningOf = () => Effect.succeed({ ...StartingState.empty, session })
    yield* Effect.forkChild(Host.run({ name: "h", capacity: 1, leaseMillis: 30_000, beginningOf }))
    yield* settle
    const { conversation } = yield* builder.open(caller, {
      _tag: "New",
      name: "Shop",
      description: null,
      startUrl: home,
      inputSchema: null,
      inputs: {},
      settings: {},
      login: null
    })
    yield* settle
    const looking = yield* Effect.forkChild(builder.look(caller, conversation.id, "html"))
    yield* settle
    const view = Option.getOrThrow(yield* Fiber.join(looking))
    assert.include(view.body, "Your token is [secret]")
    yield* builder.say(caller, conversation.id, "click #go")
    yield* settle
    const messages = yield* builder.messages(caller, conversation.id, 1, 10)
    assert.include(messages.at(-1)?.text, "internal error")
    assert.include(lines.join("\n"), "Clicked with [secret]")
    assert.notInclude(JSON.stringify([messages, view, lines]), token)
  }).pipe(Effect.provide(Layer.fresh(services)), Effect.provide(logger))
})
