/**
 * A grid of browsers: Playwright servers and browsers with the DevTools protocol, on this machine or on others, each
 * with a capacity.
 *
 * A session goes to the least loaded reachable browser with free capacity; if it fails while the session is opened, the
 * next one is tried. A browser that cannot be reached is retried after growing pauses. A browser that is draining or no
 * longer configured keeps its sessions and gets no new ones.
 *
 * A proxy of this process blocks private networks, as for a local browser, so the browsers must be able to reach it:
 * browsers on this machine use loopback, for others the host name of this machine must be configured.
 */
import { Context, Effect, Layer, PubSub, Schema, type Scope, Semaphore, Stream } from "effect"
import type { BrowserContext, Page } from "playwright-core"
import type { PageLimits } from "../../core/agent/Limits.ts"
import { Browser } from "../../core/browser/Browser.ts"
import { PageFailure } from "../../core/browser/PageFailure.ts"
import type { Session } from "../../core/browser/Session.ts"
import { BrowserCapacity } from "../../core/run/BrowserCapacity.ts"
import { type Connection, connect, NotConnected } from "./Connection.ts"
import * as Endpoints from "./Endpoints.ts"
import type * as Downloads from "./file/Downloads.ts"
import * as Opening from "./Opening.ts"
import * as PlaywrightSession from "./PlaywrightSession.ts"
import { within } from "./TimeLimit.ts"
import * as Guard from "./walls/Guard.ts"

export interface Options {
  /** The currently configured endpoints, read repeatedly. Fails if they cannot be read. */
  readonly endpoints: Effect.Effect<ReadonlyArray<Endpoints.Endpoint>, string>
  /** Lets pages reach private and loopback addresses. */
  readonly allowPrivateNetworks: boolean
  /** Origins that may be reached although they are private. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** The name of this machine for browsers on other machines; `null` without such browsers. */
  readonly guardHost: string | null
  readonly limits: PageLimits
  /** Maximum wait of a session for a browser with free capacity, in milliseconds. */
  readonly waitMillis: number
}

export const defaults = { allowPrivateNetworks: false, allowedOrigins: [], guardHost: null, waitMillis: 30_000 }

/** Raised at start if the configuration of the grid is unusable. */
export class GridUnusable extends Schema.TaggedError<GridUnusable>()("GridUnusable", { reason: Schema.String }) {
  override get message() {
    return `Cannot use the browsers of SLUICE_BROWSER_ENDPOINTS: ${this.reason}`
  }
}

/** The interval at which endpoints are checked, in milliseconds. */
const lookMillis = 1_000

/** Timeout for opening or closing a context, in milliseconds. */
const contextMillis = 15_000

/** The state of one endpoint. */
interface Member {
  endpoint: Endpoints.Endpoint
  inUse: number
  connection: Connection | null
  failures: number
  /** The instant of the next attempt, in milliseconds of the clock of this process. */
  retryAt: number
  /** The reason why it could not be reached. */
  reason: string
}

const standing = (member: Member): Endpoints.EndpointState & { readonly member: Member } => ({
  endpoint: member.endpoint,
  inUse: member.inUse,
  up: member.connection?.chromium.isConnected() === true && performance.now() >= member.retryAt,
  member
})

