/**
 * The open tabs of a session, one of which is active.
 */
import { Effect } from "effect"
import type { BrowserContext, CDPSession, Page } from "playwright-core"
import { defaultPageLimits, type PageLimits, tooManyTabs } from "../../../core/agent/Limits.ts"
import type { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Dialog } from "../../../core/browser/Tabs.ts"
import * as Pending from "../settling/Pending.ts"
import { within } from "../TimeLimit.ts"
import { type Bounds, unbounded } from "../walls/Bounds.ts"
import { type Arriving, departures } from "./Arrival.ts"
import { type Attempt, attempting, attemptingWithin, Refused } from "./Attempt.ts"

/** An open tab and its state. */
export interface Tab extends Arriving {
  /** Whether it has crashed or was closed. */
  readonly isGone: () => boolean
  /** Its requests that have not ended. */
  readonly pending: Pending.Pending
}

export interface Tabs {
  /** The active tab. */
  readonly current: () => Tab
  /** The open tabs, in the order in which they were opened. */
  readonly all: () => ReadonlyArray<Tab>
  /**
   * Runs an operation in the active tab, and waits for the tabs that it opens. If the operation closes the tab, it
   * counts as done, without a result; if the tab was closed before, it runs in the tab that is then active.
   */
  readonly attempt: Attempt
  /** Like `attempt`, for reading only. Also allowed when too many tabs are open. */
  readonly observe: Attempt
  /** Repeats an effect in the active tab, if another tab became active before it was done. */
  readonly following: <A>(effect: Effect.Effect<A, PageFailure>) => Effect.Effect<A, PageFailure>
  /** Opens an empty tab, which becomes active. */
  readonly open: Effect.Effect<void, PageFailure>
  /** Acts in an empty page that is none of the tabs, and is closed afterwards. */
  readonly beside: <A>(act: (page: Page) => Promise<A>) => Promise<A>
  /** Makes a tab active. */
  readonly look: (tab: Tab) => Promise<void>
  /** The dialogs that were answered since this was last asked. */
  readonly dialogs: () => ReadonlyArray<Dialog>
  /** Calls back for every open tab, and for each new one. */
  readonly each: (tell: (tab: Tab) => void) => void
  /** Calls back whenever another tab becomes active, until the returned function is called. */
  readonly onTurn: (tell: () => void) => () => void
}

export interface Options {
  /** The bounds of the session. Tabs beyond them are closed, and the next act fails. */
  readonly bounds: Bounds
  readonly limits: PageLimits
}

export const defaults: Options = { bounds: unbounded, limits: defaultPageLimits }

/** Maximum number of stored dialogs, and maximum length of the text of each, in characters. */
const keptDialogs = 20
const keptMessage = 2_000

