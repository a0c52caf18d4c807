/**
 * The events of the runs of the workspace and the changes that people make in it, from one stream for the whole page. A lost
 * stream resumes where it ended. The page says when the service cannot be reached.
 */
import { Effect, Stream } from "effect"
import { Atom } from "effect/reactivity"
import { useEffect, useRef } from "preact/hooks"
import type { AuditKind } from "../../../core/workspace/audit/AuditAction.ts"
import { useRegularly } from "../kit/Loaded.tsx"
import { registry } from "../kit/Registry.ts"
import { client } from "../kit/Service.ts"
import { lookForEnd } from "../kit/Session.ts"

/** Whether the service could not be reached at the last attempt. */
export const isLost = Atom.keepAlive(Atom.make(false))

/** Events of runs happened, or resources of these kinds were changed. `null`: both are possible, and any kind. */
interface News {
  readonly hasEvents: boolean
  readonly changed: ReadonlySet<string>
}

const anything: News | null = null
const events: News = { hasEvents: true, changed: new Set() }

const listeners = new Set<(news: News | null) => unknown>()
let abort: AbortController | null = null

/** The shortest time between two calls of a listener, in milliseconds, however many events arrive. */
const pauseMillis = 700

/** Events within this time of the first one cause one call, in milliseconds. */
const gatherMillis = 50

let pending: News | null | undefined
let toldAt = 0

const joined = (one: News | null, other: News | null): News | null =>
  one === null || other === null
    ? anything
    : { hasEvents: one.hasEvents || other.hasEvents, changed: new Set([...one.changed, ...other.changed]) }

/** Calls the listeners once for all news of a short time. An event alone costs almost nothing. */
const tell = (news: News | null) => {
  if (pending !== undefined) {
    if (pending !== null && !(news === events && pending.hasEvents)) pending = joined(pending, news)
    return
  }
  pending = news
  setTimeout(
    () => {
      const told = pending ?? anything
      pending = undefined
      toldAt = performance.now()
      for (const listener of listeners) listener(told)
    },
    Math.max(gatherMillis, toldAt + pauseMillis - performance.now())
  )
}

/** The delay before the first reconnection, and the longest delay between two, in milliseconds. */
const again = { first: 250, longest: 2_000 }

/** Follows the events after the last one that arrived. */
const follow = Effect.suspend(() => {
  let after: string | undefined
  let attempts = 0
  let isFirst = true
  const connection = Stream.suspend(() => {
    const headers = after === undefined ? {} : { "last-event-id": after }
    return client()
      .events.workspaceEvents({ headers, query: { changes: "true" } })
      .pipe(Stream.unwrap)
  })
  const heard = Effect.suspend(() => {
    let isConnected = false
    return Stream.runForEach(connection, ({ data, event, id }) =>
      Effect.sync(() => {
        attempts = 0
        if (registry.get(isLost)) registry.set(isLost, false)
        // Changes between two connections are not in the stream.
        if (!isConnected && !isFirst) tell(anything)
        isConnected = true
        isFirst = false
        after = id ?? after
        if (event === "run.event") tell(events)
        if (event === "workspace.changed") tell({ hasEvents: false, changed: new Set(data.kinds) })
      })
    )
  })
  const lost = Effect.promise(async () => {
    if (!(await lookForEnd())) registry.set(isLost, true)
  })
  const pause = Effect.suspend(() => Effect.sleep(Math.min(again.longest, again.first * 2 ** attempts++)))
  return heard.pipe(
    Effect.catchCause(() => lost),
    Effect.andThen(pause),
    Effect.forever
  )
})

const listen = (listener: (news: News | null) => unknown): (() => void) => {
  listeners.add(listener)
  if (abort === null) {
    abort = new AbortController()
    void Effect.runPromise(follow, { signal: abort.signal }).catch(() => undefined)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    abort?.abort()
    abort = null
  }
}

/** Follows the events while the page is open, so that every view shows when the service cannot be reached. */
export const useConnection = (): void => useEffect(() => listen(() => undefined), [])

/** Changes without an event, such as a window that opens, are read after this time at the latest, in milliseconds. */
const atLatest = 10_000

/** Calls after events while the page is visible, and after this many milliseconds at the latest. */
export const useChanges = (changed: () => void, latest = atLatest): void => {
  useNews((news) => (news === null || news.hasEvents) && changed())
  useRegularly(changed, latest)
}

/**
 * Calls after changes of resources of these kinds while the page is visible, and after this many milliseconds at the
 * latest.
 */
export const useEdits = (kinds: ReadonlyArray<AuditKind>, changed: () => void, latest = atLatest): void => {
  useNews((news) => (news === null || kinds.some((kind) => news.changed.has(kind))) && changed())
  useRegularly(changed, latest)
}

const useNews = (hear: (news: News | null) => unknown): void => {
  const latest = useRef(hear)
  latest.current = hear
  useEffect(() => listen((news) => document.visibilityState === "visible" && latest.current(news)), [])
}

/** Changes of these kinds decide whether runs of a workflow are held, and until when. */
export const gateKinds = ["run_window", "lift", "pause", "pace", "workflow"] as const satisfies ReadonlyArray<AuditKind>

/** Time after a full minute until the service has opened and closed its windows, in milliseconds. */
const settledMillis = 250

/** Calls soon after each full minute, when windows open and close, while the page is visible. */
export const useMinutes = (call: () => void): void => {
  const latest = useRef(call)
  latest.current = call
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const wait = () => {
      timer = setTimeout(
        () => {
          if (document.visibilityState === "visible") latest.current()
          wait()
        },
        60_000 - (Date.now() % 60_000) + settledMillis
      )
    }
    wait()
    return () => clearTimeout(timer)
  }, [])
}
