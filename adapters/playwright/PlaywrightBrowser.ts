/**
 * The agent's browser: a local Chromium driven by Playwright.
 *
 * One browser serves many runs, each in a separate context. A context is created in advance, so that a run need not
 * wait for one. After a number of runs, or when it uses too much memory, a browser gets no further runs and closes with
 * its last one, while another browser replaces it.
 */
import { Clock, Effect, Exit, Layer, Option, Ref, Schema, Scope, Semaphore } from "effect"
import type { BrowserContext, Page as PlaywrightPage } from "playwright-core"
import { defaultPageLimits, type PageLimits, tooMuchMemory } from "../../core/agent/Limits.ts"
import { Browser } from "../../core/browser/Browser.ts"
import { PageFailure } from "../../core/browser/PageFailure.ts"
import type { Session } from "../../core/browser/Session.ts"
import * as Periodic from "../../core/runtime/Periodic.ts"
import * as Confinement from "./Confinement.ts"
import * as LocalChromium from "./LocalChromium.ts"
import * as Opening from "./Opening.ts"
import * as PageMemory from "./PageMemory.ts"
import * as PlaywrightSession from "./PlaywrightSession.ts"
import * as Processes from "./Processes.ts"
import { within } from "./TimeLimit.ts"
import * as Guard from "./walls/Guard.ts"
import * as SiteWall from "./walls/SiteWall.ts"

export interface Options {
  /** The Chromium program. */
  readonly executablePath: string
  /** Lets pages reach private and loopback addresses. */
  readonly allowPrivateNetworks: boolean
  /** Origins that may be reached although they are private, such as the demo site's. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** A browser is replaced after this many runs, so that its memory leaks do not add up. */
  readonly runsPerBrowser: number
  /** A browser is replaced when all its processes together use more private memory, in bytes. */
  readonly memoryPerBrowser: number
  /** The user of browsers, if the service runs as root; `null` for a separate one. */
  readonly user: string | null
  /** Refuses to start a browser that lacks its sandbox, or that runs as root. */
  readonly mustBeConfined: boolean
  readonly limits: PageLimits
}

export const defaults = {
  allowPrivateNetworks: false,
  allowedOrigins: [],
  runsPerBrowser: 100,
  memoryPerBrowser: 2_048 * 1_048_576,
  user: null,
  mustBeConfined: false,
  limits: defaultPageLimits
}

