/** Sessions in the browsers of a grid: Playwright servers, and browsers that speak the DevTools protocol. */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Ref, Result, Scope, Stream } from "effect"
import * as Endpoints from "../../../adapters/playwright/Endpoints.ts"
import * as RemoteFile from "../../../adapters/playwright/file/RemoteFile.ts"
import * as Grid from "../../../adapters/playwright/Grid.ts"
import * as Guard from "../../../adapters/playwright/walls/Guard.ts"
import { settingNames } from "../../../apps/cli/SettingNames.ts"
import { defaultPageLimits } from "../../../core/agent/Limits.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import * as Session from "../../../core/browser/Session.ts"
import { BrowserCapacity } from "../../../core/run/BrowserCapacity.ts"
import { graphOf, walk } from "../../support/browser.ts"
import { devToolsServer, playwrightServer } from "../../support/gridBrowsers.ts"
import { hangMillis } from "../../support/limits.ts"
import { listening } from "../../support/listening.ts"
import { html, serve } from "../../support/site.ts"
import { until } from "../../support/waiting.ts"

const endpoint = (url: string, capacity: number, kind: Endpoints.Kind = "playwright"): Endpoints.Endpoint => ({
  url,
  kind,
  capacity,
  draining: false
})

const gridOf = (
  endpoints: Grid.Options["endpoints"],
  options: Partial<Grid.Options> = {}
): Layer.Layer<Browser, Grid.GridUnusable> =>
  Layer.fresh(Grid.layer({ ...Grid.defaults, limits: defaultPageLimits, endpoints, waitMillis: 20_000, ...options }))

/** Opens a session that lasts until its scope closes. */
const opened = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const page = yield* (yield* Browser).open(Session.empty).pipe(Scope.provide(scope))
  return { page, close: Scope.close(scope, Exit.void) }
})

const seats = Effect.flatMap(BrowserCapacity, ({ count }) => count)

describe("the endpoints of a grid", () => {
  it("are read with their capacity and their kind", () => {
    const read = Endpoints.parse(`
      # ours
      ws://a:3000/path?token=x#capacity=2, http://b:9222
      ws://c:9222/devtools/browser/1234#drain wss://d#kind=cdp&capacity=1000
    `)
    assert.deepStrictEqual(Result.getOrThrow(read), [
      { url: "ws://a:3000/path?token=x", kind: "playwright", capacity: 2, draining: false },
      { url: "http://b:9222", kind: "cdp", capacity: 4, draining: false },
      { url: "ws://c:9222/devtools/browser/1234", kind: "cdp", capacity: 4, draining: true },
      { url: "wss://d", kind: "cdp", capacity: 1_000, draining: false }
    ])
  })

  it.each([
    ["", "expected endpoints"],
    ["a:3000", "expected an address"],
    ["ftp://a?token=hidden", "expected an address"],
    ["ws://a#capacity=0", "expected a capacity from 1 to 1000"],
    ["ws://a#capacity=1001", "expected a capacity from 1 to 1000"],
    ["ws://a#size=1", "not size"],
    ["ws://a#downloads=/tmp", "of the kind cdp"],
    ["http://a#downloads=tmp", "the whole path of a folder"],
    ["ws://a#kind=firefox", "kind playwright or cdp"],
    ["http://a#kind=playwright", "expected ws:// or wss://"],
    ["ws://a ws://a#capacity=2", "endpoint 2: it is named twice"]
  ])("cannot be %j", (written, said) => {
    const problems = Result.getOrElse(Result.flip(Endpoints.parse(written)), () => [])
    assert.include(problems.join("; "), said)
    assert.notInclude(problems.join("; "), "hidden")
  })

  it("are chosen by their load, among those that have room", () => {
    const at = (url: string, inUse: number, capacity: number, up = true, draining = false) => ({
      endpoint: { ...endpoint(url, capacity), draining },
      inUse,
      up
    })
    const chosen = (...all: ReadonlyArray<Endpoints.EndpointState>) => Endpoints.choose(all)?.endpoint.url ?? null
    assert.strictEqual(chosen(at("a", 1, 2), at("b", 1, 4)), "b")
    assert.strictEqual(chosen(at("a", 0, 1), at("b", 0, 4)), "a")
    assert.strictEqual(chosen(at("a", 2, 2), at("b", 3, 4)), "b")
    assert.strictEqual(chosen(at("a", 0, 2, false), at("b", 0, 4, true, true)), null)
    assert.strictEqual(Endpoints.capacity([at("a", 9, 2), at("b", 0, 4, false), at("c", 0, 8, true, true)]), 2)
  })
})

