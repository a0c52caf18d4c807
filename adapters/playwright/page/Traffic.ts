/**
 * The network requests of the pages of a session that show whether a page is still loading.
 */
import type { Page, Request } from "playwright-core"

export interface Traffic {
  /** How many requests a page waits for. */
  readonly inProgress: (page: Page) => number
  /** The last address of a document that a page asked for, as it was led there; `null` where there was none. */
  readonly lastAddress: (page: Page) => string | null
  /** The address of the document of a page whose server asks for a name and a password; `null` where none does. */
  readonly challenge: (page: Page) => string | null
  /** The status of the answer to the last document that a page asked for; `null` where there was none. */
  readonly lastStatus: (page: Page) => Promise<number | null>
  /** The last document that a page has asked for, with the instant of that and the status of its answer, once there is one. */
  readonly lastDocument: (page: Page) => Readonly<LastDocument> | null
}

interface LastDocument {
  readonly request: Request
  readonly began: number
  status: number | null
}

/** Maximum number of documents that are kept for windows that are not there yet. */
const mostComing = 20

/** A request that takes longer is one that waits for news, or hangs, in milliseconds. */
const longestRequest = 15_000

/** An answer that asks for a name and a password. */
export const isChallenge = (status: number, headers: Readonly<Record<string, string>>): boolean =>
  status === 401 && /^(basic|digest|ntlm|negotiate)\b/i.test(headers["www-authenticate"] ?? "")

const matters = /^(document|xhr|fetch|script|stylesheet)$/

/** Starts to watch the session of a page. */
export const make = (first: Page): Traffic => {
  const pending = new Map<Request, number>()
  const context = first.context()
  const documents = new WeakMap<Page, LastDocument>()
  const coming: Array<LastDocument> = []
  const lastOf = (request: Request) => {
    const page = pageOf(request)
    return (
      (page === null ? undefined : documents.get(page)) ??
      coming.find((lastDocument) => lastDocument.request === request)
    )
  }
  context.on("page", (page) => {
    for (const lastDocument of [...coming]) {
      if (pageOf(lastDocument.request) !== page) continue
      documents.set(page, lastDocument)
      coming.splice(coming.indexOf(lastDocument), 1)
    }
  })
  const challenges = new WeakMap<Page, string>()
  const challenged = (request: Request): void => {
    const page = request.isNavigationRequest() && request.method() === "GET" ? pageOf(request) : null
    if (page !== null && documents.get(page)?.request === request) challenges.set(page, request.url())
  }
  context.on("request", (request) => {
    if (!matters.test(request.resourceType())) return
    pending.set(request, Date.now())
    const page = request.isNavigationRequest() ? pageOf(request) : null
    if (page !== null && request.frame() === page.mainFrame()) {
      documents.set(page, { request, began: Date.now(), status: null })
      challenges.delete(page)
    } else if (request.isNavigationRequest() && page === null) {
      // That of a new window begins before the window is there.
      coming.push({ request, began: Date.now(), status: null })
      if (coming.length > mostComing) coming.shift()
    }
  })
  context.on("response", (response) => {
    const request = response.request()
    const status = response.status()
    if (isChallenge(status, response.headers())) challenged(request)
    const last = request.isNavigationRequest() ? lastOf(request) : undefined
    if (last?.request === request) last.status = status
  })
  context.on("requestfinished", (request) => pending.delete(request))
  context.on("requestfailed", (request) => {
    pending.delete(request)
    if (request.failure()?.errorText === "net::ERR_INVALID_AUTH_CREDENTIALS") challenged(request)
  })
  return {
    inProgress: (page) =>
      [...pending].filter(([request, since]) => Date.now() - since < longestRequest && pageOf(request) === page).length,
    challenge: (page) => challenges.get(page) ?? null,
    lastAddress: (page) => documents.get(page)?.request.url() ?? null,
    lastDocument: (page) => documents.get(page) ?? null,
    lastStatus: async (page) => {
      const response = await documents
        .get(page)
        ?.request.response()
        .catch(() => null)
      return response?.status() ?? null
    }
  }
}

/** The page that asks; `null` for one that is not there yet, or is gone. */
const pageOf = (request: Request): Page | null => {
  try {
    return request.frame().page()
  } catch {
    return null
  }
}
