import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option, Queue, Ref, Stream } from "effect"
import { type BrowserContext, type BrowserServer, type Page, chromium as playwright } from "playwright-core"
import * as Tabs from "../../../adapters/playwright/page/Tabs.ts"
import * as Recorder from "../../../adapters/playwright/recording/Recorder.ts"
import * as Screencast from "../../../adapters/playwright/recording/Screencast.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import * as Session from "../../../core/browser/Session.ts"
import { chromium, executablePath } from "../../support/realBrowser.ts"
import { html, serve } from "../../support/site.ts"
import { until } from "../../support/waiting.ts"

const options = { maxWidth: 1_280, maxHeight: 800, quality: 60, intervalMillis: 100 }
const bounds = { maxMillis: 60_000, maxBytes: 20_000_000 }

/** Plays a video in a browser: its length and its size, once it shows a picture as wanted at each of these instants. */
const played = (
  bytes: Uint8Array,
  ...shows: ReadonlyArray<readonly [from: number, wanted: (colour: Colour) => boolean]>
) =>
  Effect.acquireUseRelease(
    Effect.promise(() => playwright.launch({ executablePath })),
    (browser) =>
      Effect.promise(async () => {
        const page = await browser.newPage()
        await page.setContent("<video id=v muted></video>")
        const seen = await page.evaluate(async (data) => {
          const video = document.getElementById("v") as HTMLVideoElement
          video.src = `data:video/webm;base64,${data}`
          await new Promise((resolve, reject) => {
            video.addEventListener("loadeddata", resolve, { once: true })
            video.addEventListener("error", () => reject(new Error(video.error?.message)), { once: true })
          })
          return { duration: video.duration, width: video.videoWidth, height: video.videoHeight }
        }, Buffer.from(bytes).toString("base64"))
        for (const [from, wanted] of shows) {
          const seconds = from < 0 ? seen.duration + from : from
          await page.evaluate(async (at) => {
            const video = document.getElementById("v") as HTMLVideoElement
            const sought = new Promise((resolve) => video.addEventListener("seeked", resolve, { once: true }))
            video.currentTime = at
            await sought
          }, seconds)
          const colour = () =>
            page.evaluate(() => {
              const video = document.getElementById("v") as HTMLVideoElement
              const canvas = document.createElement("canvas")
              canvas.width = video.videoWidth
              canvas.height = video.videoHeight
              const paper = canvas.getContext("2d")
              paper?.drawImage(video, 0, 0)
              const [red = 0, , blue = 0] = paper?.getImageData(600, 400, 1, 1).data ?? []
              return { red, blue }
            })
          // A busy browser shows the former picture for a moment after it has sought.
          await Effect.runPromise(until(`the picture at ${seconds} s`, Effect.promise(colour), wanted))
        }
        return seen
      }),
    (browser) => Effect.promise(() => browser.close())
  )

describe("a video of a session", () => {
  it.live("can be played and sought in, and lasts as long as the session, still pages included", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const origin = yield* serve({
          "/red": html("<body style='background: #f00'>"),
          "/blue": html("<body style='background: #00f'>")
        })
        const { content, seconds } = yield* Effect.gen(function* () {
          const page = yield* (yield* Browser).open(Session.empty)
          yield* page.navigation.goto(`${origin}/red`)
          const from = yield* Clock.currentTimeMillis
          const recording = Option.getOrThrow(yield* page.observation.record({ ...options, ...bounds }))
          // Another look at the same tab tells when there was a picture of each page.
          const shown = yield* Queue.unbounded<Uint8Array>()
          yield* page.observation.screencast(options, (jpeg) => Queue.offer(shown, jpeg))
          yield* Queue.take(shown)
          yield* Effect.sleep(1_000)
          yield* Queue.clear(shown)
          yield* page.navigation.goto(`${origin}/blue`)
          yield* Queue.take(shown)
          yield* Effect.sleep(1_500)
          const video = Option.getOrThrow(yield* recording.finish)
          const seconds = ((yield* Clock.currentTimeMillis) - from) / 1_000
          const content = yield* Stream.mkUint8Array(video.content)
          assert.strictEqual(content.length, video.bytes)
          return { content, seconds }
        }).pipe(Effect.scoped, Effect.provide(Layer.fresh(chromium([origin]))))
        const seen = yield* played(
          content,
          [-0.05, ({ blue, red }) => blue > 200 && red < 60],
          [0.01, ({ blue, red }) => red > 200 && blue < 60]
        )
        assert.deepInclude(seen, { width: 1_280, height: 800 })
        assert.isAtLeast(seen.duration, 2.3)
        assert.isAtMost(seen.duration, seconds + 0.5)
      })
    )
  )

  it.live("ends at its bounds", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const origin = yield* serve({ "/": html("<body><h1>Here</h1>"), "/late": html("<body>late") })
        yield* Effect.gen(function* () {
          const page = yield* (yield* Browser).open(Session.empty)
          yield* page.navigation.goto(`${origin}/`)
          const recording = Option.getOrThrow(
            yield* page.observation.record({ ...options, ...bounds, maxMillis: 4_000 })
          )
          yield* Effect.sleep(4_500)
          yield* page.navigation.goto(`${origin}/late`)
          yield* Effect.sleep(300)
          const video = Option.getOrThrow(yield* recording.finish)
          const seen = yield* played(yield* Stream.mkUint8Array(video.content))
          assert.isBelow(seen.duration, 4.5)
        }).pipe(Effect.scoped, Effect.provide(Layer.fresh(chromium([origin]))))
      })
    )
  )

  it.live.each([
    [
      "the page crashes",
      async ({ context, page }: Target) => {
        const line = await context.newCDPSession(page)
        line.send("Page.crash").catch(() => undefined)
        await new Promise((resolve) => page.once("crash", resolve))
      }
    ],
    [
      "the browser is killed",
      async ({ context, server }: Target) => {
        const gone = new Promise((resolve) => context.browser()?.once("disconnected", resolve))
        await server.kill()
        await gone
      }
    ]
  ] as const)("keeps what there is of it when %s", ([, end]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const server = yield* Effect.acquireRelease(
          Effect.promise(() => playwright.launchServer({ executablePath })),
          (one) => Effect.promise(() => one.kill())
        )
        const context = yield* Effect.promise(async () =>
          (await playwright.connect(server.wsEndpoint())).newContext({ viewport: { width: 1_280, height: 800 } })
        )
        const page = yield* Effect.promise(() => context.newPage())
        yield* Effect.promise(() =>
          page.setContent("<h1 id=n>0</h1><script>setInterval(() => { n.textContent++ }, 100)</script>")
        )
        const tabs = Tabs.make(page)
        const recording = Option.getOrThrow(yield* Recorder.record(tabs, { ...options, ...bounds }))
        // Another look at the same window tells when there were pictures enough.
        const looks = yield* Ref.make(0)
        yield* Screencast.screencast(tabs, options, () => Ref.update(looks, (count) => count + 1))
        yield* until("30 pictures", Ref.get(looks), (count) => count >= 30)
        yield* Effect.promise(() => end({ context, page, server }))
        const video = Option.getOrThrow(yield* recording.finish)
        const seen = yield* played(yield* Stream.mkUint8Array(video.content))
        assert.deepInclude(seen, { width: 1_280, height: 800 })
        assert.isAtLeast(seen.duration, 0.2)
      })
    )
  )
})

interface Colour {
  readonly red: number
  readonly blue: number
}

interface Target {
  readonly context: BrowserContext
  readonly page: Page
  readonly server: BrowserServer
}
