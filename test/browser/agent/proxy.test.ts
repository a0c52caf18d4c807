import { createServer as createTlsServer } from "node:https"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime, Result, type Scope } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import { Browser, type BrowserSession } from "../../../core/browser/Browser.ts"
import type { PageFailure } from "../../../core/browser/PageFailure.ts"
import * as Session from "../../../core/browser/Session.ts"
import * as Proxies from "../../../core/vault/Proxies.ts"
import { certificate } from "../../support/certificate.ts"
import { hangMillis } from "../../support/limits.ts"
import * as TestProxies from "../../support/proxies.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { html, serve } from "../../support/site.ts"

const browser = (allowPrivateNetworks: boolean) =>
  PlaywrightBrowser.layer({ ...PlaywrightBrowser.defaults, executablePath, allowPrivateNetworks })

/** One browser without private networks for all tests of this file. */
const shared = ManagedRuntime.make(browser(false))
afterAll(() => shared.dispose())

const guarded = <A, E>(test: Effect.Effect<A, E, Browser | Scope.Scope>) =>
  Effect.flatMap(shared.contextEffect, (context) => test.pipe(Effect.scoped, Effect.provide(context)))

/** Goes somewhere in a session with a proxy. */
const through = <A, E>(url: string, isOwn: boolean, use: (page: BrowserSession) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const proxy = Proxies.parseUrl(url, isOwn)
      assert.isNotNull(proxy, url)
      return yield* use(yield* (yield* Browser).open({ ...Session.empty, proxy }))
    })
  )

/** How a page could not be reached. */
const failureOf = (result: Result.Result<void, PageFailure>) => {
  if (Result.isFailure(result)) return { kind: result.failure.kind, reason: result.failure.reason }
  throw new Error("Expected a failure")
}

const visit = (proxy: string, url: string, isOwn = true) =>
  through(proxy, isOwn, (page) => Effect.result(page.navigation.goto(url)))

const site = Effect.map(
  serve({ "/": html(`<h1>Reached</h1><img src="/img">`), "/img": (_request, response) => void response.end() }),
  (origin) => Number(new URL(origin).port)
)

const kinds = [
  ["http", TestProxies.http, "127.0.0.1"],
  ["https", TestProxies.https(certificate), "localhost"],
  ["socks5", TestProxies.socks5, "127.0.0.1"]
] as const

const trusted = Effect.acquireRelease(
  Effect.sync(() => {
    const before = getCACertificates("default")
    setDefaultCACertificates([...before, certificate.cert])
    return before
  }),
  (before) => Effect.sync(() => setDefaultCACertificates(before))
)

describe.each(kinds)("a session that goes out through %s", (scheme, make, host) => {
  it.live("reaches sites by names that only the proxy knows, with and without TLS, and nothing past it", () =>
    guarded(
      Effect.gen(function* () {
        yield* trusted
        const port = yield* site
        const proxy = yield* make
        const secure = yield* secureSite
        const url = `${scheme}://${TestProxies.credentials}@${host}:${proxy.port}`
        yield* through(url, true, (page) =>
          Effect.gen(function* () {
            yield* page.navigation.goto(`http://shop.invalid:${port}/`)
            assert.strictEqual(yield* page.elements.read({ selector: "//h1", waitMillis: hangMillis }), "Reached")
            const failure = failureOf(yield* Effect.result(page.navigation.goto(`https://shop.invalid:${secure}/`)))
            assert.include(failure.reason, "CERT_AUTHORITY_INVALID")
          })
        )
        assert.includeMembers([...proxy.asked], [`shop.invalid:${port}`, `shop.invalid:${secure}`])
        assert.strictEqual(proxy.refused(), 0)
      })
    )
  )

  it.live("fails by the name of the proxy, and without its password, when that refuses or is away", () =>
    guarded(
      Effect.gen(function* () {
        yield* trusted
        const proxy = yield* make
        const named = `the proxy ${host}:${proxy.port}`
        const wrong = `${scheme}://${TestProxies.wrongCredentials}@${host}:${proxy.port}`
        for (const url of ["http://shop.invalid/", "https://shop.invalid/"]) {
          assert.deepStrictEqual(failureOf(yield* visit(wrong, url)), {
            kind: "proxy",
            reason: `${named} refused its user name and password`
          })
        }
        assert.isAbove(proxy.refused(), 1)
        const away = failureOf(yield* visit(`${scheme}://robot:canary@127.0.0.1:1`, "http://shop.invalid/"))
        assert.deepStrictEqual(away, {
          kind: "proxy",
          reason: "the proxy 127.0.0.1:1 could not be reached: ECONNREFUSED"
        })
      })
    )
  )

  it.live("asks the proxy for nothing in a private network", () =>
    guarded(
      Effect.gen(function* () {
        yield* trusted
        const port = yield* site
        const proxy = yield* make
        const url = `${scheme}://${TestProxies.credentials}@${host}:${proxy.port}`
        const refused = [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`, "https://10.1.2.3/", "http://[::1]/"]
        for (const address of [...refused, `http://a.localhost:${port}/`]) {
          assert.strictEqual(failureOf(yield* visit(url, address)).kind, "forbidden", address)
        }
        assert.deepStrictEqual([...proxy.asked], [])
      })
    )
  )
})

