/**
 * The sub-type of a failure: within its category, what went wrong. It is known from the code, or from what the page shows.
 */
import type { Code } from "../Failure.ts"

/** The sub-types that clients know, by the categories of the interface. */
export const known = {
  AUTHENTICATION_ERROR: [
    "INVALID_CREDENTIALS",
    "MFA_CODE_REJECTED",
    "TFA_SETUP_REQUIRED",
    "ACCOUNT_LOCKED",
    "SILENT_LOGIN_FAILURE",
    "ACCESS_DENIED"
  ],
  INCORRECT_FORM_INPUTS: [
    "NO_MATCHING_OPTION",
    "EMPTY_SELECTOR_VALUE",
    "FIELD_VALIDATION_ERROR",
    "UNRESOLVED_TEMPLATE",
    "PAGINATION_MISSING",
    "MULTIPLE_MATCHING_RESULTS_FOUND"
  ],
  UNEXPECTED_UI_STATE: ["DISMISSIBLE", "DECISION_REQUIRED"],
  XPATH_INCORRECT: ["SELECTOR_NO_MATCH", "AMBIGUOUS_MATCHES", "SELECTOR_MISMATCH", "TABLE_SELECTOR_MISMATCH"],
  UPSTREAM_ERROR: ["PREREQUISITE_NOT_MET", "TIMING_RACE", "TRANSIENT_SITE_ISSUE", "SILENT_UPSTREAM_FAILURE"],
  SERVICE_UNAVAILABLE: ["APPLICATION_ERROR", "ELEMENT_TIMEOUT", "HTTP_ERROR", "MAINTENANCE_DOWNTIME"]
} as const

export const all: ReadonlyArray<string> = Object.values(known).flat()

export type ErrorSubType = (typeof known)[keyof typeof known][number]

/** The sub-type that a code alone tells; `null` where it depends on the page, or there is none. */
const byCode: Readonly<Record<Code, ErrorSubType | null>> = {
  "NAVIGATION-E0001": null,
  "NAVIGATION-E0002": null,
  "NAVIGATION-E0003": "HTTP_ERROR",
  "NAVIGATION-E0004": "TIMING_RACE",
  "APPROVAL-E0001": null,
  "APPROVAL-E0002": null,
  "APPROVAL-E0003": null,
  "ACCOUNT-E0001": null,
  "ACCOUNT-E0002": "TFA_SETUP_REQUIRED",
  "ACCOUNT-E0003": "SILENT_LOGIN_FAILURE",
  "SELECTOR-E0001": null,
  "SELECTOR-E0002": null,
  "SELECTOR-E0003": "SELECTOR_MISMATCH",
  "OPTION-E0001": "NO_MATCHING_OPTION",
  "BROWSER-E0001": null,
  "TEMPLATE-E0001": "UNRESOLVED_TEMPLATE",
  "TEMPLATE-E0002": null,
  "TRANSFORM-E0001": null,
  "NETWORK-E0001": null,
  "NETWORK-E0002": null,
  "API-E0001": "HTTP_ERROR",
  "API-E0002": null,
  "API-E0003": null,
  "CAPTCHA-E0001": null,
  "CONDITION-E0001": null,
  "INTERACTION-E0001": "DECISION_REQUIRED",
  "PROXY-E0001": null,
  "CREDENTIAL-E0001": null,
  "CREDENTIAL-E0002": null,
  "LOGIN-E0001": "INVALID_CREDENTIALS",
  "TFA-E0001": "MFA_CODE_REJECTED",
  "TFA-E0002": null,
  "TFA-E0003": null,
  "LIMIT-E0001": null,
  "LIMIT-E0002": null,
  "MODEL-E0001": null,
  "MODEL-E0002": null,
  "MODEL-E0003": null,
  "MODEL-E0004": null,
  "MODEL-E0005": null,
  "MODEL-E0006": null,
  "LIMIT-E0003": null,
  "LIMIT-E0004": null,
  "LIMIT-E0005": null,
  "LIMIT-E0006": "ELEMENT_TIMEOUT",
  "LIMIT-E0007": null,
  "WINDOW-E0001": null,
  "DOWNLOAD-E0001": null,
  "DOWNLOAD-E0002": null,
  "UPLOAD-E0001": null,
  "UPLOAD-E0002": null,
  "UPLOAD-E0003": null,
  "UPLOAD-E0004": null,
  "EXPECT-E0001": null,
  "STRICT-E0001": null,
  OUTPUT_SCHEMA_MISMATCH: null
}

export const ofCode = (code: Code): ErrorSubType | null => byCode[code]

/** That of a sign-in that the site refused, by what its page says. */
export const ofRefusal = (said: string): ErrorSubType => (locked.test(said) ? "ACCOUNT_LOCKED" : "INVALID_CREDENTIALS")

/** That of a page that says it is not available, by its words. */
export const ofOutage = (words: string): ErrorSubType =>
  maintenance.test(words) ? "MAINTENANCE_DOWNTIME" : "APPLICATION_ERROR"

const locked =
  /\b(locked|blocked|disabled|deactivated|suspended|too many (failed )?(attempts|logins|tries)|gesperrt|deaktiviert|bloqué|désactivé|bloquead[oa]|bloccat[oa]|sospes[oa])\b/i
const maintenance = /maintenance|wartung|mantenimiento|manutenzione|manutenção|onderhoud/i
