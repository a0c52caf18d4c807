/**
 * How a step of a run fails: a code of this service, a class that clients know, and a sentence.
 */
import { Schema } from "effect"
import type { PageFailure, PageFailureKind } from "../browser/PageFailure.ts"
import type { Node } from "../workflow/language/graph/Graph.ts"

/** The failures of the agent, each with the class that clients know as the error category. */
export const kinds = {
  "NAVIGATION-E0001": "PAGE_NOT_FOUND",
  "NAVIGATION-E0002": "ACTION_BLOCKED_BY_PLATFORM",
  "NAVIGATION-E0003": "SERVICE_UNAVAILABLE",
  "NAVIGATION-E0004": "PAGE_STILL_LOADING",
  "ACCOUNT-E0001": "PASSWORD_UPDATE_REQUIRED",
  "ACCOUNT-E0002": "ADDITIONAL_USER_INPUT_REQUIRED",
  "ACCOUNT-E0003": "ACCOUNT_LOGGED_OUT",
  "SELECTOR-E0001": "XPATH_INCORRECT",
  "SELECTOR-E0002": "UNEXPECTED_UI_STATE",
  "SELECTOR-E0003": "XPATH_INCORRECT",
  "OPTION-E0001": "INCORRECT_FORM_INPUTS",
  "BROWSER-E0001": "SERVICE_UNAVAILABLE",
  "TEMPLATE-E0001": "INCORRECT_FORM_INPUTS",
  "TEMPLATE-E0002": "UNEXPECTED_UI_STATE",
  "TRANSFORM-E0001": "UNEXPECTED_UI_STATE",
  "NETWORK-E0001": "UNEXPECTED_UI_STATE",
  "NETWORK-E0002": "UNEXPECTED_UI_STATE",
  "API-E0001": "SERVICE_UNAVAILABLE",
  "API-E0002": "UNEXPECTED_UI_STATE",
  "API-E0003": "ACTION_BLOCKED_BY_PLATFORM",
  "CAPTCHA-E0001": "ACTION_BLOCKED_BY_PLATFORM",
  "CONDITION-E0001": "UNEXPECTED_UI_STATE",
  "INTERACTION-E0001": "ADDITIONAL_USER_INPUT_REQUIRED",
  "APPROVAL-E0001": "ADDITIONAL_USER_INPUT_REQUIRED",
  "APPROVAL-E0002": "ACTION_BLOCKED_BY_PLATFORM",
  "APPROVAL-E0003": "UNEXPECTED_UI_STATE",
  "PROXY-E0001": "SERVICE_UNAVAILABLE",
  "CREDENTIAL-E0001": "AUTHENTICATION_ERROR",
  "CREDENTIAL-E0002": "ACTION_BLOCKED_BY_PLATFORM",
  "LOGIN-E0001": "AUTHENTICATION_ERROR",
  "TFA-E0001": "AUTHENTICATION_ERROR",
  "TFA-E0002": "AUTHENTICATION_ERROR",
  "TFA-E0003": "AUTHENTICATION_ERROR",
  "LIMIT-E0001": "UNEXPECTED_UI_STATE",
  "LIMIT-E0002": "PAGE_STILL_LOADING",
  "MODEL-E0001": "SERVICE_UNAVAILABLE",
  "MODEL-E0002": "SERVICE_UNAVAILABLE",
  "MODEL-E0003": "SERVICE_UNAVAILABLE",
  "MODEL-E0004": "UNEXPECTED_UI_STATE",
  "MODEL-E0005": "UNEXPECTED_UI_STATE",
  "MODEL-E0006": "ACTION_BLOCKED_BY_PLATFORM",
  "LIMIT-E0003": "UNEXPECTED_POPUP",
  "LIMIT-E0004": "UNEXPECTED_UI_STATE",
  "LIMIT-E0005": "UNEXPECTED_UI_STATE",
  "LIMIT-E0006": "PAGE_STILL_LOADING",
  "LIMIT-E0007": "SERVICE_UNAVAILABLE",
  "WINDOW-E0001": "UNEXPECTED_UI_STATE",
  "DOWNLOAD-E0001": "UNEXPECTED_UI_STATE",
  "DOWNLOAD-E0002": "SERVICE_UNAVAILABLE",
  "UPLOAD-E0001": "UNEXPECTED_UI_STATE",
  "UPLOAD-E0002": "INCORRECT_FORM_INPUTS",
  "UPLOAD-E0003": "INCORRECT_FORM_INPUTS",
  "UPLOAD-E0004": "ACTION_BLOCKED_BY_PLATFORM",
  "EXPECT-E0001": "UNEXPECTED_UI_STATE",
  "STRICT-E0001": "UNEXPECTED_UI_STATE",
  OUTPUT_SCHEMA_MISMATCH: "UNEXPECTED_UI_STATE"
} as const

// All keys of a constant record, which the type of `Object.keys` does not say.
export const Code = Schema.Literals(Object.keys(kinds) as Array<keyof typeof kinds>)
export type Code = typeof Code.Type

/** Every class of failures. */
export type Category =
  | (typeof kinds)[Code]
  | "ACTION_PERFORMED_TOO_EARLY"
  | "PASSWORD_UPDATE_REQUIRED"
  | "ACCOUNT_LOGGED_OUT"
  | "MULTIPLE_MATCHING_RESULTS_FOUND"
  | "UPSTREAM_ERROR"

