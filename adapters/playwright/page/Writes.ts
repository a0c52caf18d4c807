/**
 * The requests of a session that change something at a site, and which a server may drop when the browser goes away
 * before it has answered.
 */
import type { BrowserContext, Request } from "playwright-core"
import { within } from "../TimeLimit.ts"

/** Maximum age of a request that is waited for, in milliseconds. An older one is a long poll, or hangs. */
const longestWrite = 5_000

/** Timeout of a browser that does not answer, in milliseconds. */
const answerMillis = 1_000

export const isWrite = (request: Request): boolean =>
  /^(document|xhr|fetch)$/.test(request.resourceType()) && !/^(GET|HEAD|OPTIONS)$/.test(request.method())

/**
 * Starts to follow the session, and returns the wait for its current writes. It ends when each of them has ended or is
 * older than `longestWrite`, and without a browser that answers within `timeout` milliseconds.
 */
export const follow = (context: BrowserContext): ((timeout?: number) => Promise<void>) => {
  const pending = new Map<Request, number>()
  let ended: (request: Request) => void = () => undefined
  const end = (request: Request): void => {
    if (pending.delete(request)) ended(request)
  }
  context.on("request", (request) => {
    if (isWrite(request)) pending.set(request, Date.now())
  })
  context.on("requestfinished", end)
  context.on("requestfailed", end)
  return async (timeout = answerMillis) => {
    // After this answer, all earlier events of the browser have been received, such as a request of a moment ago.
    if ((await within(timeout, context.cookies("http://localhost"))) === null) return
    const oldest = Date.now() - longestWrite
    const recent = new Map([...pending].filter(([, since]) => since > oldest))
    if (recent.size === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      ended = (request) => {
        if (recent.delete(request) && recent.size === 0) resolve()
      }
      context.once("close", () => resolve())
      timer = setTimeout(resolve, Math.max(...recent.values()) - oldest)
    })
    clearTimeout(timer)
  }
}