/** Raised at the start when Chromium cannot be run. */
export class ChromiumNotRunnable extends Schema.TaggedError<ChromiumNotRunnable>()("ChromiumNotRunnable", {
  executablePath: Schema.String,
  reason: Schema.String
}) {
  /** Reports the first line of Playwright's message. The rest is the log of the browser. */
  static of(executablePath: string, error: unknown): ChromiumNotRunnable {
    const reason = (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? ""
    return new ChromiumNotRunnable({ executablePath, reason })
  }

  override get message() {
    return `Cannot run Chromium at ${this.executablePath}: ${this.reason}. Set SLUICE_CHROMIUM to a Chromium that runs on this machine`
  }
}

/** Raised at the start when a browser cannot be isolated as the settings require. */
export class BrowserNotConfined extends Schema.TaggedError<BrowserNotConfined>()("BrowserNotConfined", {
  setting: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot start the browser as ${this.setting} asks: ${this.reason}`
  }
}

export const { switches } = LocalChromium

/** The confinements to try, the strongest first. Fails if browsers cannot run as the configured user. */
export const confinements = (
  executablePath: string,
  user: string | null
): Effect.Effect<ReadonlyArray<Confinement.Confinement>, BrowserNotConfined> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(Confinement.plans(executablePath, user))
    } catch (error) {
      if (!(error instanceof Confinement.UserUnusable)) throw error
      return Effect.fail(new BrowserNotConfined({ setting: `SLUICE_BROWSER_USER=${user}`, reason: error.message }))
    }
  })

/** How often the memory of a browser is measured, in milliseconds. */
const measureMillis = 1_000

/**
 * After a process is killed for its memory, a page that is lost within this time counts as lost for that reason, in
 * milliseconds.
 */
const echoMillis = 5_000

/** Timeout for opening or closing a context, in milliseconds. */
const contextMillis = 10_000

/** A running browser and how many runs it has served and serves. */
interface Running {
  readonly local: LocalChromium.LocalChromium
  readonly wall: SiteWall.SiteWall
  opened: number
  inUse: number
  /** A retired browser gets no further runs. */
  retired: boolean
  /** The memory of its pages in the processes that they share. */
  charges: PageMemory.Charges | null
  /** When one of its processes was ended for the memory that it took. */
  endedAt: number
}

interface Ready {
  readonly running: Running
  readonly context: BrowserContext
  readonly page: PlaywrightPage
  /** The proxy of this context alone; `null` when it may reach everything. */
  readonly guard: Guard.Guard | null
  /** Ends the guard. */
  readonly endGuard: Effect.Effect<void>
}

/** Starts Chromium and keeps one running until the layer is released. The release ends all its processes. */
export const layer = (options: Options): Layer.Layer<Browser, ChromiumNotRunnable | BrowserNotConfined> =>
  Layer.effect(
    Browser,
    Effect.gen(function* () {
      const { allowPrivateNetworks, limits } = options
      const allowed = new Set(options.allowedOrigins)
      const guard = allowPrivateNetworks ? null : yield* Guard.make({ allowed, allowPrivateNetworks, upstream: null })
      // Contexts belong to browsers, and a retired browser discards its prepared one.
      const inAdvance: InAdvance = {
        leave: (running) => Effect.suspend(() => contexts.leave(running)),
        refill: Effect.suspend(() => contexts.refill)
      }
      const proxy = guard === null ? [] : LocalChromium.behind(guard.server)
      const browsers: Browsers = yield* makeBrowsers(options, proxy, inAdvance)
      const contexts = yield* makeContexts(options, browsers)

      const open = Effect.fnUntraced(function* (session: Session) {
        const ready = PlaywrightSession.needsItsOwn(session) ? contexts.prepare(session) : contexts.take
        const { guard: own, page, running } = yield* Effect.acquireRelease(ready, contexts.discard)
        const clock = yield* Clock.Clock
        const lost = () =>
          clock.currentTimeMillisUnsafe() - running.endedAt < echoMillis ? tooMuchMemory(limits) : null
        return yield* Opening.open(
          { page, wall: running.wall, lost, guard: own, files: running.local },
          session,
          limits
        )
      })

      yield* Effect.forkScoped(Periodic.run(sweeping))
      yield* checkGaps(yield* browsers.next, options.mustBeConfined)
      yield* Effect.forkScoped(contexts.refill)
      return Browser.of({ open })
    })
  )

/** Removes the folders of browsers whose process was killed, at once and then hourly. */
const sweeping: Periodic.Job<never> = {
  name: "remove the folders of browsers that were killed",
  every: "1 hour",
  round: Effect.map(Clock.currentTimeMillis, (now) => {
    LocalChromium.sweep()
    LocalChromium.sweepProfiles(now)
  })
}

/** Warns about missing isolation of a browser, or refuses to run it. */
const checkGaps = Effect.fnUntraced(function* ({ local }: Running, mustBeConfined: boolean) {
  for (const gap of local.confinement.gaps) {
    if (mustBeConfined)
      return yield* new BrowserNotConfined({ setting: "SLUICE_BROWSER_SANDBOX=required", reason: gap })
    yield* Effect.logWarning(`${gap}. \`sluice doctor\` shows what applies`)
  }
})

/** The operations on prepared contexts that browsers need. */
interface InAdvance {
  /** Discards the prepared context of a browser. */
  readonly leave: (running: Running) => Effect.Effect<void>
  /** Prepares a context, unless there is one. */
  readonly refill: Effect.Effect<void>
}

type Browsers = Effect.Success<ReturnType<typeof makeBrowsers>>