export const layer = (options: Options): Layer.Layer<Browser, GridUnusable> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { allowPrivateNetworks, guardHost, limits } = options
      const allowed = new Set(options.allowedOrigins)
      const members = new Map<string, Member>()
      const scope = yield* Effect.scope
      const looking = yield* Semaphore.make(1)
      const changes = yield* PubSub.sliding<void>(16)
      const changed = Effect.asVoid(PubSub.publish(changes, undefined))
      const all = () => [...members.values()].map(standing)

      const unreachable = (endpoint: Endpoints.Endpoint): boolean =>
        !allowPrivateNetworks && guardHost === null && !Endpoints.isHere(endpoint)

      /** Applies the configuration: endpoints that are new, changed or removed. */
      const takeUp = (endpoints: ReadonlyArray<Endpoints.Endpoint>) =>
        Effect.gen(function* () {
          const named = new Set(endpoints.map(({ url }) => url))
          for (const endpoint of endpoints) {
            const member = members.get(endpoint.url)
            if (member !== undefined) member.endpoint = endpoint
            else
              members.set(endpoint.url, { endpoint, inUse: 0, connection: null, failures: 0, retryAt: 0, reason: "" })
          }
          for (const [url, member] of members) {
            if (!named.has(url)) member.endpoint = { ...member.endpoint, draining: true }
            if (!named.has(url) && member.inUse === 0) {
              members.delete(url)
              yield* disconnect(member)
            }
          }
          yield* changed
        })

      const disconnect = (member: Member) =>
        Effect.suspend(() => {
          const { connection } = member
          member.connection = null
          if (connection === null) return Effect.void
          return Effect.promise(() => within(contextMillis, connection.chromium.close()))
        })

      const failed = (member: Member, reason: string): void => {
        member.failures++
        member.retryAt = performance.now() + Endpoints.pauseMillis(member.failures)
        member.reason = reason
      }

      const reach = (member: Member) =>
        Effect.tryPromise({
          try: () => connect(member.endpoint),
          catch: (error) =>
            error instanceof NotConnected ? error : new NotConnected(member.endpoint, String(error), false)
        }).pipe(
          Effect.tap((connection) =>
            Effect.sync(() => {
              member.connection = connection
              member.failures = 0
              connection.chromium.on("disconnected", () => {
                if (member.connection === connection) member.connection = null
                Effect.runFork(changed)
              })
            })
          ),
          Effect.tapError((error) => Effect.sync(() => failed(member, error.message))),
          Effect.andThen(changed),
          Effect.uninterruptible
        )

      /** Connects to endpoints that are not connected and whose pause is over. */
      const look = Effect.suspend(() =>
        Effect.forEach(
          [...members.values()].filter(
            (member) =>
              member.connection?.chromium.isConnected() !== true &&
              !member.endpoint.draining &&
              performance.now() >= member.retryAt
          ),
          (member) =>
            Effect.gen(function* () {
              const before = member.failures
              const problem = yield* Effect.flip(reach(member)).pipe(Effect.option)
              if (before === 0 && problem._tag === "Some") yield* Effect.logWarning(`Browser ${problem.value.message}`)
            }),
          { concurrency: "unbounded", discard: true }
        )
      )

      const reread = Effect.gen(function* () {
        const endpoints = yield* options.endpoints
        const refused = endpoints.find(unreachable)
        if (refused !== undefined) return yield* Effect.fail(needsHost(refused))
        const same = JSON.stringify(endpoints) === written
        written = JSON.stringify(endpoints)
        if (!same) yield* takeUp(endpoints)
      })
      let written = ""

      const see = Effect.gen(function* () {
        yield* reread.pipe(
          Effect.tapError((problem) => {
            const isNew = problem !== complaint
            complaint = problem
            return isNew ? Effect.logWarning(`The list of browsers was not changed: ${problem}`) : Effect.void
          }),
          Effect.ignore
        )
        yield* look
        for (const [url, member] of members) {
          if (!member.endpoint.draining || member.inUse > 0) continue
          yield* disconnect(member)
          if (!written.includes(JSON.stringify(url))) members.delete(url)
        }
        // Serialized, because of two concurrent connections to one browser, one would leak.
      }).pipe(looking.withPermits(1))
      let complaint = ""

      /** Takes a slot at an endpoint that has not failed for this session yet. */
      const place = (tried: ReadonlySet<Member>): Member | null => {
        const chosen = Endpoints.choose(all().filter(({ member }) => !tried.has(member)))
        if (chosen === null) return null
        chosen.member.inUse++
        return chosen.member
      }

      const giveBack = (member: Member) =>
        Effect.suspend(() => {
          member.inUse--
          return changed
        })

      const guardOf = ({ endpoint }: Member, { proxy: upstream }: Session) =>
        Effect.gen(function* () {
          if (upstream === null && allowPrivateNetworks) return null
          const isHere = guardHost === null && Endpoints.isHere(endpoint)
          if (!isHere && guardHost === null)
            return yield* new PageFailure({ kind: "proxy", reason: needsHost(endpoint) })
          const reachedAs = isHere || guardHost === null ? {} : { reachedAs: guardHost }
          return yield* Guard.make({ allowed, allowPrivateNetworks, upstream, ...reachedAs })
        })

      const contextAt = (member: Member, session: Session) =>
        Effect.gen(function* () {
          const { connection } = member
          if (connection === null) return yield* new PageFailure({ kind: "crash", reason: "it went away" })
          const guard = yield* guardOf(member, session)
          const { wall } = connection
          const made = Effect.tryPromise({
            try: async () => {
              const options = { ...PlaywrightSession.optionsOf(session), ...PlaywrightSession.wayOf(guard) }
              const made = await PlaywrightSession.fresh(connection.chromium, options, contextMillis)
              if (made === null) throw new Error("no page")
              return made
            },
            catch: () => new PageFailure({ kind: "crash", reason: "it opened no page" })
          })
          const { context, page } = yield* Effect.acquireRelease(made, ({ context }) => closeContext(context))
          if (member.endpoint.kind === "cdp") yield* Effect.promise(() => hideScrollbars(context, page))
          return {
            page,
            wall,
            guard,
            lost: () => null,
            files: null,
            remote: remoteOf(member.endpoint)
          } satisfies Opening.Ready
        })

      /** Takes the first slot whose browser opens a page. Waits while there is none. */
      const claim = (session: Session): Effect.Effect<Opening.Ready, PageFailure, Scope.Scope> =>
        Effect.gen(function* () {
          const heard = yield* PubSub.subscribe(changes)
          const tried = new Set<Member>()
          const until = performance.now() + options.waitMillis
          while (true) {
            const member = place(tried)
            if (member !== null) {
              let isHeld = true
              yield* Effect.addFinalizer(() => (isHeld ? giveBack(member) : Effect.void))
              const ready = yield* Effect.result(contextAt(member, session))
              if (ready._tag === "Success") {
                member.failures = 0
                return ready.success
              }
              if (ready.failure.kind === "proxy") return yield* ready.failure
              isHeld = false
              tried.add(member)
              failed(member, `${Endpoints.named(member.endpoint)} failed: ${ready.failure.reason}`)
              yield* giveBack(member)
              // Its connection may be dead without any signal: reconnect if it has no sessions.
              if (member.inUse === 0) yield* Effect.forkIn(disconnect(member), scope)
              continue
            }
            const left = until - performance.now()
            if (left <= 0) return yield* new PageFailure({ kind: "crash", reason: nowhere(all()) })
            yield* PubSub.take(heard).pipe(Effect.timeoutOption(Math.min(left, lookMillis)))
            tried.clear()
          }
        })

      const open = Effect.fnUntraced(function* (session: Session) {
        return yield* Opening.open(yield* claim(session), session, limits)
      })

      const endpoints = yield* options.endpoints.pipe(Effect.mapError((reason) => new GridUnusable({ reason })))
      const refused = endpoints.find(unreachable)
      if (refused !== undefined) return yield* new GridUnusable({ reason: needsHost(refused) })
      written = JSON.stringify(endpoints)
      yield* takeUp(endpoints)
      yield* Effect.addFinalizer(() => Effect.forEach([...members.values()], disconnect, { concurrency: "unbounded" }))
      yield* Effect.forEach(
        [...members.values()],
        (member) =>
          reach(member).pipe(
            Effect.catch((error) =>
              error.isOtherVersion
                ? Effect.fail(new GridUnusable({ reason: error.message }))
                : Effect.logWarning(`Browser ${error.message}`)
            )
          ),
        { concurrency: "unbounded", discard: true }
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(lookMillis), see)))
      yield* onHangUp(see)
      return Context.make(Browser, Browser.of({ open })).pipe(
        Context.add(BrowserCapacity, {
          count: Effect.sync(() => Endpoints.capacity(all())),
          changes: Stream.fromPubSub(changes)
        })
      )
    })
  )

