/**
 * The class of a failure: the kind of obstacle, from the code of the failure and the page.
 */
import { inTheWay, isUnsettled, type Survey } from "../../browser/element/Survey.ts"
import { type Category, type Code, kinds, type StepFailed } from "../Failure.ts"
import * as Dismissal from "./Dismissal.ts"
import * as ErrorSubType from "./ErrorSubType.ts"

/** The class of a failure as clients know it, and what led to it in a sentence. */
export interface Classification {
  readonly category: Category
  readonly subType: ErrorSubType.ErrorSubType | null
  readonly description: string
}

/** An action of the account that the page requires first. */
export type Demand = "password" | "twoFactor" | "login"

/** Failures that name their cause, independent of the page. */
export const speaksForItself = (code: Code): boolean =>
  code !== "SELECTOR-E0001" && code !== "SELECTOR-E0002" && code !== "OPTION-E0001" && code !== "EXPECT-E0001"

/**
 * Judges a failure. `survey` is `null` if the page was not examined, and `unseen` says why where it could not be;
 * `typed` is true when the run filled in fields. Texts of the page are quoted after `hide`.
 */
export const of = (
  { alike, code, matched }: Pick<StepFailed, "code" | "matched" | "alike">,
  survey: Survey | null,
  {
    signedIn,
    typed,
    unseen = null,
    hide = (text) => text
  }: {
    readonly signedIn: boolean
    readonly typed: boolean
    readonly unseen?: string | null
    readonly hide?: (text: string) => string
  }
): Classification => {
  const plainly = (
    category: Category,
    description: string,
    subType: ErrorSubType.ErrorSubType | null = null
  ): Classification => ({ category, subType, description })
  const own = ErrorSubType.ofCode(code)
  if (code === "OPTION-E0001" && (alike ?? 0) > 1) {
    const description = `${alike} options are equally like the one that was asked for`
    return plainly("MULTIPLE_MATCHING_RESULTS_FOUND", description, "MULTIPLE_MATCHING_RESULTS_FOUND")
  }
  if (code.startsWith("MODEL-")) return plainly(kinds[code], "A model could not do the step")
  if (speaksForItself(code) || survey === null) {
    const blind = unseen === null ? "" : `. What the page shows is not known, as it could not be looked at: ${unseen}`
    const subType = code === "SELECTOR-E0001" && matched !== undefined ? ofMatches(matched) : own
    return plainly(kinds[code], `${descriptions[kinds[code]]}${blind}`, subType)
  }
  // Cut only after all secrets in it were hidden: half a secret would not be known again.
  const quoted = (text: string) => `"${hide(text).replace(/\s+/g, " ").trim().slice(0, 200)}"`
  const { status } = survey
  const words = `${survey.title}\n${survey.text.slice(0, 2_000)}`
  const demand = demandOf(survey, signedIn)
  if (demand !== null) {
    return plainly(demands[demand].category, demands[demand].description, ErrorSubType.ofCode(demands[demand].code))
  }
  if (status === 404 || status === 410) return plainly("PAGE_NOT_FOUND", `The server answered with status ${status}`)
  if (survey.captcha) return plainly("ACTION_BLOCKED_BY_PLATFORM", "The page asks to solve a captcha")
  if (status === 401 || status === 403 || (isShort(survey) && blocked.test(words))) {
    return plainly("ACTION_BLOCKED_BY_PLATFORM", "The site refuses access to the page", "ACCESS_DENIED")
  }
  const isOut = isShort(survey) && unavailable.test(words)
  if ((status !== null && (status >= 500 || status === 429)) || isOut) {
    const outage = isOut ? ErrorSubType.ofOutage(words) : "HTTP_ERROR"
    const subType = status === null || status < 400 || outage === "MAINTENANCE_DOWNTIME" ? outage : "HTTP_ERROR"
    return plainly("SERVICE_UNAVAILABLE", "The site says that it is not available at this time", subType)
  }
  const overlay = inTheWay(survey)
  if (overlay !== null) {
    const subType = Dismissal.waysOut(overlay).length > 0 ? "DISMISSIBLE" : "DECISION_REQUIRED"
    const missing = code === "EXPECT-E0001" ? "A dialog is open" : "No element matches, and a dialog is open"
    const what = overlay.coversTarget ? "A pop-up is in the way" : missing
    return { category: "UNEXPECTED_UI_STATE", subType, description: `${what}: ${quoted(overlay.text)}` }
  }
  const complaint = complaintOf(survey)
  if (typed && complaint !== null) {
    return plainly("INCORRECT_FORM_INPUTS", `The form complains: ${quoted(complaint)}`, "FIELD_VALIDATION_ERROR")
  }
  if (code === "OPTION-E0001") return plainly(kinds[code], descriptions[kinds[code]], own)
  if (survey.loading) return plainly("PAGE_STILL_LOADING", descriptions.PAGE_STILL_LOADING, "TIMING_RACE")
  if (isUnsettled(survey)) {
    return plainly("ACTION_PERFORMED_TOO_EARLY", descriptions.ACTION_PERFORMED_TOO_EARLY, "TIMING_RACE")
  }
  if (code === "SELECTOR-E0002") return plainly(kinds[code], descriptions[kinds[code]])
  if (code === "EXPECT-E0001") {
    const description = "The page is not as the step expects it to be afterwards"
    return plainly("UPSTREAM_ERROR", description, "SILENT_UPSTREAM_FAILURE")
  }
  const count = matched ?? survey.matched
  return plainly(
    kinds[code],
    count > 1 ? `${count} elements match the selector` : "No element of the page matches the selector",
    ofMatches(count)
  )
}