describe("a grid", () => {
  it.live(
    "gives sessions to browsers of both kinds as they have room, passes by those that are away, and takes them back",
    () =>
      Effect.gen(function* () {
        const server = yield* playwrightServer
        const devTools = yield* devToolsServer
        const site = yield* serve({ "/": html("<p id=text>here</p>") })
        const gone = "ws://127.0.0.1:9/"
        const grid = gridOf(
          Effect.succeed([endpoint(gone, 100), endpoint(server.wsEndpoint(), 2), endpoint(devTools.url, 1, "cdp")]),
          { allowedOrigins: [site] }
        )
        yield* Effect.gen(function* () {
          assert.strictEqual(yield* seats, 3)
          const three = yield* Effect.all([opened, opened, opened], { concurrency: "unbounded" })
          for (const { page } of three) {
            yield* page.navigation.goto(`${site}/`)
            yield* page.elements.find({ selector: "css=#text", waitMillis: hangMillis })
          }
          // Private networks are kept off here as with a browser of one's own.
          const refused = yield* Effect.flip(three[0].page.navigation.goto("http://10.0.0.1/"))
          assert.strictEqual(refused.kind, "forbidden")
          // A fourth one waits for room.
          const fourth = yield* Effect.forkChild(opened)
          yield* three[0].page.navigation.html({ sanitized: false })
          assert.isUndefined(fourth.pollUnsafe())
          yield* three[1].close
          yield* (yield* Fiber.join(fourth)).close
          yield* three[0].close
          yield* three[2].close
        }).pipe(Effect.provide(grid))
      }).pipe(Effect.scoped)
  )

  it.live("counts a click as done whose tab closes while the mouse is pressed", () =>
    Effect.gen(function* () {
      const devTools = yield* devToolsServer
      const site = yield* serve({
        "/": html("<h1 id=title>Home</h1><a id=open href=/press target=_blank rel=opener>Open</a>"),
        "/press": html(
          "<button id=press onmousedown=\"const asked = new XMLHttpRequest(); asked.open('GET', '/close', false); asked.send()\">Press</button>"
        ),
        // The page waits for this answer, and is closed before it comes.
        "/close": (_request, response) =>
          void fetch(`${devTools.url}/json/list`)
            .then((answer) => answer.json() as Promise<ReadonlyArray<{ readonly id: string; readonly url: string }>>)
            .then((targets) => targets.find(({ url }) => url.endsWith("/press")))
            .then((target) => fetch(`${devTools.url}/json/close/${target?.id}`))
            .then(() => setTimeout(() => response.end(), 500))
      })
      yield* Effect.gen(function* () {
        const { page } = yield* opened
        const at = (id: string) => ({ selector: `css=#${id}`, waitMillis: hangMillis })
        yield* page.navigation.goto(`${site}/`)
        yield* page.elements.click(at("open"), "click")
        yield* page.elements.click(at("press"), "click")
        assert.strictEqual(yield* page.elements.read(at("title")), "Home")
      }).pipe(Effect.provide(gridOf(Effect.succeed([endpoint(devTools.url, 1, "cdp")]), { allowedOrigins: [site] })))
    }).pipe(Effect.scoped)
  )

  it.live("ends the runs of a browser that goes away, and gives the next ones to another", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([playwrightServer, playwrightServer])
      const arrived = yield* Deferred.make<void>()
      const site = yield* serve({
        "/": html("<p id=text>here</p><script src=/arrived></script>"),
        "/arrived": (_request, response) => {
          Effect.runSync(Deferred.succeed(arrived, undefined))
          response.end()
        }
      })
      const grid = gridOf(Effect.succeed([endpoint(one.wsEndpoint(), 1), endpoint(other.wsEndpoint(), 1)]), {
        allowedOrigins: [site]
      })
      yield* Effect.gen(function* () {
        const long = graphOf(`${site}/`, [
          { action: "CLICK", parameters: { selector: "css=#nothing", wait_time: 30_000 } }
        ])
        const changed = yield* Effect.forkChild(Stream.runHead((yield* BrowserCapacity).changes))
        const running = yield* Effect.forkChild(walk(long))
        yield* Deferred.await(arrived)
        yield* Effect.promise(() => one.kill())
        const { outcome } = yield* Fiber.join(running)
        assert.strictEqual(outcome._tag === "Failed" ? outcome.failure.code : "none", "BROWSER-E0001")
        yield* Fiber.join(changed)
        assert.strictEqual(yield* seats, 1)
        const next = yield* walk(graphOf(`${site}/`, []))
        assert.strictEqual(next.outcome._tag, "Success")
      }).pipe(Effect.provide(grid))
    }).pipe(Effect.scoped)
  )

  it.live("gives a browser that is drained no session, and lets it finish those that it has", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([playwrightServer, playwrightServer])
      const both = [endpoint(one.wsEndpoint(), 1), endpoint(other.wsEndpoint(), 3)]
      const written = yield* Ref.make<ReadonlyArray<Endpoints.Endpoint>>(both)
      yield* Effect.gen(function* () {
        const before = yield* opened
        yield* Ref.set(written, [{ ...both[0], draining: true } as Endpoints.Endpoint, both[1] as Endpoints.Endpoint])
        yield* until("3 seats", seats, (count) => count === 3)
        const after = yield* Effect.all([opened, opened, opened])
        assert.strictEqual(yield* before.page.navigation.address, "about:blank")
        yield* before.page.navigation.html({ sanitized: false })
        yield* before.close
        yield* Effect.forEach(after, ({ close }) => close)
        yield* Ref.set(written, [both[0] as Endpoints.Endpoint])
        yield* until("1 seats", seats, (count) => count === 1)
        yield* (yield* opened).close
      }).pipe(Effect.provide(gridOf(Ref.get(written))))
    }).pipe(Effect.scoped)
  )

  it.live("keeps what is downloaded in a browser that saves nothing here", () =>
    Effect.gen(function* () {
      const server = yield* playwrightServer
      const devTools = yield* devToolsServer
      const site = yield* serve({
        "/": html("<a id=save href=/report>save</a>"),
        "/made": html(
          "<a id=save download=made.bin>save</a><script>save.href = URL.createObjectURL(new Blob([new Uint8Array(3e6).fill(7)]))</script>"
        ),
        "/report": (_request, response) =>
          void response.writeHead(200, { "content-disposition": 'attachment; filename="report.csv"' }).end("a;b")
      })
      const graph = (path: string) =>
        graphOf(`${site}${path}`, [
          { action: "CLICK", parameters: { selector: "css=#save", wait_time: 20_000 } },
          { action: "FILE_DOWNLOAD", parameters: { timeout_seconds: 30 } }
        ])
      // What the browser saves in this folder is at no place that Playwright knows of.
      const downloads = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-remote-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const apart = { ...endpoint(devTools.url, 1, "cdp"), downloads }
      const made = yield* walk(graph("/made")).pipe(
        Effect.provide(gridOf(Effect.succeed([apart]), { allowedOrigins: [site] }))
      )
      assert.deepStrictEqual(
        made.files.map(({ fileName, text }) => [fileName, text.length, text.at(-1)]),
        [["made.bin", 3e6, "\u0007"]]
      )
      for (const one of [endpoint(server.wsEndpoint(), 1), endpoint(devTools.url, 1, "cdp"), apart]) {
        const { files, outcome } = yield* walk(graph("/")).pipe(
          Effect.provide(gridOf(Effect.succeed([one]), { allowedOrigins: [site] }))
        )
        assert.strictEqual(outcome._tag, "Success", JSON.stringify(outcome))
        assert.deepStrictEqual(
          files.map(({ fileName, text }) => [fileName, text]),
          [["report.csv", "a;b"]],
          one.kind
        )
      }
      // Its size is known only while it is read.
      const small = gridOf(Effect.succeed([endpoint(server.wsEndpoint(), 1)]), {
        allowedOrigins: [site],
        limits: { ...defaultPageLimits, downloadBytes: 2, names: settingNames }
      })
      const bounded = yield* Effect.gen(function* () {
        const { page } = yield* opened
        yield* page.navigation.goto(`${site}/`)
        yield* page.elements.click({ selector: "css=#save", waitMillis: hangMillis }, "click")
        const [file] = (yield* page.navigation.download(30_000)).files
        return file === undefined ? assert.fail("nothing was downloaded") : yield* Effect.flip(file.bytes)
      }).pipe(Effect.provide(small))
      assert.strictEqual(bounded.kind, "downloads")
      assert.include(bounded.reason, "SLUICE_DOWNLOAD_MB")
    }).pipe(Effect.scoped)
  )

  it.live("is not begun with a server that runs another version of Playwright, and says which ones these are", () =>
    Effect.gen(function* () {
      const server = new URL((yield* playwrightServer).wsEndpoint())
      // A proxy between them changes the version for the client: the server refuses that as it really does.
      const between = createServer().on("upgrade", (asked, socket) => {
        const headers = { ...asked.headers, "user-agent": "Playwright/1.2.3 (x64; test) node/24" }
        request({ host: server.hostname, port: server.port, path: server.pathname, headers })
          .on("response", (answer) => {
            socket.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\nconnection: close\r\n\r\n`)
            answer.pipe(socket)
          })
          .on("upgrade", (_answer, other) => {
            other.destroy()
            socket.destroy()
          })
          .on("error", () => socket.destroy())
          .end()
      })
      const port = yield* listening(between)
      const failure = yield* Effect.flip(
        Effect.scoped(Layer.build(gridOf(Effect.succeed([endpoint(`ws://127.0.0.1:${port}${server.pathname}`, 1)]))))
      )
      assert.include(failure.message, "runs another version of Playwright than this service")
      assert.include(failure.message, "client 1.2")
    }).pipe(Effect.scoped)
  )

  it.live("says what stands against a session when no browser has room in time", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(opened).pipe(
        Effect.provide(gridOf(Effect.succeed([endpoint("ws://127.0.0.1:9/?token=hidden", 1)]), { waitMillis: 100 }))
      )
      assert.include(failure.message, "no browser of the grid has room: ws://127.0.0.1:9 could not be reached")
      assert.notInclude(failure.message, "hidden")
    })
  )

  it.live("is not begun with browsers that could not be kept off private networks", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(
        Effect.scoped(Layer.build(gridOf(Effect.succeed([endpoint("ws://browsers.example:3000", 1)]))))
      )
      assert.include(failure.message, "SLUICE_GUARD_HOST")
    })
  )
})