/**
 * Hides scrollbars, as Playwright does in the browsers that it starts: a page is as wide as its window, and has the same
 * layout in each browser.
 */
const hideScrollbars = async (context: BrowserContext, first: Page): Promise<void> => {
  const hide = async (page: Page): Promise<void> => {
    const line = await context.newCDPSession(page)
    // It lasts for as long as this connection to the page.
    await line.send("Emulation.setScrollbarsHidden", { hidden: true })
  }
  // A browser without this command shows its scrollbars.
  const tried = (page: Page) => within(contextMillis, hide(page))
  context.on("page", (popup) => void tried(popup))
  await tried(first)
}

/** Files of a browser that speaks the DevTools protocol are read through it; a Playwright server sends them itself. */
const remoteOf = ({ downloads, kind }: Endpoints.Endpoint): Downloads.Remote | null =>
  kind === "cdp" ? { downloads: downloads ?? null } : null

const closeContext = (context: BrowserContext) => Effect.promise(() => within(contextMillis, context.close()))

const needsHost = (endpoint: Endpoints.Endpoint): string =>
  `${Endpoints.named(endpoint)} is on another machine, and must reach this one to be kept off private networks: set SLUICE_GUARD_HOST to the name of this machine, or SLUICE_ALLOW_PRIVATE_NETWORKS=1`

const nowhere = (all: ReadonlyArray<Endpoints.EndpointState & { readonly member: Member }>): string => {
  const said = all.map(({ endpoint, inUse, member, up }) => {
    if (endpoint.draining) return `${Endpoints.named(endpoint)} is drained`
    if (!up) return member.reason || `${Endpoints.named(endpoint)} cannot be reached`
    return `${Endpoints.named(endpoint)} has ${inUse} of ${endpoint.capacity} sessions`
  })
  return `no browser of the grid has room: ${said.join("; ") || "there is none"}`
}

/** Checks the endpoints when the process receives SIGHUP, which then does not end it. */
const onHangUp = (see: Effect.Effect<void>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const listener = () => void Effect.runFork(see)
      process.on("SIGHUP", listener)
      return listener
    }),
    (listener) => Effect.sync(() => void process.off("SIGHUP", listener))
  )
