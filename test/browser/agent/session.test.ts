import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, type Scope } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import { Browser, type BrowserSession } from "../../../core/browser/Browser.ts"
import * as Session from "../../../core/browser/Session.ts"
import * as BrowserLocation from "../../../core/vault/BrowserLocation.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { hangMillis } from "../../support/limits.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { type Answer, html, serve } from "../../support/site.ts"

/** Chromium with every host below `localhost` within reach. */
const chromium = PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowPrivateNetworks: true })

const cookie = (fields: Partial<Session.Cookie>): Session.Cookie => ({
  name: "a",
  value: "1",
  domain: "app.localhost",
  path: "/",
  expires: null,
  httpOnly: false,
  secure: false,
  sameSite: null,
  ...fields
})

const opened = <A, E>(
  session: Partial<Session.Session>,
  use: (page: BrowserSession) => Effect.Effect<A, E, Scope.Scope>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      return yield* use(yield* (yield* Browser).open({ ...Session.empty, ...session }))
    })
  )

const byName = (one: Session.Cookie, other: Session.Cookie) => one.name.localeCompare(other.name)
const text = (page: BrowserSession, selector = "//body") => page.elements.read({ selector, waitMillis: hangMillis })

const inTwoYears = Math.round(Date.now() / 1_000) + 300 * 86_400

const given: Session.StoredState = {
  cookies: [
    cookie({
      name: "all",
      value: "v=1",
      path: "/deep",
      httpOnly: true,
      secure: true,
      sameSite: "None",
      expires: inTwoYears
    }),
    cookie({ name: "lax", sameSite: "Lax" }),
    cookie({ name: "strict", sameSite: "Strict", domain: ".app.localhost" }),
    cookie({ name: "unsaid", value: "" })
  ],
  localStorage: { "http://app.localhost:1": { theme: "dark", __proto: "x" }, "https://app.localhost": { a: "ü" } },
  sessionStorage: { "http://app.localhost:1": { step: "2" } }
}

/** The promises of every browser. */
const contract = (name: string, browser: Layer.Layer<Browser, unknown>) =>
  describe(`a session of ${name}`, () => {
    it.live("has what it was given, and shares nothing with another", () =>
      Effect.gen(function* () {
        const remembered = yield* opened(given, (page) => page.observation.remembered(() => true))
        assert.deepStrictEqual([...remembered.cookies].sort(byName), given.cookies)
        const stored = (storage: Session.Storage) =>
          Object.fromEntries(Object.entries(storage).filter(([, values]) => Object.keys(values).length > 0))
        assert.deepStrictEqual(stored(remembered.localStorage), given.localStorage)
        assert.deepStrictEqual(stored(remembered.sessionStorage), given.sessionStorage)

        const secure = yield* opened(given, (page) =>
          page.observation.remembered((origin) => origin.startsWith("https:"))
        )
        assert.deepStrictEqual(Object.keys(secure.localStorage), ["https://app.localhost"])

        const fresh = yield* opened({}, (page) => page.observation.remembered(() => true))
        assert.deepStrictEqual(fresh, { cookies: [], localStorage: {}, sessionStorage: {} })
      }).pipe(Effect.provide(Layer.fresh(browser)))
    )

    it.live("begins on an empty page", () =>
      opened(given, (page) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* page.navigation.address, "about:blank")
        })
      ).pipe(Effect.provide(Layer.fresh(browser)))
    )
  })

contract("the browser in memory", ScriptedBrowser.layer({}))
contract("Chromium", chromium)

/** A site of three hosts that tells what it is asked with. */
const telling = Effect.fnUntraced(function* (pages: Readonly<Record<string, Answer>> = {}) {
  const asked: Array<{
    readonly host: string
    readonly path: string
    readonly headers: Readonly<Record<string, unknown>>
  }> = []
  const told: Answer = ({ headers, url = "" }, response) => {
    asked.push({ host: String(headers.host).split(":")[0] ?? "", path: url, headers })
    response.writeHead(200, { "content-type": "text/html" }).end(`<p id=c>${headers.cookie ?? ""}</p>`)
  }
  const paths = ["/", "/deep", "/img.png", "/fetched", "/landed", "/second"]
  const origin = yield* serve({ ...Object.fromEntries(paths.map((path) => [path, told])), ...pages })
  const { port } = new URL(origin)
  return { asked, port, at: (host: string) => `http://${host}:${port}` }
})

