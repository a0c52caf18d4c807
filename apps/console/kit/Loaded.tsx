/** Shows a query of the service: while it loads, when it failed, and its value. */
import { Cause, Option } from "effect"
import { AsyncResult } from "effect/reactivity"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { useAtom } from "./Registry.ts"
import { isPassing, type Query, reasonOf, refresh, renew } from "./Service.ts"

/** The delay before a reading is repeated that failed because the service was away or busy, in milliseconds. */
const againMillis = 2_000

/**
 * The latest value of a query, its failure if the last reading failed, and whether it is being read. A reading that failed
 * because the service was away or busy is repeated until it succeeds.
 */
export const useQuery = <A,>(
  query: Query<A>
): { readonly value: A | null; readonly problem: string | null; readonly loading: boolean } => {
  const result = useAtom(query)
  const value = Option.getOrNull(AsyncResult.value(result))
  const error = AsyncResult.isFailure(result) && !result.waiting ? Cause.squash(result.cause) : null
  const problem = error === null ? null : reasonOf(error)
  const willPass = error !== null && isPassing(error)
  useEffect(() => {
    if (!willPass) return
    const timer = setTimeout(() => refresh(query), againMillis)
    return () => clearTimeout(timer)
  }, [query, willPass])
  return { value, problem, loading: result.waiting }
}

/** How often a visible list that others may change is read again, in milliseconds. */
export const followMillis = 800

/** Calls at this interval while the page is visible, and when it becomes visible; never with `null`. */
export const useRegularly = (call: () => void, millis: number | null): void => {
  const latest = useRef(call)
  latest.current = call
  useEffect(() => {
    if (millis === null) return
    const inSight = () => document.visibilityState === "visible" && latest.current()
    const timer = setInterval(inSight, millis)
    document.addEventListener("visibilitychange", inSight)
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", inSight)
    }
  }, [millis])
}

/**
 * Shows a value when it has arrived, and keeps it while it is read again. A value that another view has read is shown at
 * once and read again: others may have changed it. A followed value is read repeatedly, so that a change by another person
 * appears within a second.
 */
export const Loaded = <A,>({
  children,
  isFollowed = false,
  query,
  rows = 3
}: {
  readonly isFollowed?: boolean
  readonly query: Query<A>
  /** The number of placeholder lines during the first reading. */
  readonly rows?: number
  readonly children: (value: A) => ComponentChildren
}) => {
  const { loading, problem, value } = useQuery(query)
  useRegularly(() => renew(query), isFollowed ? followMillis : null)
  useEffect(() => {
    if (value !== null && !loading) refresh(query)
  }, [query])
  return (
    <>
      {problem !== null && (
        <div class="problem" role="alert">
          <span>{problem}</span>
          <button type="button" onClick={() => refresh(query)}>
            Try again
          </button>
        </div>
      )}
      {value !== null ? children(value) : problem === null && <Waiting rows={rows} />}
    </>
  )
}

const Waiting = ({ rows }: { readonly rows: number }) => (
  <div class="waiting" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, index) => (
      <div key={index} />
    ))}
  </div>
)
