import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import * as Session from "../../../core/browser/Session.ts"
import * as CountedMessages from "../../support/countedMessages.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { html, serve } from "../../support/site.ts"

const rows = Array.from({ length: 2_000 }, (_, at) => `<tr><td>${at}</td><td>Order ${at} of a customer</td></tr>`)

const page = `<table>${rows.join("")}</table><button onclick="out.value += 'pressed'">Send all</button>
  <label>Note <input id=note></label><select id=kind><option>One<option>Two</select><output id=out></output>`

it.live("a text among many rows is looked for twice for each act on its element", () =>
  Effect.gen(function* () {
    let sought = 0
    const { stop } = CountedMessages.install((text) => {
      if (/"Runtime.callFunctionOn".*(Send all|textbox|combobox|Order 1999 )/.test(text)) sought++
    })
    yield* Effect.addFinalizer(() => Effect.sync(stop))
    const options = { ...PlaywrightBrowser.defaults, executablePath, allowPrivateNetworks: true }
    const browser = Context.get(yield* Layer.build(Layer.fresh(PlaywrightBrowser.layer(options))), Browser)
    const site = yield* serve({ "/": html(page) })
    const { elements, navigation } = yield* browser.open(Session.empty)
    yield* navigation.goto(`${site}/`)
    const at = (selector: string) => ({ selector, waitMillis: 60_000 })
    const acts = {
      click: elements.click(at("text=Send all"), "click"),
      type: elements.type(at("role=textbox"), {
        strokes: ["4711"],
        existing: "replace",
        delayMillis: 0,
        paste: false,
        readBack: true
      }),
      choose: elements.select(at("role=combobox"), "Two", false),
      find: elements.find(at("text=Order 1999 of a customer"))
    }
    const counts: Record<string, number> = {}
    for (const [name, act] of Object.entries(acts)) {
      sought = 0
      yield* act
      counts[name] = sought
    }
    assert.deepStrictEqual(counts, { click: 2, type: 2, choose: 2, find: 2 })
    assert.strictEqual(yield* elements.read(at("//output")), "pressed")
    assert.strictEqual(yield* elements.read(at("//input")), "4711")
  }).pipe(Effect.scoped)
)
