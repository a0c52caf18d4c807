/**
 * How a verb of the page fails.
 */
import { Schema } from "effect"

/** What went wrong between the agent and the page. */
export const PageFailureKind = Schema.Literals([
  /** The address could not be loaded: no such host, refused, timed out, or an error status of the server. */
  "navigation",
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
  /** The page or the browser went away. */
  "crash",
  /** More windows were opened than a session may have. */
  "windows",
  /** A page took more memory than it may. */
  "memory",
  /** A download is larger, or there are more of them, than a session may have. */
  "downloads",
  /** The page is so busy with itself that it answers nothing. */
  "unresponsive",
  /** There is no window with this number. */
  "window",
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
