/** A browser that tells others about the pages of a run: its every request goes through a proxy that writes down the host. */
import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Confinement from "../../../adapters/playwright/Confinement.ts"
import * as LocalChromium from "../../../adapters/playwright/LocalChromium.ts"
import { listening } from "../../support/listening.ts"
import { chromiumPath } from "../../support/realBrowser.ts"
import { isAll } from "../../support/scale.ts"

/** A form as those that the browser would ask its maker about: a sign-in, an address, a card, in a foreign language. */
const page = `<!doctype html><html lang="de"><title>Anmelden</title><p>Bitte melden Sie sich mit Ihrem Kennwort an.</p>
<form action="/in" method="post"><input name="name" autocomplete="name"><input name="email" type="email">
<input name="street"><input name="city"><input name="zip"><input name="tel" type="tel"><input name="card"><input name="cvc">
<input name="user" autocomplete="username"><input name="password" type="password"><button>OK</button></form>`

/** A proxy that answers for one site, and the hosts that it was asked for. */
const recording = Effect.gen(function* () {
  const asked: Array<string> = []
  const server = createServer((request, response) => {
    asked.push(URL.parse(request.url ?? "")?.hostname ?? "")
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page)
  })
  server.on("connect", (request, socket) => {
    asked.push(new URL(`https://${request.url}`).hostname)
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
  })
  return { asked, server: `http://127.0.0.1:${yield* listening(server)}` }
})

const site = "http://form.test/"

/** The hosts that a browser asks for while a form is opened, filled and sent, and for so many minutes after it. */
const askedFor = (more: ReadonlyArray<string>, minutesAtRest = 0) =>
  Effect.gen(function* () {
    const { asked, server } = yield* recording
    yield* Effect.acquireUseRelease(
      Effect.promise(() =>
        LocalChromium.start(
          chromiumPath,
          [...LocalChromium.behind(server), ...more],
          Confinement.plans(chromiumPath, null)
        )
      ),
      ({ chromium }) =>
        Effect.promise(async () => {
          for (let turn = 0; turn < 2; turn++) {
            const context = await chromium.newContext()
            const opened = await context.newPage()
            await opened.goto(site)
            await opened.fill("[name=user]", "ada")
            await opened.locator("[name=password]").pressSequentially("hunter2")
            await Promise.all([opened.waitForURL("**/in"), opened.click("button")])
            await (await context.newPage()).goto("https://broken.test/").catch(() => undefined)
            // What a page causes is asked for with the requests of a later one.
            await (await context.newPage()).goto(site)
            await opened.waitForTimeout(turn * minutesAtRest * 60_000)
            await context.close()
          }
        }),
      ({ close }) => Effect.promise(close)
    )
    return [...new Set(asked)].sort()
  }).pipe(Effect.scoped)

describe("a browser of a run", () => {
  it.live("asks for no host but those of its pages", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* askedFor([]), ["broken.test", "form.test"])
    })
  )

  it.live.skipIf(!isAll)("asks for no other in five minutes in which nothing is done", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* askedFor([], 5), ["broken.test", "form.test"])
    })
  )

  it.live("is heard by the same proxy where its maker's features are on", () =>
    Effect.gen(function* () {
      // Of several switches of a name the last one counts.
      const asked = yield* askedFor(["--disable-features=MediaRouter"])
      assert.isAbove(asked.length, 2, asked.join(" "))
    })
  )

  it("has every feature off that calls home", () => {
    const features = LocalChromium.switches.find((one) => one.startsWith("--disable-features="))?.split(/[=,]/) ?? []
    for (const name of [
      "AutofillServerCommunication",
      "OptimizationHints",
      "OptimizationGuideModelDownloading",
      "NetworkTimeServiceQuerying",
      "Translate",
      "PreconnectToSearch",
      "MediaRouter"
    ]) {
      assert.include(features, name)
    }
    for (const name of [
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-domain-reliability",
      "--disable-client-side-phishing-detection",
      "--dns-over-https-mode=off",
      "--disable-sync",
      "--no-pings"
    ]) {
      assert.include(LocalChromium.switches, name)
    }
  })
})
