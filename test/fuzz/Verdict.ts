/** Judges what became of a request by the description of the interface. */
import { type Described, type Document, judge, operationsOf } from "../support/description.ts"
import type { Filled } from "./Case.ts"
import type { Result } from "./Wire.ts"

export interface Fault {
  readonly kind: "5xx" | "hang" | "dropped" | "undescribed" | "held"
  readonly what: string
  /** The same for faults that probably have one cause. */
  readonly signature: string
}

export interface Verdicts {
  /** The operation that a request is for; `null` when the description has none. */
  readonly operationOf: (method: string, path: string) => Described | null
  /** The fault of an answer; `null` when all is as described. */
  readonly of: (sent: Filled, result: Result) => Fault | null
}

/** Routes beside the described ones. Their answers are their own; what fails there fails as everywhere. */
const beside = /^\/($|(healthz|readyz|openapi\.json|docs|console|live|artifacts|inbound)(\/|$))/

/** The statuses of an address that nothing is served at: it is unknown, or the body cannot be read. */
const elsewhere = new Set([400, 404, 405, 413, 415])

/** The path of an address, which may have a scheme and a host (RFC 9112, 3.2.2). */
const addressOf = (path: string): string => path.replace(/^https?:\/\/[^/?]*/, "").split("?", 1)[0] ?? ""

export const make = (document: Document): Verdicts => {
  const { complaint } = judge(document)
  const operations = operationsOf(document).map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`)
  }))

  const operationOf = (method: string, path: string): Described | null => {
    const address = addressOf(path)
    const fitting = operations.filter((one) => one.operation.method === method && one.pattern.test(address))
    // An address without parameters goes before one that has some.
    fitting.sort((one, other) => one.operation.path.split("{").length - other.operation.path.split("{").length)
    return fitting[0]?.operation ?? null
  }

  const of = (sent: Filled, result: Result): Fault | null => {
    const operation = operationOf(sent.method, sent.path)
    const address = addressOf(sent.path)
    const name =
      operation === null ? `${sent.method} ${beside.exec(address)?.[1] ?? "elsewhere"}` : operation.operationId
    const fault = (kind: Fault["kind"], what: string, detail = ""): Fault => ({
      kind,
      what,
      signature: `${kind} ${name} ${detail}`.trim()
    })
    if (result._tag === "Hung") return fault("hang", "not answered in time")
    if (result._tag === "Dropped") return fault("dropped", `the connection was lost: ${result.reason}`)
    const { headers, status, text } = result
    const shown = text.slice(0, 300)
    // HEAD is answered as GET.
    const described = sent.method === "HEAD" ? operationOf("GET", sent.path) : operation
    // 500 is described so that clients know its form, and is a fault wherever it comes.
    const isExpected5xx = status !== 500 && described?.responses[String(status)] !== undefined
    if (status >= 500 && !isExpected5xx) return fault("5xx", `answered ${status}: ${shown}`, String(status))
    // The HTTP parser refuses a head that is too large, or an address that is none, before any route sees it.
    if (status === 431 && headOf(sent) > 15_000) return null
    if (status === 400 && text === "" && !/^\/[!-~]*$/.test(sent.path)) return null
    if (sent.method === "HEAD") return text === "" ? null : fault("undescribed", "HEAD was answered with a body")
    // The client has the answer already (RFC 9110, 15.4.5).
    if (status === 304 && isConditional(sent)) return text === "" ? null : fault("undescribed", "304 with a body")
    if (operation !== null) {
      const said = status >= 500 ? null : complaint(operation, { status, headers, text })
      return said === null ? null : fault("undescribed", said, String(status))
    }
    if (beside.test(address)) return isErrorOrNone(result) ? null : fault("undescribed", `answered ${status}: ${shown}`)
    if (status >= 300 && status < 400 && /[^/]\/$/.test(address)) return null
    if (!elsewhere.has(status)) {
      return fault("undescribed", `answered ${status} where nothing is described: ${shown}`, String(status))
    }
    return isErrorOrNone(result) ? null : fault("undescribed", `answered ${status} without saying why: ${shown}`)
  }

  return { operationOf, of }
}

const isConditional = ({ headers }: Filled): boolean => headers.some(([name]) => name.toLowerCase() === "if-none-match")

const headOf = ({ headers, path }: Filled): number =>
  path.length + headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)

/** An answer that refuses says so in a body of the common form. */
const isErrorOrNone = ({ headers, status, text }: { status: number; headers: Headers; text: string }): boolean => {
  if (status < 400) return true
  if (!(headers.get("content-type") ?? "").startsWith("application/json")) return text === ""
  try {
    const body = JSON.parse(text) as { readonly statusCode?: unknown; readonly message?: unknown }
    return body.statusCode === status && typeof body.message === "string" && body.message !== ""
  } catch {
    return false
  }
}