describe("in Chromium", () => {
  it.live("cookies go where their attributes say, and those that no browser takes are left out", () =>
    Effect.gen(function* () {
      const { at } = yield* telling()
      const cookies = [
        cookie({ name: "__Host-no", domain: ".app.localhost", secure: true }),
        cookie({ name: "bad;name" }),
        cookie({ name: "host" }),
        cookie({ name: "below", domain: ".app.localhost" }),
        cookie({ name: "deep", path: "/deep" }),
        cookie({ name: "hidden", httpOnly: true })
      ]
      yield* opened({ cookies }, (page) =>
        Effect.gen(function* () {
          yield* page.navigation.goto(`${at("app.localhost")}/`)
          assert.strictEqual(yield* text(page, "//p"), "host=1; below=1; hidden=1")
          yield* page.navigation.goto(`${at("app.localhost")}/deep`)
          assert.strictEqual(yield* text(page, "//p"), "deep=1; host=1; below=1; hidden=1")
          yield* page.navigation.goto(`${at("sub.app.localhost")}/`)
          assert.strictEqual(yield* text(page, "//p"), "below=1")
          yield* page.navigation.goto(`${at("localhost")}/`)
          assert.strictEqual(yield* text(page, "//p"), "")
        })
      )
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(chromium)))
  )

  it.live("storage is there before the page's scripts, once: what the page makes of it stays", () =>
    Effect.gen(function* () {
      const show = `<script>
        const seen = [localStorage.count, sessionStorage.count, localStorage.length]
        localStorage.count = Number(localStorage.count ?? 0) + 1
        sessionStorage.count = Number(sessionStorage.count ?? 0) + 1
        document.write("<p>" + seen.join() + "</p><a href='/again'>again</a>")
      </script>`
      const { at, port } = yield* telling({ "/counting": html(show), "/again": html(show) })
      const app = at("app.localhost")
      const session = {
        localStorage: { [app]: { count: "10" } },
        sessionStorage: { [app]: { count: "20" }, [at("other.localhost")]: { kept: "1" } }
      }
      yield* opened(session, (page) =>
        Effect.gen(function* () {
          yield* page.navigation.goto(`${app}/counting`)
          assert.strictEqual(yield* text(page, "//p"), "10,20,1")
          yield* page.elements.click({ selector: "css=a", waitMillis: hangMillis }, "click")
          assert.strictEqual(yield* text(page, "//p"), "11,21,1")
          yield* page.navigation.goto(`${at("sub.app.localhost")}/counting`)
          assert.strictEqual(yield* text(page, "//p"), ",,0")
          yield* page.navigation.back
          yield* page.navigation.goto(`${app}/counting`)
          assert.strictEqual(yield* text(page, "//p"), "13,23,1")
          yield* page.navigation.goto(`${at("localhost")}/`)
          const remembered = yield* page.observation.remembered((origin) => origin.endsWith(`app.localhost:${port}`))
          assert.deepStrictEqual(remembered.localStorage, {
            [app]: { count: "14" },
            [at("sub.app.localhost")]: { count: "1" }
          })
          assert.deepStrictEqual(remembered.sessionStorage, {
            [app]: { count: "24" },
            [at("sub.app.localhost")]: { count: "1" }
          })
        })
      )
      // Nothing that was asked for while the storage was given reached the site.
      yield* opened(session, (page) =>
        Effect.gen(function* () {
          yield* page.navigation.goto(`${app}/counting`)
          yield* page.navigation.back
          assert.strictEqual(yield* page.navigation.address, "about:blank")
        })
      )
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(chromium)))
  )

  it.live("headers go to their site and nowhere else, redirects among it", () =>
    Effect.gen(function* () {
      const { asked, at } = yield* telling({
        "/away": ({ headers }, response) =>
          void response
            .writeHead(302, { location: `http://other.localhost:${String(headers.host).split(":")[1]}/landed` })
            .end(),
        "/page": ({ headers }, response) => {
          const other = `http://other.localhost:${String(headers.host).split(":")[1]}`
          response
            .writeHead(200, { "content-type": "text/html" })
            .end(`<p></p><img src="/img.png"><img src="${other}/img.png">
            <script>Promise.all([fetch("/fetched"), fetch("${other}/fetched", { mode: "no-cors" }), fetch("/away", { mode: "no-cors" })])
              .finally(() => document.body.append(document.createElement("hr")))</script>`)
        }
      })
      const app = at("app.localhost")
      const headers = [{ origins: [app], headers: [{ name: "X-Tenant", value: "canary-tenant" }] }]
      yield* opened({ headers }, (page) =>
        Effect.gen(function* () {
          yield* page.navigation.goto(`${app}/page`)
          yield* page.elements.find({ selector: "//hr", waitMillis: hangMillis })
          yield* page.navigation.goto(`${app}/away`)
          yield* page.navigation.goto(`${at("sub.app.localhost")}/second`)
          yield* page.navigation.goto(`${app}/`)
        })
      )
      const own = asked.filter(({ host }) => host === "app.localhost")
      assert.includeMembers(
        own.map(({ path }) => path),
        ["/", "/img.png", "/fetched"]
      )
      for (const { headers, path } of own) assert.strictEqual(headers["x-tenant"], "canary-tenant", path)
      const others = asked.filter(({ host }) => host !== "app.localhost")
      assert.includeMembers(
        others.map(({ path }) => path),
        ["/img.png", "/fetched", "/landed", "/second"]
      )
      for (const { headers, path } of others) assert.isUndefined(headers["x-tenant"], path)
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(chromium)))
  )

  it.live("sites find the browser by its name and where it is said to be", () =>
    Effect.gen(function* () {
      const { asked, at } = yield* telling({
        "/where": html(`<script>
          const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
          navigator.geolocation.getCurrentPosition(({ coords }) =>
            document.write("<p>" + [navigator.userAgent, navigator.language, zone, coords.latitude, coords.longitude] + "</p>"))
        </script>`)
      })
      const place = BrowserLocation.parse("JP; 35.68,139.69") ?? BrowserLocation.nowhere
      yield* opened({ userAgent: "Sluice/1", place }, (page) =>
        Effect.gen(function* () {
          yield* page.navigation.goto(`${at("localhost")}/where`)
          assert.strictEqual(yield* text(page, "//p"), "Sluice/1,ja-JP,Asia/Tokyo,35.68,139.69")
          yield* page.navigation.goto(`${at("localhost")}/`)
        })
      )
      const [last] = asked.slice(-1)
      assert.match(String(last?.headers["accept-language"]), /^ja-JP/)
      assert.strictEqual(last?.headers["user-agent"], "Sluice/1")
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(chromium)))
  )
})

