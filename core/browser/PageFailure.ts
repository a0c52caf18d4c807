/**
 * How a verb of the page fails.
 */
import { Schema } from "effect"

/** Why a page did not get to an address. */
export const NavigationCause = Schema.Literals([
  /** The document did not load in time. */
  "timeout",
  /** There was no connection to the server, or it ended before an answer. */
  "unreachable",
  /** The server cannot serve the page now: status 429, or 500 and above. */
  "unavailable",
  /** The server does not serve this page: any other status of an error. `status` says which. */
  "rejected",
  /** The site requires a name and a password by HTTP authentication. */
  "auth",
  /** No host has the name. */
  "unresolved",
  /** The connection is not secure: TLS failed, or the certificate is not trusted. */
  "untrusted",
  /** Another document is taking its place. */
  "replaced",
  /** The load was given up: the server sent no document, or the page stopped it. */
  "aborted",
  /** Anything else that keeps a document from being loaded, such as an answer that is not HTTP. */
  "unloadable"
])
export type NavigationCause = typeof NavigationCause.Type

/** An error between the agent and the page. */
export const PageFailureKind = Schema.Literals([
  ...NavigationCause.literals,
  /** The address is one that workflows may not reach. */
  "forbidden",
  /** The document is one on which this must not be done. */
  "foreign",
  /** The proxy of the session could not be reached, or refused. */
  "proxy",
  /** Not exactly one element matched in time; `matched` says how many did. */
  "mismatch",
  /** The one element never became visible, enabled and still, or does not do what was asked. */
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
  /** The page is so busy with itself that it answers nothing. */
  "unresponsive",
  /** There is no tab with this number. */
  "tab",
  /** No download has begun, or it did not come to its end. */
  "download",
  /** There is nowhere to put a file. */
  "upload"
])
export type PageFailureKind = typeof PageFailureKind.Type

/** Raised by a verb. `reason` says what happened, without the selector or the address. */
export class PageFailure extends Schema.TaggedError<PageFailure>()("PageFailure", {
  kind: PageFailureKind,
  reason: Schema.String,
  selector: Schema.optionalKey(Schema.String),
  matched: Schema.optionalKey(Schema.Int),
  /** How many options of a list fitted equally well, where none was chosen for that. */
  alike: Schema.optionalKey(Schema.Int),
  /** The status that a server answered with, where that is why. */
  status: Schema.optionalKey(Schema.Int),
  /** Whether the action may have taken effect: it failed after it had begun. */
  acted: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return this.reason
  }
}

const causes: ReadonlySet<PageFailureKind> = new Set(NavigationCause.literals)

/** Whether a failure is about getting to an address, and not about what is shown there. */
export const isNavigation = ({ kind }: Pick<PageFailure, "kind">): boolean => causes.has(kind)

/** The failure to load a document whose server answered with the status of an error. */
export const ofStatus = (status: number): PageFailure =>
  new PageFailure({
    kind: status === 429 || status >= 500 ? "unavailable" : "rejected",
    reason: `the server answered with status ${status}`,
    status
  })
