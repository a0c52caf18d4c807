/**
 * News of what happens to runs in the workspace, by one stream for the whole page. It continues where it broke off, and the
 * page says when it cannot be had.
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

/** How often listeners are called at most, in milliseconds: thousands of events a minute are one reading each time. */
const pauseMillis = 700

/** Events within this time after a quiet stretch are one reading, in milliseconds. */
const gatherMillis = 50

let isPending = false
let toldAt = 0

/** Tells the listeners soon after the first event, and of the events behind it together. An event costs next to nothing. */
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

/** How soon a connection that ended is tried again, and the longest that attempts lie apart, in milliseconds. */
const again = { first: 250, longest: 2_000 }

/** Follows the events from the one after the last that was seen. */
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

/** Follows the events while the page is open, so that every view says when the service is away. */
export const useConnection = (): void => useEffect(() => listen(() => undefined), [])

/** What no event tells, such as a window that opens, is seen at the latest after this time, in milliseconds. */
const atLatest = 10_000

/** Calls when something may have happened, while the page is in sight; at the latest after so many milliseconds. */
export const useChanges = (changed: () => void, latest = atLatest): void => {
  useEffect(() => listen(() => document.visibilityState === "visible" && changed()), [])
  useRegularly(changed, latest)
}
