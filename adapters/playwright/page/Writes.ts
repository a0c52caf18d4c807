/**
 * The requests of a session that change something at a site, and which a server may drop when the browser goes away
 * before it has answered.
 */
import type { BrowserContext, Request } from "playwright-core"

/** How old a request may become that is waited for, in milliseconds. An older one waits for news, or hangs. */
const longestWrite = 5_000

const isWrite = (request: Request): boolean =>
  /^(document|xhr|fetch)$/.test(request.resourceType()) && !/^(GET|HEAD|OPTIONS)$/.test(request.method())

/** Starts to follow the session, and returns what waits until its present writes have ended, at most `longestWrite`. */
export const follow = (context: BrowserContext): (() => Promise<void>) => {
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
  return async () => {
    // Events that the browser sent before its answer have been received then: a request of a moment ago, for one.
    await context.cookies("http://localhost").catch(() => undefined)
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
