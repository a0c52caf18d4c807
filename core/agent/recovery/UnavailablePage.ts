/** A page that its server does not serve now is asked for again, a few times and each time after twice the pause. */
import { Effect } from "effect"
import type { RecoveryStrategy } from "./RecoveryStrategy.ts"

const mostTries = 3

const firstPauseMillis = 1_000

export const unavailable: RecoveryStrategy = Effect.fnUntraced(function* ({ failure, node, tried }, { settings }) {
  const isNow = failure.code === "NAVIGATION-E0003"
  // A page that took too long is requested only once more.
  const most = isNow ? mostTries : failure.code === "NAVIGATION-E0004" ? 1 : 0
  const opens = node.action === "START" || (node.action === "NAVIGATE" && node.parameters.url !== "back")
  if (!settings.unavailable || !opens || tried >= most) return null
  const pause = firstPauseMillis * 2 ** tried
  yield* Effect.sleep(pause)
  return { _tag: "Again", remedy: `Opened the address again after ${pause / 1_000} s` }
})