/** Raised by a step that fails. `sentence` names the attempted action and the obstacle. */
export class StepFailed extends Schema.TaggedError<StepFailed>()("StepFailed", {
  code: Code,
  sentence: Schema.String,
  original: Schema.NullOr(Schema.String),
  /** The selector that was in use, and how many elements matched it, where the failure is about an element. */
  selector: Schema.optionalKey(Schema.String),
  matched: Schema.optionalKey(Schema.Int),
  /** How many options matched equally well, where none was chosen for that reason. */
  alike: Schema.optionalKey(Schema.Int),
  /** The alias of the credential that the site refused, where the step knows it. */
  account: Schema.optionalKey(Schema.String),
  /**
   * The selectors of what the step expects in vain, where a pop-up may hide all of it. Absent for other failures, and where
   * something is there that must not be.
   */
  unmet: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Whether the action may have taken effect. */
  acted: Schema.optionalKey(Schema.Boolean),
  /** The model that the step asked, `null` for the default one, and the question. */
  model: Schema.optionalKey(Schema.Struct({ name: Schema.NullOr(Schema.String), prompt: Schema.String }))
}) {
  override get message() {
    return this.sentence
  }
}

/** The same failure with another sentence. */
export const reworded = (failure: StepFailed, sentence: string): StepFailed => new StepFailed({ ...failure, sentence })

/** The same failure of a step that had done something before, so that it must not be done again. */
export const afterActing = (failure: StepFailed): StepFailed => new StepFailed({ ...failure, acted: true })

/** The code of each failure of the page. Those of a navigation say whether to try again: E0003 and E0004 may pass. */
const codes: Record<PageFailureKind, Code> = {
  timeout: "NAVIGATION-E0004",
  unreachable: "NAVIGATION-E0003",
  unavailable: "NAVIGATION-E0003",
  rejected: "NAVIGATION-E0001",
  auth: "NAVIGATION-E0001",
  unresolved: "NAVIGATION-E0001",
  untrusted: "NAVIGATION-E0001",
  replaced: "NAVIGATION-E0001",
  aborted: "NAVIGATION-E0001",
  unloadable: "NAVIGATION-E0001",
  forbidden: "NAVIGATION-E0002",
  foreign: "CREDENTIAL-E0002",
  changed: "APPROVAL-E0003",
  proxy: "PROXY-E0001",
  mismatch: "SELECTOR-E0001",
  unusable: "SELECTOR-E0002",
  option: "OPTION-E0001",
  selector: "SELECTOR-E0003",
  crash: "BROWSER-E0001",
  tabs: "LIMIT-E0003",
  memory: "LIMIT-E0004",
  downloads: "LIMIT-E0005",
  unresponsive: "LIMIT-E0006",
  tab: "WINDOW-E0001",
  download: "DOWNLOAD-E0001",
  upload: "UPLOAD-E0001"
}

/** A failure of the page as the failure of the attempted action. */
export const ofPage = (tried: string, failure: PageFailure): StepFailed => {
  const element = failure.selector === undefined ? "" : ` ${failure.selector}`
  return new StepFailed({
    code: codes[failure.kind],
    sentence: `Cannot ${tried}${element}: ${failure.reason}`,
    original: failure.reason,
    ...(failure.selector === undefined ? {} : { selector: failure.selector }),
    ...(failure.matched === undefined ? {} : { matched: failure.matched }),
    ...(failure.alike === undefined ? {} : { alike: failure.alike }),
    ...(failure.acted === undefined ? {} : { acted: failure.acted })
  })
}

/** Failures whose cause is not the page: the error that a node declares would be wrong for them. */
const ownWordsMislead: ReadonlySet<Code> = new Set([
  "APPROVAL-E0001",
  "APPROVAL-E0002",
  "APPROVAL-E0003",
  "BROWSER-E0001",
  "TEMPLATE-E0001",
  "TEMPLATE-E0002",
  "CREDENTIAL-E0001",
  "CREDENTIAL-E0002",
  "LOGIN-E0001",
  "PROXY-E0001",
  "LIMIT-E0001",
  "LIMIT-E0002",
  "MODEL-E0001",
  "MODEL-E0002",
  "MODEL-E0003",
  "MODEL-E0004",
  "MODEL-E0006",
  "LIMIT-E0003",
  "LIMIT-E0004",
  "LIMIT-E0005",
  "LIMIT-E0006",
  "UPLOAD-E0003",
  "UPLOAD-E0004",
  "NAVIGATION-E0003",
  "ACCOUNT-E0001",
  "ACCOUNT-E0002",
  "ACCOUNT-E0003"
])

/** The error that a node declares for `code`: the id of an error code, or a text; `null` when it declares none. */
export const declared = (node: Node, code: Code): string | null => {
  const parameters: Readonly<Record<string, unknown>> = node.parameters
  const isLost = code.startsWith("SELECTOR-") || (code === "MODEL-E0005" && node.action !== "BOOL_CONDITION")
  const field = isLost
    ? "selector_error_message"
    : code.startsWith("CONDITION-")
      ? "error_on_false_message"
      : "error_message"
  const text = ownWordsMislead.has(code) ? null : parameters[field]
  return typeof text === "string" && text.trim() !== "" ? text : null
}
