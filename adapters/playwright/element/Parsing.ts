/** Waits for documents that are still being parsed: their last scripts may handle an action. */
import type { Frame } from "playwright-core"

/** Maximum wait for one document, in milliseconds. */
const parsedMillis = 5_000

/** How long documents have been waited for in vain, by frame. */
const spent = new WeakMap<Frame, { readonly address: string; readonly millis: number }>()

/**
 * Waits until the document of a frame is parsed, at most `timeout` milliseconds, and returns how long that took. All
 * waits for one document together take at most `most` milliseconds.
 */
export const parsed = async (frame: Frame, timeout: number, most = parsedMillis): Promise<number> => {
  const address = frame.url()
  const before = spent.get(frame)
  const former = before?.address === address ? before.millis : 0
  const allowed = Math.min(timeout, most - former)
  if (allowed <= 0) return 0
  const began = performance.now()
  const isParsed = await frame.waitForLoadState("domcontentloaded", { timeout: allowed }).then(
    () => true,
    () => false
  )
  const millis = performance.now() - began
  if (isParsed) spent.delete(frame)
  else spent.set(frame, { address, millis: former + millis })
  return millis
}
