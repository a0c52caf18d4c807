/**
 * Keeps sessions to the sites that their workflows may visit.
 *
 * The browser itself asks before each document, also after a redirect, in a new tab or in a frame. It asks over the
 * one DevTools session that all of its pages share, so no tab opens before there is a listener. It asks only while a
 * restricted session is open, and only about documents: nothing else is slowed down. Documents of unrestricted sessions
 * are allowed.
 */
import type { BrowserContext, CDPSession, Browser as Chromium, Page } from "playwright-core"
import * as AllowedSites from "../../../core/workflow/AllowedSites.ts"
import { within } from "../TimeLimit.ts"

export interface SiteWall {
  /**
   * Keeps a session to sites until it is released. `refused` hears of each address that a tab was kept from; what a
   * frame was kept from stays empty.
   */
  readonly hold: (
    page: Page,
    sites: AllowedSites.AllowedSites,
    refused: (address: string) => void
  ) => Promise<() => Promise<void>>
}

interface Held {
  readonly context: BrowserContext
  readonly sites: AllowedSites.AllowedSites
  readonly refused: (address: string) => void
}

interface PausedRequest {
  readonly requestId: string
  readonly frameId: string
  readonly request: { readonly url: string }
}

/** How long a page may take to say which frames it has, in milliseconds. */
const answerMillis = 2_000

export const make = (chromium: Chromium): SiteWall => {
  /** By the browser's names of the contexts. */
  const held = new Map<string, Held>()
  const lines = new WeakMap<Page, Promise<CDPSession | null>>()
  let browser: Promise<CDPSession> | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const line = () => {
    browser ??= chromium.newBrowserCDPSession().then((devTools) => {
      devTools.on("Fetch.requestPaused", (asked) => {
        answer(devTools, asked).catch(() => undefined)
      })
      return devTools
    })
    return browser
  }

  /** Intercepts documents only while a session is restricted. */
  const ask = () => {
    turn = turn
      .catch(() => undefined)
      .then(async () => {
        const devTools = await line()
        if (held.size === 0) await devTools.send("Fetch.disable")
        else await devTools.send("Fetch.enable", { patterns: [{ resourceType: "Document", requestStage: "Request" }] })
      })
    return turn
  }

  const answer = async (devTools: CDPSession, { frameId, request, requestId }: PausedRequest): Promise<void> => {
    const target = await devTools.send("Target.getTargetInfo", { targetId: frameId }).catch(() => null)
    const context = target?.targetInfo.browserContextId
    const isWindow = target?.targetInfo.type === "page"
    const one = context === undefined ? await holding(frameId) : held.get(context)
    if (one === undefined || (one !== null && AllowedSites.permits(one.sites, request.url))) {
      return void (await devTools.send("Fetch.continueRequest", { requestId }))
    }
    // A tab stays where it is, a frame shows that it was refused.
    await devTools.send("Fetch.failRequest", { requestId, errorReason: isWindow ? "Aborted" : "BlockedByClient" })
    if (isWindow) one?.refused(request.url)
  }

  /** The restricted session that a frame belongs to: `undefined` for none, `null` if unknown. */
  const holding = async (frameId: string): Promise<Held | null | undefined> => {
    const sessions = [...held.values()]
    const has = await Promise.all(sessions.map(({ context }) => contains(context, frameId)))
    const found = sessions[has.indexOf(true)]
    if (found !== undefined || !has.includes(null)) return found
    // A page that is too busy to answer may have it, unless another one says that it does.
    const others = chromium.contexts().filter((context) => !sessions.some((session) => session.context === context))
    const elsewhere = await Promise.all(others.map((context) => contains(context, frameId)))
    return elsewhere.includes(true) ? undefined : null
  }

  /** Whether a context has a frame; `null` when one of its pages does not answer. */
  const contains = async (context: BrowserContext, frameId: string): Promise<boolean | null> => {
    const windows = context.pages()
    const found = await Promise.all([
      ...windows.map((window) => listed(lineTo(window), frameId)),
      // A frame without its own process has no DevTools session either: its parent's session reports it.
      ...windows.flatMap((window) =>
        window.frames().map((frame) =>
          frame === window.mainFrame()
            ? false
            : listedOnce(
                context.newCDPSession(frame).catch(() => null),
                frameId
              )
        )
      )
    ])
    return found.includes(true) ? true : found.includes(null) ? null : false
  }

  const lineTo = (window: Page): Promise<CDPSession | null> => {
    const known =
      lines.get(window) ??
      window
        .context()
        .newCDPSession(window)
        .catch(() => null)
    lines.set(window, known)
    return known
  }

  return {
    hold: async (page, sites, refused) => {
      const context = page.context()
      const devTools = await context.newCDPSession(page)
      const { browserContextId: id = "" } = (await devTools.send("Target.getTargetInfo")).targetInfo
      await devTools.detach()
      held.set(id, { context, sites, refused })
      // A page that no request was seen for, such as one that was loaded ahead, is seen where it arrives.
      const watch = (window: Page): void => {
        window.on("framenavigated", (frame) => {
          const isArrived = frame === window.mainFrame() && /^https?:/.test(frame.url())
          if (isArrived && !AllowedSites.permits(sites, frame.url())) refused(frame.url())
        })
      }
      watch(page)
      context.on("page", watch)
      const release = async () => {
        held.delete(id)
        // A browser that hangs must not keep the session from its end.
        await within(answerMillis, ask())
      }
      try {
        await ask()
      } catch (error) {
        held.delete(id)
        throw error
      }
      return release
    }
  }
}

/** Whether a frame is among those that a DevTools session reports; `null` if it does not answer. */
const listed = async (line: Promise<CDPSession | null>, frameId: string): Promise<boolean | null> => {
  const devTools = await line
  if (devTools === null) return false
  const tree = await within(answerMillis, devTools.send("Page.getFrameTree"))
  return tree === null ? null : isIn(tree.frameTree, frameId)
}

/** The same over a temporary DevTools session. */
const listedOnce = async (line: Promise<CDPSession | null>, frameId: string): Promise<boolean | null> => {
  const found = await listed(line, frameId)
  ;(await line)?.detach().catch(() => undefined)
  return found
}

interface FrameTree {
  readonly frame: { readonly id: string }
  readonly childFrames?: ReadonlyArray<FrameTree>
}

const isIn = ({ childFrames = [], frame }: FrameTree, id: string): boolean =>
  frame.id === id || childFrames.some((child) => isIn(child, id))
