import type { ChildProcess } from "node:child_process"
import { createRequire } from "node:module"
import type { Writable } from "node:stream"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import * as Session from "../../../core/browser/Session.ts"
import { body } from "../../support/pages.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { html, serve } from "../../support/site.ts"

/** What is asked of the browsers that start while this is installed, by the names of the messages. */
const asking = Effect.acquireRelease(
  Effect.sync(() => {
    const asked: Array<string> = []
    // Playwright calls what this object holds.
    const processes = createRequire(import.meta.url)("node:child_process")
    const { spawn } = processes
    processes.spawn = (...args: ReadonlyArray<unknown>): ChildProcess => {
      const child: ChildProcess = spawn(...args)
      const commands = child.stdio[3] as Writable | null
      if (commands) {
        const write = commands.write.bind(commands)
        commands.write = (text: string) => {
          if (text !== "\0") asked.push(JSON.parse(text).method)
          return write(text)
        }
      }
      return child
    }
    return { asked, restore: () => Object.assign(processes, { spawn }) }
  }),
  ({ restore }) => Effect.sync(restore)
)

/** A page on which nothing is wrong, with what people have on it. */
const page = body(`<style>button:hover { background: navy; color: white } a:hover { text-decoration: underline }</style>
  <p><button id=first>First</button> <button id=second>Second</button></p>
  <label><input type=checkbox id=box> Box</label> <ul><li><a href=#one>One</a></li><li><a href=#two>Two</a></li></ul>`)

it.live("a click on what is there asks the browser for three moves of the mouse and at most 13 answers", () =>
  Effect.gen(function* () {
    const { asked } = yield* asking
    const site = yield* serve({ "/": html(page) })
    const options = { ...PlaywrightBrowser.defaults, executablePath, allowPrivateNetworks: true }
    const context = yield* Layer.build(Layer.fresh(PlaywrightBrowser.layer(options)))
    const { elements, navigation } = yield* Effect.flatMap(Browser, (browser) => browser.open(Session.empty)).pipe(
      Effect.provide(context)
    )
    yield* navigation.goto(`${site}/`)
    const click = (selector: string) => elements.click({ selector, waitMillis: 10_000 }, "click")
    yield* click("//button[@id='first']")
    // A click of a control that changes nothing is looked at twice for its effect, and a box once.
    const most = { "//button[@id='second']": 13, "//input": 12, "//a[.='One']": 11, "//a[.='Two']": 11 }
    for (const [selector, answers] of Object.entries(most)) {
      asked.splice(0)
      yield* click(selector)
      const parts = asked.filter((name) => /^(Input|DOM)\.|^Runtime\.callFunctionOn$/.test(name))
      const moves = parts.filter((name) => name.startsWith("Input.")).length
      assert.strictEqual(moves, 3, selector)
      assert.isAtMost(parts.length - moves, answers, selector)
    }
  }).pipe(Effect.scoped)
)