export const make = (first: Page, { bounds, limits }: Options = defaults): Tabs => {
  const context = first.context()
  const listeners: Array<(tab: Tab) => void> = []
  const order = orderOf()
  const { current } = order
  /** The deadline for each tab that is being opened. */
  const coming: Array<number> = []

  const add = (page: Page): Tab => {
    const known = order.all().find((tab) => tab.page === page)
    if (known !== undefined) return known
    const tab = follow(page, limits, () => coming.push(Date.now() + limits.navigationMillis))
    order.add(tab)
    page.on("close", () => void order.remove(tab))
    for (const tell of listeners) tell(tab)
    return tab
  }

  add(first)
  const admit = (page: Page): void => {
    if (page.isClosed()) return
    if (order.all().length < limits.tabs) return void add(page)
    bounds.pass(tooManyTabs(limits))
    page.close().catch(() => undefined)
  }
  const appear = (page: Page): void => {
    coming.shift()
    // A tab that came with a file to save has no document. Chrome closes it again; Chrome's headless shell leaves it open,
    // which counts from the moment on when it shows something.
    const isShown = () => page.url() !== ""
    if (isShown()) {
      admit(page)
      return
    }
    const look = () => {
      if (!isShown()) return
      page.off("framenavigated", look)
      admit(page)
    }
    page.on("framenavigated", look)
  }
  /** The page that is being opened beside the tabs; it appears before it is known to be that one. */
  let apart: Promise<Page | null> | null = null
  context.on("page", (page) => {
    if (apart === null) appear(page)
    else apart.then((one) => (one === page ? undefined : appear(page)))
  })

  const beside: Tabs["beside"] = async (act) => {
    const making = within(limits.navigationMillis, context.newPage())
    apart = making.catch(() => null)
    const page = await making
    apart = null
    if (page === null) throw new Refused("crash", "the browser opened no page")
    try {
      return await act(page)
    } finally {
      await page.close().catch(() => undefined)
      await current()
        .page.bringToFront()
        .catch(() => undefined)
    }
  }

  /** Waits for the tabs that are being opened. */
  const arrived = async (): Promise<void> => {
    while (coming.length > 0) {
      if ((coming[0] ?? 0) < Date.now()) coming.shift()
      else await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  const observe: Attempt = (selector, act) => Effect.suspend(() => attempting(current().isGone)(selector, act))

  const attempt: Attempt = <A>(selector: string | null, act: () => Promise<A>) =>
    Effect.suspend(() => {
      const before = current()
      const once = attemptingWithin(bounds, before)(selector, async () => {
        const done = await act().catch((error: unknown) => {
          // An action that closed its tab, as the last click of a login does, succeeded.
          if (before.page.isClosed() && isInProgress(error)) return undefined as A
          throw error
        })
        if (coming.length > 0) await arrived()
        return done
      })
      return Effect.catch(once, (failure) =>
        failure.kind === "crash" && before.page.isClosed() && current() !== before
          ? observe(selector, act)
          : Effect.fail(failure)
      )
    })

  return {
    current,
    all: () => [...order.all()],
    attempt,
    observe,
    following: (effect) =>
      Effect.suspend(() => {
        const before = current()
        return Effect.catch(effect, (failure) =>
          (failure.kind === "mismatch" || failure.kind === "crash") && current() !== before
            ? effect
            : Effect.fail(failure)
        )
      }),
    open: Effect.suspend(() =>
      order.all().length >= limits.tabs
        ? Effect.fail(tooManyTabs(limits))
        : attempting(() => false)(null, async () => {
            // A browser that goes away at that moment never answers.
            const page = await within(limits.navigationMillis, context.newPage())
            if (page === null) throw new Refused("crash", "the browser opened no tab")
            await order.look(add(page))
          })
    ),
    beside,
    look: order.look,
    dialogs: answeringDialogs(context),
    each: (tell) => {
      for (const tab of order.all()) tell(tab)
      listeners.push(tell)
    },
    onTurn: order.onTurn
  }
}

/** The tabs in the order in which they were opened, and which of them is active. */
const orderOf = () => {
  const open: Array<Tab> = []
  /** In the order in which they were active, the present one last. The last one to close stays in the list. */
  const looked: Array<Tab> = []
  const turning = new Set<() => void>()
  // The list is never empty once the first tab is open.
  const current = () => looked.at(-1) as Tab

  const turnTo = (tab: Tab): void => {
    const before = looked.at(-1)
    if (before === tab) return
    const at = looked.indexOf(tab)
    if (at >= 0) looked.splice(at, 1)
    looked.push(tab)
    if (before !== undefined) for (const tell of [...turning]) tell()
  }

  return {
    current,
    all: (): ReadonlyArray<Tab> => open,
    /** Adds a tab that was opened, which is active from then on. */
    add: (tab: Tab): void => {
      open.push(tab)
      turnTo(tab)
    },
    /** Takes a tab out that was closed. The one that opened it becomes active, or else the one that was before. */
    remove: async (tab: Tab): Promise<void> => {
      const wasCurrent = current() === tab
      if (!open.includes(tab)) return
      open.splice(open.indexOf(tab), 1)
      if (looked.length > 1) looked.splice(looked.indexOf(tab), 1)
      if (!wasCurrent || open.length === 0) return
      const opener = await tab.page.opener().catch(() => null)
      const from = open.find((tab) => tab.page === opener)
      if (from !== undefined && current() !== from && !open.includes(tab)) turnTo(from)
      await current()
        .page.bringToFront()
        .catch(() => undefined)
    },
    look: async (tab: Tab): Promise<void> => {
      turnTo(tab)
      await tab.page.bringToFront()
    },
    onTurn: (tell: () => void) => {
      turning.add(tell)
      return () => void turning.delete(tell)
    }
  }
}

/** Accepts the dialogs of all tabs, and hands over those since it was last called. */
const answeringDialogs = (context: BrowserContext): Tabs["dialogs"] => {
  const shown: Array<Dialog> = []
  context.on("dialog", (dialog) => {
    // Browsers have these kinds of dialogs, which Playwright types as text.
    const kind = dialog.type() as Dialog["kind"]
    const entered = kind === "prompt" ? dialog.defaultValue() : null
    shown.push({ kind, message: dialog.message().slice(0, keptMessage), entered })
    if (shown.length > keptDialogs) shown.shift()
    dialog.accept(entered ?? undefined).catch(() => undefined)
  })
  return () => shown.splice(0)
}

/** Whether Playwright had begun to do it when it failed, and was not still waiting for the element. */
const isInProgress = (error: unknown): boolean =>
  error instanceof Error &&
  /performing \w+(?: \w+)? action|^(?:keyboard|mouse|page\.keyboard|page\.mouse)\.\w+:/m.test(error.message)

const follow = (page: Page, { navigationMillis }: PageLimits, opening: () => void): Tab => {
  let crashed = false
  let devTools: Promise<CDPSession> | undefined
  page.on("crash", () => {
    crashed = true
  })
  const connect = async (): Promise<CDPSession> => {
    const line = await page.context().newCDPSession(page)
    line.on("Page.windowOpen", opening)
    await line.send("Page.enable")
    return line
  }
  const line = (): Promise<CDPSession> => {
    devTools ??= connect()
    return devTools
  }
  // The browser announces tabs on this session before they exist.
  line().catch(() => undefined)
  return {
    page,
    isGone: () => crashed || page.isClosed(),
    isDeparting: departures(page),
    pending: Pending.follow(page),
    navigationMillis,
    devTools: line
  }
}
