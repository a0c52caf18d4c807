/**
 * The failures of the browser port.
 */
import { Schema } from "effect"

/** Why an address was not loaded. */
export const NavigationCause = Schema.Literals([
  /** The document did not load in time. */
  "timeout",
  /** There was no connection to the server, or it ended before an answer. */
  "unreachable",
  /** The server cannot serve the page now: status 429, or 500 and above. */
  "unavailable",
  /** The server does not serve this page: any other error status, given in `status`. */
  "rejected",
  /** The site requires a name and a password by HTTP authentication. */
  "auth",
  /** The name of the host does not resolve. */
  "unresolved",
  /** The connection is not secure: TLS failed, or the certificate is not trusted. */
  "untrusted",
  /** Another navigation replaced this one. */
  "replaced",
  /** The load was aborted: the server sent no document, or the page stopped it. */
  "aborted",
  /** Any other cause, such as a response that is not HTTP. */
  "unloadable"
])
export type NavigationCause = typeof NavigationCause.Type

/** An error between the agent and the page. */
export const PageFailureKind = Schema.Literals([
  ...NavigationCause.literals,
  /** The network policy refuses the address. */
  "forbidden",
  /** The action is not allowed on this document, for example typing a secret on a foreign site. */
  "foreign",
  /** The element is not what it was when the act on it was approved; nothing was done. */
  "changed",
  /** The proxy of the session could not be reached, or refused. */
  "proxy",
  /** Not exactly one element matched in time; `matched` says how many did. */
  "mismatch",
  /** The element did not become visible, enabled and unmoving, or does not support the action. */
  "unusable",
  /** The list has no such option. */
  "option",
  /** The selector cannot be read. */
  "selector",
  /** The page or the browser closed or crashed. */
  "crash",
  /** More tabs were opened than a session may have. */
  "tabs",
  /** A page took more memory than it may. */
  "memory",
  /** A download is larger, or there are more of them, than a session may have. */
  "downloads",
  /** The page is too busy to respond. */
  "unresponsive",
  /** There is no tab with this number. */
  "tab",
  /** No download began, or it did not complete. */
  "download",
  /** No field or dialog accepts the file. */
  "upload"
])
export type PageFailureKind = typeof PageFailureKind.Type

/** Raised by a verb. `reason` says what happened, without the selector or the address. */
export class PageFailure extends Schema.TaggedError<PageFailure>()("PageFailure", {
  kind: PageFailureKind,
  reason: Schema.String,
  selector: Schema.optionalKey(Schema.String),
  matched: Schema.optionalKey(Schema.Int),
  /** How many options matched equally well, where none was chosen for that reason. */
  alike: Schema.optionalKey(Schema.Int),
  /** What two elements show that should be one. */
  texts: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The HTTP status, where that is the reason. */
  status: Schema.optionalKey(Schema.Int),
  /** Whether the action may have taken effect: it failed after it had begun. */
  acted: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return this.reason
  }
}

const causes: ReadonlySet<PageFailureKind> = new Set(NavigationCause.literals)

/** Whether the failure concerns loading an address rather than the content of a page. */
export const isNavigation = ({ kind }: Pick<PageFailure, "kind">): boolean => causes.has(kind)

/** Whether a page that was answered with this status is no page of the site: nothing goes on from it. */
export const isErrorStatus = (status: number): boolean =>
  status === 404 || status === 410 || status === 429 || status >= 500

/** The failure of a navigation whose response has an error status. */
export const ofStatus = (status: number): PageFailure =>
  new PageFailure({
    kind: status === 429 || status >= 500 ? "unavailable" : "rejected",
    reason: `the server answered with status ${status}`,
    status
  })