describe("the secrets of a session", () => {
  it("are its headers, its password, its cookies that scripts cannot read, and what looks like a token", () => {
    const session: Session.Session = {
      ...Session.empty,
      cookies: [
        cookie({ value: "canary-http-only", httpOnly: true }),
        cookie({ value: "canary-token-0123456789" }),
        cookie({ name: "b", value: "canary-token-0123456789" }),
        cookie({ name: "theme", value: "dark-and-simple-one" }),
        cookie({ name: "short", value: "1", httpOnly: true })
      ],
      localStorage: { "http://a.localhost": { user: '{"name":"Ann Smith","token":"canary.0123456789"}' } },
      sessionStorage: { "http://a.localhost": { city: "Berlin, Germany", key: "canary/0123456789=" } },
      headers: [{ origins: [], headers: [{ name: "x", value: "canary-header" }] }],
      proxy: {
        scheme: "http",
        host: "h",
        port: 1,
        username: "u",
        password: Redacted.make("canary-proxy"),
        isOwn: true
      }
    }
    assert.deepStrictEqual(Session.secrets(session).map(Redacted.value).sort(), [
      "canary-header",
      "canary-http-only",
      "canary-proxy",
      "canary-token-0123456789",
      "canary.0123456789",
      "canary/0123456789="
    ])
  })
})

it.effect("a program that is not a Chromium is named when the browser starts, with the setting to change", () =>
  Effect.gen(function* () {
    const executablePath = "/bin/false"
    const browser = PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath })
    const error = yield* Effect.flip(Effect.scoped(Layer.build(browser)))
    assert.match(
      error.message,
      /^Cannot run Chromium at \/bin\/false: .+\. Set SLUICE_CHROMIUM to a Chromium that runs/
    )
  })
)
