/** An action ends once its page has arrived at what the action led to, however short the wait for its element was. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import { defaultPageLimits, type PageLimits } from "../../../core/agent/Limits.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { hangMillis } from "../../support/limits.ts"
import { executablePath, inBrowser } from "../../support/realBrowser.ts"
import { sampled } from "../../support/scale.ts"
import { type Answer, html, serve } from "../../support/site.ts"
import { awaited } from "../../support/waiting.ts"

/** Long enough to find the element on a busy machine. */
const waitMillis = 2_500

const done = "<h1>Done</h1>"

/** An answer that comes when the wait for the element is over, which begins before the request. */
const slow: Answer = (_request, response) =>
  void setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end(done), 1.2 * waitMillis)

/** Keeps the page busy for as long. */
const busy = `const until = Date.now() + ${1.2 * waitMillis}; while (Date.now() < until);`

/** What leads to the page that comes late; each page has a heading too, which is not what is read. */
const pages = {
  link: `<a id="go" href="/slow">Go</a>`,
  form: `<form action="/slow" method="post"><button id="go">Go</button></form>`,
  "busy button": `<button id="go" onclick="${busy} location='/done'">Go</button>`,
  "button that is busy when it is pressed": `<button id="go" onmousedown="${busy}" onclick="location='/done'">Go</button>`,
  "button with two clicks": `<button id="go" ondblclick="${busy} location='/slow'">Go</button>`,
  list: `<select id="go" onchange="location='/slow'"><option>None<option>Go</select>`,
  "busy list": `<select id="go" onchange="${busy} location='/done'"><option>None<option>Go</select>`
}

const selector = "//*[@id='go']"

const steps: Partial<Record<string, Step>> = {
  "button with two clicks": {
    action: "CLICK",
    parameters: { selector, click_type: "double_click", wait_time: waitMillis }
  },
  list: { action: "INPUT_SELECT", parameters: { selector, value: "Go", wait_time: waitMillis } },
  "busy list": { action: "INPUT_SELECT", parameters: { selector, value: "Go", wait_time: waitMillis } }
}

const click: Step = { action: "CLICK", parameters: { selector, wait_time: waitMillis } }

const human = ({ action, parameters }: Step): Step => ({ action, parameters: { ...parameters, human_mode: true } })

const read: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: {
    selector: "//h1",
    wait_time: 20_000,
    extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } }
  }
}

/** By a human hand an action begins in another way, and waits in the same one: some of them here, and all each night. */
const byHand = sampled(Object.keys(pages), 3)

describe.concurrent("an action is done although its page takes longer than the wait for its element:", () => {
  for (const [name, page] of Object.entries(pages)) {
    for (const isHuman of byHand.includes(name) ? [false, true] : [false]) {
      it.live(`${name}${isHuman ? ", by a human hand" : ""}`, () =>
        Effect.gen(function* () {
          const site = yield* serve({ "/": html(`<h1>Before</h1>${page}`), "/slow": slow, "/done": html(done) })
          const step = steps[name] ?? click
          const { outcome } = yield* walk(graphOf(`${site}/`, [isHuman ? human(step) : step, read]))
          if (outcome._tag === "Failed") assert.fail(outcome.failure.message)
          assert.deepStrictEqual(outcome.data, { title: "Done" })
        }).pipe(Effect.scoped, inBrowser)
      )
    }
  }
})

/** Walks from a path of a site on, within limits. */
const walkWith = (of: Partial<PageLimits>, site: string, path: string, steps: ReadonlyArray<Step>) => {
  const limits = { ...defaultPageLimits, ...of }
  const options = { ...PlaywrightBrowser.defaults, executablePath, allowedOrigins: [site], limits }
  return Effect.provide(walk(graphOf(`${site}${path}`, steps)), PlaywrightBrowser.layer(options))
}

describe.concurrent("a page that takes longer than a page may be unresponsive is waited for:", () => {
  const later: Answer = (_request, response) =>
    void setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end(done), 3 * waitMillis)
  const site = () => serve({ "/": html(`<h1>Before</h1><a id="go" href="/later">Go</a>`), "/later": later })
  for (const [name, path, steps] of [
    ["the first one", "/later", [read]],
    ["one that a click opens", "/", [click, read]]
  ] as const) {
    it.live(name, () =>
      Effect.gen(function* () {
        const { outcome } = yield* walkWith({ unresponsiveMillis: 2 * waitMillis }, yield* site(), path, steps)
        if (outcome._tag === "Failed") assert.fail(outcome.failure.message)
        assert.deepStrictEqual(outcome.data, { title: "Done" })
      }).pipe(Effect.scoped)
    )
  }
})

describe.concurrent("a page that does not come in the time of a navigation is said at once:", () => {
  const site = () => serve({ "/": html(`<h1>Before</h1><a id="go" href="/never">Go</a>`), "/never": () => undefined })
  for (const [name, path, said] of [
    ["the first one", "/never", "it did not load within 5000 ms"],
    ["one that a click opens", "/", "the page that it opens did not load within 5000 ms; the action may have taken"]
  ] as const) {
    it.live(name, () =>
      Effect.gen(function* () {
        // Not only once the page counts as unresponsive.
        const limits = { navigationMillis: 2 * waitMillis, unresponsiveMillis: 10 * hangMillis }
        const { outcome } = yield* awaited("the end of the run", walkWith(limits, yield* site(), path, [click]))
        if (outcome._tag === "Success") return assert.fail("it has no page")
        assert.include(outcome.failure.message, said)
      }).pipe(Effect.scoped)
    )
  }
})