/** A site with TLS that no browser trusts. */
const secureSite = Effect.map(
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createTlsServer>>((resume) => {
      const server = createTlsServer(certificate, (_request, response) => void response.end())
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ),
  (server) => {
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }
)

describe("a proxy of one's own", () => {
  it.live("may not lie in a private network, unless those are allowed", () =>
    Effect.gen(function* () {
      const port = yield* site
      const proxy = yield* TestProxies.http
      const url = `http://${TestProxies.credentials}@localhost:${proxy.port}`
      const address = `http://shop.invalid:${port}/`
      const failure = failureOf(yield* guarded(visit(url, address, false)))
      assert.strictEqual(failure.kind, "proxy")
      assert.match(failure.reason, /^the proxy localhost:\d+ is at a private or loopback address/)
      assert.deepStrictEqual([...proxy.asked], [])
      const reached = yield* visit(url, address, false).pipe(Effect.provide(Layer.fresh(browser(true))))
      assert.isTrue(Result.isSuccess(reached))
      assert.include([...proxy.asked], `shop.invalid:${port}`)
    }).pipe(Effect.scoped)
  )

  it.live("must show a certificate that is trusted, where it speaks TLS", () =>
    guarded(
      Effect.gen(function* () {
        const proxy = yield* TestProxies.https(certificate)
        const failure = failureOf(yield* visit(`https://robot:canary@localhost:${proxy.port}`, "http://shop.invalid/"))
        assert.deepStrictEqual(failure, {
          kind: "proxy",
          reason: `the proxy localhost:${proxy.port} could not be reached: DEPTH_ZERO_SELF_SIGNED_CERT`
        })
        assert.strictEqual(proxy.refused(), 0)
      })
    )
  )
})

describe("sessions side by side", () => {
  it.live("each go out their own way", () =>
    guarded(
      Effect.gen(function* () {
        const port = yield* site
        const [one, other] = [yield* TestProxies.http, yield* TestProxies.socks5]
        const urls = [
          `http://${TestProxies.credentials}@127.0.0.1:${one.port}`,
          `socks5://${TestProxies.credentials}@127.0.0.1:${other.port}`
        ]
        yield* Effect.forEach(
          urls,
          (url, index) => through(url, true, (page) => page.navigation.goto(`http://shop-${index}.invalid:${port}/`)),
          { concurrency: 2 }
        )
        const plain = failureOf(
          yield* Effect.scoped(
            Effect.gen(function* () {
              const page = yield* (yield* Browser).open(Session.empty)
              return yield* Effect.result(page.navigation.goto(`http://shop-2.invalid:${port}/`))
            })
          )
        )
        assert.include(["unresolved", "unreachable"], plain.kind, plain.reason)
        assert.deepStrictEqual([...new Set(one.asked)], [`shop-0.invalid:${port}`])
        assert.deepStrictEqual([...new Set(other.asked)], [`shop-1.invalid:${port}`])
      })
    )
  )
})