/** How a selector that has to match one element went wrong, by how many it matches. */
const ofMatches = (count: number): ErrorSubType.ErrorSubType =>
  count > 1 ? "AMBIGUOUS_MATCHES" : count === 1 ? "SELECTOR_MISMATCH" : "SELECTOR_NO_MATCH"

/** The class of a sign-in that the site refused, by what its page says. */
export const ofRefusal = (said: string, hide: (text: string) => string): Classification => ({
  category: "AUTHENTICATION_ERROR",
  subType: ErrorSubType.ofRefusal(said),
  description: `The site refuses to sign the account in: "${hide(said).replace(/\s+/g, " ").trim().slice(0, 200)}"`
})

/** Complaints of a page in or beside the fields that were filled in; `null` when it does not. */
export const complaintOf = ({ alerts, fields }: Survey): string | null => {
  const said = [...fields.map(({ complaint }) => complaint), ...alerts].filter((text) => text !== "")
  return said.length === 0 ? null : [...new Set(said)].join("; ")
}

/** What a page says that refuses to sign an account in: its complaints, or else the first line with words of a refusal. */
export const refusalOf = (survey: Survey): string | null =>
  complaintOf(survey) ??
  survey.text
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line.length <= 300 && refused.test(line)) ??
  null

/** The action that a page requires of the account; `null` when it is another page. */
export const demandOf = ({ passwords, text, title }: Survey, signedIn: boolean): Demand | null => {
  const words = `${title}\n${text.slice(0, 2_000)}`
  const isNew = passwords.filter((name) => newPassword.test(name)).length > 0 || passwords.length > 1
  if (isNew && (changePassword.test(words) || passwords.length > 1) && !register.test(words)) return "password"
  if (setUpTwoFactor.test(words)) return "twoFactor"
  if (signedIn && (passwords.length === 1 ? logIn.test(words) || shortest(text) : signedOut.test(words))) return "login"
  return null
}

export const demands: Readonly<
  Record<Demand, { readonly category: Category; readonly code: Code; readonly description: string }>
> = {
  password: {
    category: "PASSWORD_UPDATE_REQUIRED",
    code: "ACCOUNT-E0001",
    description: "The site asks for a new password before it continues"
  },
  twoFactor: {
    category: "ADDITIONAL_USER_INPUT_REQUIRED",
    code: "ACCOUNT-E0002",
    description: "The site asks to set up two-factor authentication before it continues"
  },
  login: {
    category: "ACCOUNT_LOGGED_OUT",
    code: "ACCOUNT-E0003",
    description: "The site signed the account out: it shows its login page again"
  }
}