describe("the proxy that browsers of other machines use", () => {
  it.live("serves only clients that know its password", () =>
    Effect.gen(function* () {
      const site = yield* serve({ "/": html("here") })
      const guard = yield* Guard.make({
        allowed: new Set([site]),
        allowPrivateNetworks: false,
        upstream: null,
        reachedAs: "127.0.0.1"
      })
      const { password = "", username = "" } = guard.credential ?? {}
      const ask = (headers: Record<string, string>, method: string) =>
        Effect.callback<number>((resume) => {
          const { hostname: host, port } = new URL(guard.server)
          const path = method === "CONNECT" ? new URL(site).host : `${site}/`
          const asked = request({ host, port, path, method, headers, agent: false })
          const answer = ({ statusCode = 0 }) => {
            asked.destroy()
            resume(Effect.succeed(statusCode))
          }
          asked
            .on("response", answer)
            .on("connect", answer)
            .on("error", () => {})
            .end()
        })
      const known = { "proxy-authorization": `Basic ${btoa(`${username}:${password}`)}` }
      const wrong = { "proxy-authorization": `Basic ${btoa(`${username}:wrong`)}` }
      for (const method of ["GET", "CONNECT"]) {
        assert.strictEqual(yield* ask({}, method), 407)
        assert.strictEqual(yield* ask(wrong, method), 407)
        assert.strictEqual(yield* ask(known, method), 200)
      }
    }).pipe(Effect.scoped)
  )

  it.live("is used by the sessions of a grid", () =>
    Effect.gen(function* () {
      const server = yield* playwrightServer
      const site = yield* serve({ "/": html("<p id=text>here</p>") })
      const { outcome } = yield* walk(
        graphOf(`${site}/`, [{ action: "CLICK", parameters: { selector: "css=#text" } }])
      ).pipe(
        Effect.provide(
          gridOf(Effect.succeed([endpoint(server.wsEndpoint(), 1)]), {
            allowedOrigins: [site],
            guardHost: "127.0.0.1"
          })
        )
      )
      assert.strictEqual(outcome._tag, "Success", JSON.stringify(outcome))
    }).pipe(Effect.scoped)
  )
})

it.each([
  ["/var/downloads/a b#1", "file:///var/downloads/a%20b%231"],
  ["C:\\downloads/1", "file:///C:/downloads/1"],
  ["d:/downloads/1", "file:///d:/downloads/1"]
])("the download %s of a browser has the address %s there", (path, address) => {
  assert.strictEqual(RemoteFile.addressOf(path), address)
})
