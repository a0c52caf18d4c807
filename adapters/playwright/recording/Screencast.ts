/**
 * Pictures of the active tab, sent by the browser after each repaint.
 *
 * The browser sends at most two unacknowledged pictures, so a slow receiver slows it down. Every picture is
 * acknowledged, even one that is not shown: otherwise the browser would stop sending.
 */
import { Clock, Effect, Queue, type Scope } from "effect"
import type { CDPSession, Page } from "playwright-core"
import type { ScreencastOptions } from "../../../core/browser/vision/Screencast.ts"
import type { Tabs } from "../page/Tabs.ts"
import { within } from "../TimeLimit.ts"

/** How often to check whether another tab became active, in milliseconds. */
const followMillis = 250

/**
 * How long a browser may take to begin, in milliseconds. One that is asked while a page goes from one process to another
 * may never answer, and is asked again then.
 */
const beginMillis = 2_000

/** How long a browser may take to release a DevTools session, in milliseconds. */
const leaveMillis = 2_000

interface Sent {
  readonly data: string
  readonly acknowledge: () => void
}

export const screencast = (
  tabs: Tabs,
  { intervalMillis, maxHeight, maxWidth, quality }: ScreencastOptions,
  show: (jpeg: Uint8Array) => Effect.Effect<void>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sent = yield* Queue.unbounded<Sent>()
    let line: CDPSession | null = null
    let shown: Page | null = null
    let isOver = false
    let begun = 0

    const leave = async () => {
      const before = line
      line = null
      await before?.detach().catch(() => undefined)
    }

    const begin = async (page: Page) => {
      const turn = ++begun
      await within(leaveMillis, leave())
      const opened = await page.context().newCDPSession(page)
      if (isOver || turn !== begun) return void (await opened.detach().catch(() => undefined))
      line = opened
      opened.on("Page.screencastFrame", ({ data, sessionId }) => {
        const acknowledge = () => void opened.send("Page.screencastFrameAck", { sessionId }).catch(() => undefined)
        if (line !== opened) return acknowledge()
        Queue.offerUnsafe(sent, { data, acknowledge })
      })
      await opened.send("Page.startScreencast", { format: "jpeg", quality, maxWidth, maxHeight, everyNthFrame: 1 })
      shown = page
    }

    const follow = Effect.gen(function* () {
      const { isGone, page } = tabs.current()
      if (page !== shown && !isGone()) yield* Effect.ignore(Effect.tryPromise(() => within(beginMillis, begin(page))))
      yield* Effect.sleep(followMillis)
    })

    const pass = Effect.gen(function* () {
      const all = yield* Queue.takeAll(sent)
      for (const passed of all.slice(0, -1)) passed.acknowledge()
      const newest = all.at(-1)
      if (newest === undefined) return
      const { acknowledge, data } = newest
      const began = yield* Clock.currentTimeMillis
      yield* show(new Uint8Array(Buffer.from(data, "base64")))
      yield* Effect.sleep(Math.max(intervalMillis - ((yield* Clock.currentTimeMillis) - began), 0))
      acknowledge()
    })

    yield* Effect.addFinalizer(() => {
      isOver = true
      return Effect.promise(() => within(leaveMillis, leave()))
    })
    yield* Effect.forkScoped(Effect.forever(pass))
    yield* Effect.forkScoped(Effect.forever(follow))
  })