const refused =
  /\b(incorrect|invalid|wrong|unknown|not (recogni[sz]ed|found|match)|(do(es)?n['’]t|does not|do not) match|failed|locked|disabled|blocked|denied|expired|too many|try again|falsch|ungültig|gesperrt|fehlgeschlagen|incorrecte?|invalide|incorrect[oa]|errad[oa]|errat[oa])\b/i
const newPassword = /new|neu|confirm|repeat|again|bestätig|wiederhol|nouveau|nueva|nuova|nova/i
const changePassword =
  /password (has )?expired|(change|update|reset|set|choose|create) (a |your )?(new )?password|new password|passwort (ist )?abgelaufen|passwort (ändern|aktualisieren)|neues passwort|mot de passe (a )?expiré|nouveau mot de passe|contraseña (ha )?(caducado|expirado)|nueva contraseña|nuova password|nova senha/i
const register = /create (an |your )?account|sign up|register now|registrieren|créer un compte|crear (una )?cuenta/i
const setUpTwoFactor =
  /(set ?up|enable|activate|turn on|configure|enrol+) (your )?(two|2)[- ]?(factor|step)|(set ?up|enable|configure) (an? |your )?(authenticator|multi[- ]?factor|mfa|2fa)|scan (this|the) qr code.{0,80}(authenticator|app)|(zwei|2)-faktor-authentifizierung (einrichten|aktivieren)|(configurer|activer) (l'authentification à|la double)/is
const logIn =
  /\b(log ?in|sign ?in|anmelden|einloggen|connexion|se connecter|iniciar sesión|accedi|entrar|inloggen|zaloguj|logga in|войти)\b/i
const signedOut =
  /session (has )?(expired|timed out|ended)|you have been (logged|signed) out|please (log|sign) ?in again|sitzung (ist )?abgelaufen|session (a )?expiré|sesión (ha )?(caducado|expirado)/i
const blocked =
  /access (is |was )?denied|you have been blocked|403 forbidden|unusual traffic|verify (that )?you are (a )?human|are you a robot|zugriff verweigert|accès refusé|acceso denegado/i
const unavailable =
  /\b(under |scheduled |down for )?maintenance\b|temporarily unavailable|service unavailable|too many requests|bad gateway|gateway time-?out|internal server error|try again later|wartungsarbeiten|vorübergehend nicht|en maintenance|en mantenimiento|in manutenzione/i

/** Only a short page counts: an error page has little other text. */
const isShort = ({ text }: Survey): boolean => text.length < 1_500

const shortest = (text: string): boolean => text.length < 400

const descriptions = {
  PAGE_NOT_FOUND: "The address leads to no page",
  ACTION_BLOCKED_BY_PLATFORM: "What was asked for is not allowed",
  XPATH_INCORRECT: "The selector does not lead to one element",
  UNEXPECTED_POPUP: "More tabs were opened than a run may have",
  UNEXPECTED_UI_STATE: "The page is not as the workflow expects it",
  INCORRECT_FORM_INPUTS: "An input cannot be used",
  SERVICE_UNAVAILABLE: "The site, or what leads to it, cannot be reached at this time",
  ADDITIONAL_USER_INPUT_REQUIRED: "A person has to answer before it can continue",
  AUTHENTICATION_ERROR: "The account could not be signed in",
  PAGE_STILL_LOADING: "The page was still being loaded",
  ACTION_PERFORMED_TOO_EARLY: "The page was still busy when the step was done",
  PASSWORD_UPDATE_REQUIRED: "The site asks for a new password",
  ACCOUNT_LOGGED_OUT: "The site signed the account out",
  MULTIPLE_MATCHING_RESULTS_FOUND: "Several results match",
  UPSTREAM_ERROR: "An earlier step, or the site, did not do what it seemed to do"
} as const satisfies Readonly<Record<Category, string>>

export const categories = Object.keys(descriptions)