/** The browsers that run. All close with the scope. */
const makeBrowsers = Effect.fnUntraced(function* (
  options: Options,
  proxy: ReadonlyArray<string>,
  { leave, refill }: InAdvance
) {
  const scope = yield* Effect.scope
  const all = new Set<Running>()
  const current = yield* Ref.make<Running | null>(null)

  const close = (running: Running) =>
    Effect.suspend(() => (all.delete(running) ? Effect.promise(() => running.local.close()) : Effect.void))
  yield* Effect.addFinalizer(() => Effect.forEach([...all], close, { concurrency: "unbounded", discard: true }))

  const closeWhenIdle = (running: Running) => (running.retired && running.inUse === 0 ? close(running) : Effect.void)

  /** Stops giving runs to a browser, and discards its prepared context. */
  const stopUsing = Effect.fnUntraced(function* (running: Running) {
    running.retired = true
    yield* leave(running)
    yield* closeWhenIdle(running)
  })

  /** Stops giving runs to a browser, and prepares a context in another one. */
  const retire = Effect.fnUntraced(function* (running: Running) {
    if (running.retired) return
    yield* stopUsing(running)
    yield* Effect.forkIn(refill, scope)
  })

  /** A browser that does not answer is not measured. Its runs end by their own limits. */
  const watch = (running: Running): Effect.Effect<void> =>
    Effect.gen(function* () {
      while (all.has(running) && running.local.chromium.isConnected()) {
        yield* Effect.sleep(measureMillis)
        const isLarge = yield* Effect.option(Effect.timeout(measure(running, options), measureMillis))
        if (Option.getOrElse(isLarge, () => false)) yield* retire(running)
      }
      yield* retire(running)
    })

  // All later browsers get the confinement of the first: the system does not change while the process runs.
  let usable = yield* confinements(options.executablePath, options.user)
  const launch = Effect.gen(function* () {
    const local = yield* Effect.tryPromise({
      try: () => LocalChromium.start(options.executablePath, proxy, usable),
      catch: (error) => ChromiumNotRunnable.of(options.executablePath, error)
    })
    usable = [local.confinement]
    const wall = SiteWall.make(local.chromium)
    const running: Running = { local, wall, opened: 0, inUse: 0, retired: false, charges: null, endedAt: -Infinity }
    all.add(running)
    yield* Effect.forkIn(watch(running), scope)
    return running
  }).pipe(Effect.uninterruptible)

  return {
    /** The browser for the next run: the current one, unless it is lost or retired. */
    next: Effect.gen(function* () {
      const running = yield* Ref.get(current)
      const isOfUse = running?.local.chromium.isConnected() === true && !running.retired
      if (isOfUse && running.opened < options.runsPerBrowser) return running
      const fresh = yield* launch
      yield* Ref.set(current, fresh)
      // Its prepared context would keep it until a run takes that.
      if (running !== null) yield* stopUsing(running)
      return fresh
    }),
    closeWhenIdle,
    stopUsing
  }
})

/** Ends processes that show pages and take too much memory, and returns whether the browser takes too much in all. */
const measure = Effect.fnUntraced(function* (running: Running, { limits, memoryPerBrowser }: Options) {
  const processes = yield* Effect.tryPromise(() => running.local.processes())
  const now = yield* Clock.currentTimeMillis
  running.charges = PageMemory.charge(running.charges, processes)
  for (const pid of PageMemory.tooLarge(processes, running.charges, limits.memoryBytes)) {
    running.endedAt = now
    Processes.kill(pid)
  }
  return processes.reduce((sum, { bytes }) => sum + bytes, 0) > memoryPerBrowser
})

