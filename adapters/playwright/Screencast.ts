/**
 * Pictures of the window that is looked at, sent by the browser whenever it has painted something new.
 *
 * The browser sends no further picture until the one before is acknowledged, so whoever is slow slows it down.
 */
import { Clock, Effect, Queue, type Scope } from "effect"
import type { CDPSession, Page } from "playwright-core"
import type { Shot } from "../../core/agent/Browser.ts"
import type { ScreencastOptions } from "../../core/agent/Screencast.ts"
import type { Tabs } from "./Tabs.ts"

/** How often it is looked whether another window is looked at now, in milliseconds. */
const followMillis = 250

interface Sent {
  readonly data: string
  readonly acknowledge: () => void
}

export const screencast = (
  tabs: Tabs,
  { intervalMillis, maxHeight, maxWidth, quality }: ScreencastOptions,
  show: (shot: Shot) => Effect.Effect<void>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const sent = yield* Queue.sliding<Sent>(1)
    let line: CDPSession | null = null
    let shown: Page | null = null

    const leave = async () => {
      const before = line
      line = null
      await before?.detach().catch(() => undefined)
    }

    const begin = async (page: Page) => {
      await leave()
      shown = page
      const opened = await page.context().newCDPSession(page)
      line = opened
      opened.on("Page.screencastFrame", ({ data, sessionId }) => {
        const acknowledge = () => void opened.send("Page.screencastFrameAck", { sessionId }).catch(() => undefined)
        if (line !== opened) return acknowledge()
        Queue.offerUnsafe(sent, { data, acknowledge })
      })
      await opened.send("Page.startScreencast", { format: "jpeg", quality, maxWidth, maxHeight, everyNthFrame: 1 })
    }

    const follow = Effect.gen(function* () {
      const { isGone, page } = tabs.current()
      if (page !== shown && !isGone()) yield* Effect.ignore(Effect.tryPromise(() => begin(page)))
      yield* Effect.sleep(followMillis)
    })

    const pass = Effect.gen(function* () {
      const { acknowledge, data } = yield* Queue.take(sent)
      const began = yield* Clock.currentTimeMillis
      yield* show({ bytes: new Uint8Array(Buffer.from(data, "base64")), mediaType: "image/jpeg" })
      yield* Effect.sleep(Math.max(intervalMillis - ((yield* Clock.currentTimeMillis) - began), 0))
      acknowledge()
    })

    yield* Effect.addFinalizer(() => Effect.promise(leave))
    yield* Effect.forkScoped(Effect.forever(pass))
    yield* Effect.forkScoped(Effect.forever(follow))
  })
