/**
 * The browser that all tests share, on two sites with pages that a test defines.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { Browser, type BrowserSession } from "../../core/browser/Browser.ts"
import type { PageFailure } from "../../core/browser/PageFailure.ts"
import * as Session from "../../core/browser/Session.ts"
import { inBrowser } from "./realBrowser.ts"
import { type Answer, html, serve } from "./site.ts"

export class Pages extends Context.Service<
  Pages,
  {
    readonly site: string
    /** The browser, for tests that open pages in another way. */
    readonly browser: Browser["Service"]
    /** Opens a page of the site in a separate session. */
    readonly open: (path: string) => Effect.Effect<BrowserSession, PageFailure, Scope.Scope>
  }
>()("sluice/test/Pages") {}

/** Pages by their path: HTML, in which `{{other}}` is the origin of the other site, or an answer. */
export const pages = (written: Readonly<Record<string, string | Answer>>): Layer.Layer<Pages> =>
  Layer.effect(
    Pages,
    Effect.gen(function* () {
      let other = ""
      const answers = Object.entries(written).map(([path, page]): readonly [string, Answer] => [
        path,
        typeof page === "function"
          ? page
          : (request, response) => html(page.replaceAll("{{other}}", other))(request, response)
      ])
      const site = yield* serve(Object.fromEntries(answers))
      other = site.replace("127.0.0.1", "localhost")
      const browser = yield* inBrowser(Browser)
      return Pages.of({
        site,
        browser,
        open: Effect.fnUntraced(function* (path: string) {
          const page = yield* browser.open(Session.empty)
          yield* page.navigation.goto(`${site}${path}`)
          return page
        })
      })
    })
  ).pipe(Layer.orDie)

export const open = (path: string) => Effect.flatMap(Pages, (all) => all.open(path))

export const at = (selector: string, waitMillis = 20_000) => ({ selector, waitMillis })

/** A document with a body. */
export const body = (content: string): string =>
  `<!doctype html><html><head><title>Page</title></head><body>${content}</body></html>`