/** The contexts of sessions, with one prepared context. */
const makeContexts = Effect.fnUntraced(function* (
  { allowedOrigins, allowPrivateNetworks }: Options,
  browsers: Browsers
) {
  const scope = yield* Effect.scope
  const allowed = new Set(allowedOrigins)
  const preparing = yield* Semaphore.make(1)
  const filling = yield* Semaphore.make(1)
  const spare = yield* Ref.make<Ready | null>(null)

  /**
   * The network guard of one context. Each context has a separate one, so that lookups, refusals and the proxy of one
   * session do not affect another. It ends with the scope at the latest.
   */
  const wayOut = Effect.fnUntraced(function* (upstream: Session["proxy"]) {
    if (upstream === null && allowPrivateNetworks) return { guard: null, endGuard: Effect.void }
    const own = yield* Scope.fork(scope)
    const guard = yield* Scope.provide(Guard.make({ allowed, allowPrivateNetworks, upstream }), own)
    return { guard, endGuard: Scope.close(own, Exit.void) }
  })

  const newPage = Effect.fnUntraced(function* (session: Session | null) {
    const running = yield* browsers.next
    const way = yield* wayOut(session?.proxy ?? null)
    const own = {
      ...(session === null ? {} : PlaywrightSession.optionsOf(session)),
      ...PlaywrightSession.wayOf(way.guard)
    }
    running.opened++
    running.inUse++
    return yield* Effect.tryPromise(async (): Promise<Ready> => {
      const made = await PlaywrightSession.fresh(running.local.chromium, own, contextMillis)
      if (made === null) throw new Error("the browser opened no page")
      return { ...made, ...way, running }
    }).pipe(
      Effect.tapError(() => {
        running.inUse--
        return Effect.andThen(way.endGuard, browsers.stopUsing(running))
      })
    )
  })

  /** A new context. The first attempt may reveal that the browser is lost. */
  const prepare = (session: Session | null) =>
    newPage(session).pipe(
      Effect.retry({ times: 1 }),
      Effect.mapError((error) => new PageFailure({ kind: "crash", reason: error.message })),
      preparing.withPermits(1),
      Effect.uninterruptible
    )

  // Serialized, because of two concurrently prepared contexts, one would leak.
  const refill: Effect.Effect<void> = Effect.gen(function* () {
    if ((yield* Ref.get(spare)) === null) yield* Ref.set(spare, yield* prepare(null))
  }).pipe(Effect.ignore, Effect.uninterruptible, filling.withPermits(1))

  const discard = Effect.fnUntraced(function* ({ context, endGuard, running }: Ready) {
    // A context that does not close ends with its browser.
    const closing = () =>
      within(
        contextMillis,
        context.close().then(() => true)
      )
    const closed = yield* Effect.promise(closing)
    yield* endGuard
    running.inUse--
    yield* closed === null ? browsers.stopUsing(running) : browsers.closeWhenIdle(running)
    // Prepare the next context now, when the run no longer uses the machine.
    yield* Effect.forkIn(refill, scope)
  })

  const leave = Effect.fnUntraced(function* (running: Running) {
    const waiting = yield* Ref.getAndUpdate(spare, (ready) => (ready?.running === running ? null : ready))
    if (waiting?.running !== running) return
    running.inUse--
    const closed = Effect.ignore(Effect.tryPromise(() => waiting.context.close()))
    yield* Effect.forkIn(Effect.ensuring(closed, waiting.endGuard), scope)
  })

  /** The prepared context, or a new one. */
  const take = Effect.gen(function* () {
    const ready = yield* Ref.getAndSet(spare, null)
    if (ready === null) return yield* prepare(null)
    const { page, running } = ready
    if (running.local.chromium.isConnected() && !running.retired && !page.isClosed()) return ready
    yield* Effect.forkIn(discard(ready), scope)
    return yield* prepare(null)
  })

  return { discard, leave, prepare, refill, take }
})

/** The first of the programs that Chromium and its kin are usually installed as. */
export const usualPaths = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/usr/lib/chromium/chromium-headless-shell",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium"
]

/** The program to use: the named one, or else the first usual one that `exists`. */
export const findExecutable = (
  named: Option.Option<string>,
  exists: (path: string) => boolean
): Option.Option<string> => Option.orElse(named, () => Option.fromUndefinedOr(usualPaths.find(exists)))
