/**
 * The events of the runs of the workspace, from one stream for the whole page. A lost stream resumes where it ended. The
 * page says when the service cannot be reached.
 */
import { Effect, Stream } from "effect"
import { Atom } from "effect/reactivity"
import { useEffect } from "preact/hooks"
import { useRegularly } from "../kit/Loaded.tsx"
import { registry } from "../kit/Registry.ts"
import { client } from "../kit/Service.ts"
import { lookForEnd } from "../kit/Session.ts"

/** Whether the service could not be reached at the last attempt. */
export const isLost = Atom.keepAlive(Atom.make(false))

const listeners = new Set<() => unknown>()
let abort: AbortController | null = null

/** The shortest time between two calls of a listener, in milliseconds, however many events arrive. */
const pauseMillis = 700

/** Events within this time of the first one cause one call, in milliseconds. */
const gatherMillis = 50

let isPending = false
let toldAt = 0

/** Calls the listeners once for all events of a short time. An event alone costs almost nothing. */
const tell = () => {
  if (isPending) return
  isPending = true
  setTimeout(
    () => {
      isPending = false
      toldAt = performance.now()
      for (const listener of listeners) listener()
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
  const connection = Stream.suspend(() => {
    const headers = after === undefined ? {} : { "last-event-id": after }
    return client().events.workspaceEvents({ headers, query: {} }).pipe(Stream.unwrap)
  })
  const heard = Stream.runForEach(connection, ({ event, id }) =>
    Effect.sync(() => {
      attempts = 0
      if (registry.get(isLost)) {
        registry.set(isLost, false)
        tell()
      }
      after = id ?? after
      if (event === "run.event") tell()
    })
  )
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

const listen = (listener: () => unknown): (() => void) => {
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
  useEffect(() => listen(() => document.visibilityState === "visible" && changed()), [])
  useRegularly(changed, latest)
}
