import { assert, it } from "@effect/vitest"
import { type Category, type Code, declared, kinds } from "../../../../core/agent/Failure.ts"
import * as Classification from "../../../../core/agent/recovery/Classification.ts"
import * as ErrorSubType from "../../../../core/agent/recovery/ErrorSubType.ts"
import { empty, type Overlay, type Survey } from "../../../../core/browser/element/Survey.ts"
import { Secrets } from "../../../../core/redaction/Secrets.ts"
import type { NodeOf } from "../../../../core/workflow/language/graph/Graph.ts"

const overlay = (...labels: ReadonlyArray<string>): Overlay => ({
  signature: "x",
  text: "Something new",
  isDialog: true,
  isAlert: false,
  coversTarget: true,
  coversPage: false,
  buttons: labels.map((label) => ({ label, selector: label }))
})

const lost = "SELECTOR-E0001"
const long = "Orders and invoices. ".repeat(100)

const table: ReadonlyArray<
  readonly [
    Code,
    Partial<Survey> | null,
    Category,
    ErrorSubType.ErrorSubType | null,
    { signedIn?: boolean; typed?: boolean }
  ]
> = [
  [lost, {}, "XPATH_INCORRECT", "SELECTOR_NO_MATCH", {}],
  [lost, null, "XPATH_INCORRECT", null, {}],
  ["SELECTOR-E0002", {}, "UNEXPECTED_UI_STATE", null, {}],
  ["SELECTOR-E0003", { busy: true }, "XPATH_INCORRECT", "SELECTOR_MISMATCH", {}],
  [lost, { busy: true }, "ACTION_PERFORMED_TOO_EARLY", "TIMING_RACE", {}],
  [lost, { requests: 2 }, "ACTION_PERFORMED_TOO_EARLY", "TIMING_RACE", {}],
  [lost, { loading: true }, "PAGE_STILL_LOADING", "TIMING_RACE", {}],
  [lost, { overlays: [overlay("Close")] }, "UNEXPECTED_UI_STATE", "DISMISSIBLE", {}],
  [lost, { overlays: [overlay("Buy")] }, "UNEXPECTED_UI_STATE", "DECISION_REQUIRED", {}],
  [lost, { status: 503 }, "SERVICE_UNAVAILABLE", "HTTP_ERROR", {}],
  [lost, { status: 429 }, "SERVICE_UNAVAILABLE", "HTTP_ERROR", {}],
  [lost, { text: "We are down for maintenance" }, "SERVICE_UNAVAILABLE", "MAINTENANCE_DOWNTIME", {}],
  [lost, { status: 503, text: "We are down for maintenance" }, "SERVICE_UNAVAILABLE", "MAINTENANCE_DOWNTIME", {}],
  [lost, { text: "Internal server error" }, "SERVICE_UNAVAILABLE", "APPLICATION_ERROR", {}],
  [lost, { matched: 1 }, "XPATH_INCORRECT", "SELECTOR_MISMATCH", {}],
  [lost, { matched: 3 }, "XPATH_INCORRECT", "AMBIGUOUS_MATCHES", {}],
  ["EXPECT-E0001", {}, "UPSTREAM_ERROR", "SILENT_UPSTREAM_FAILURE", {}],
  [lost, { text: `${long} maintenance contracts, under maintenance` }, "XPATH_INCORRECT", "SELECTOR_NO_MATCH", {}],
  [lost, { status: 404 }, "PAGE_NOT_FOUND", null, {}],
  [lost, { status: 403 }, "ACTION_BLOCKED_BY_PLATFORM", "ACCESS_DENIED", {}],
  [lost, { title: "Access denied" }, "ACTION_BLOCKED_BY_PLATFORM", "ACCESS_DENIED", {}],
  [lost, { captcha: true }, "ACTION_BLOCKED_BY_PLATFORM", null, {}],
  [lost, { alerts: ["The number is not valid"] }, "INCORRECT_FORM_INPUTS", "FIELD_VALIDATION_ERROR", { typed: true }],
  [lost, { alerts: ["New: dark mode"] }, "XPATH_INCORRECT", "SELECTOR_NO_MATCH", { typed: false }],
  [
    lost,
    { fields: [{ shown: true, complaint: "Too long" }] },
    "INCORRECT_FORM_INPUTS",
    "FIELD_VALIDATION_ERROR",
    { typed: true }
  ],
  [
    lost,
    { title: "Sign in", passwords: ["password"] },
    "ACCOUNT_LOGGED_OUT",
    "SILENT_LOGIN_FAILURE",
    { signedIn: true }
  ],
  [lost, { title: "Sign in", passwords: ["password"] }, "XPATH_INCORRECT", "SELECTOR_NO_MATCH", { signedIn: false }],
  [lost, { text: "Your session has expired" }, "ACCOUNT_LOGGED_OUT", "SILENT_LOGIN_FAILURE", { signedIn: true }],
  [lost, { text: "Choose a new password", passwords: ["new", "confirm"] }, "PASSWORD_UPDATE_REQUIRED", null, {}],
  [lost, { text: "Create an account", passwords: ["new", "confirm"] }, "XPATH_INCORRECT", "SELECTOR_NO_MATCH", {}],
  [
    lost,
    { text: "Set up two-factor authentication to go on" },
    "ADDITIONAL_USER_INPUT_REQUIRED",
    "TFA_SETUP_REQUIRED",
    {}
  ],
  ["OPTION-E0001", {}, "INCORRECT_FORM_INPUTS", "NO_MATCHING_OPTION", {}],
  ["NAVIGATION-E0001", { status: 503 }, "PAGE_NOT_FOUND", null, {}],
  ["NAVIGATION-E0003", null, "SERVICE_UNAVAILABLE", "HTTP_ERROR", {}],
  ["NAVIGATION-E0004", null, "PAGE_STILL_LOADING", "TIMING_RACE", {}],
  ["LIMIT-E0001", { overlays: [overlay("Close")] }, "UNEXPECTED_UI_STATE", null, {}]
]

it.each(table)(
  "%s on %o is of the class %s",
  (code, survey, category, subType, { signedIn = false, typed = false }) => {
    const judged = Classification.of({ code }, survey === null ? null : { ...empty, ...survey }, { signedIn, typed })
    assert.deepInclude(judged, { category, subType })
    assert.isNotEmpty(judged.description)
  }
)

/** Categories that clients know from before, with the category of the sub-types that they may have. */
const among: Partial<Record<Category, ReadonlyArray<keyof typeof ErrorSubType.known>>> = {
  PAGE_STILL_LOADING: ["UPSTREAM_ERROR", "SERVICE_UNAVAILABLE"],
  ACTION_PERFORMED_TOO_EARLY: ["UPSTREAM_ERROR"],
  ACTION_BLOCKED_BY_PLATFORM: ["AUTHENTICATION_ERROR"],
  ACCOUNT_LOGGED_OUT: ["AUTHENTICATION_ERROR"],
  ADDITIONAL_USER_INPUT_REQUIRED: ["AUTHENTICATION_ERROR", "UNEXPECTED_UI_STATE"],
  MULTIPLE_MATCHING_RESULTS_FOUND: ["INCORRECT_FORM_INPUTS"]
}

const isKnown = ({ category, subType }: Classification.Classification): boolean => {
  const own: ReadonlyArray<string> = Object.keys(ErrorSubType.known).filter((one) => one === category)
  const all: ReadonlyArray<string> = [...own, ...(among[category] ?? [])]
  const names = Object.entries(ErrorSubType.known).flatMap(([one, types]) => (all.includes(one) ? types : []))
  return subType === null || names.some((name) => name === subType)
}

it("every code has a category, and a sub-type that belongs to it, whatever the page shows", () => {
  // All keys of a constant record, which the type of `Object.keys` does not say.
  for (const code of Object.keys(kinds) as ReadonlyArray<Code>) {
    for (const matched of [undefined, 0, 1, 2]) {
      for (const survey of [null, {}, ...table.map(([, one]) => one)]) {
        const failure = { code, ...(matched === undefined ? {} : { matched }), alike: 2 }
        const shown = survey === null ? null : { ...empty, ...survey }
        const judged = Classification.of(failure, shown, { signedIn: true, typed: true })
        assert.isTrue(isKnown(judged), `${code}: ${judged.category} ${judged.subType}`)
        assert.isNotEmpty(judged.description)
      }
    }
  }
})

it("a sign-in that is refused says whether the account is locked", () => {
  const hide = (text: string) => text
  for (const [said, subType] of [
    ["The password is incorrect", "INVALID_CREDENTIALS"],
    ["Your account has been locked after too many attempts", "ACCOUNT_LOCKED"],
    ["Ihr Konto ist gesperrt", "ACCOUNT_LOCKED"]
  ] as const) {
    assert.deepInclude(Classification.ofRefusal(said, hide), { category: "AUTHENTICATION_ERROR", subType })
  }
})

it("a dialog in which the run has acted, and a bar that covers nothing, are not what is in the way", () => {
  const open = { ...overlay("Close"), coversTarget: false }
  const judged = (one: Overlay) =>
    Classification.of({ code: lost }, { ...empty, overlays: [one] }, { signedIn: false, typed: true })
  assert.deepInclude(judged(open), {
    category: "UNEXPECTED_UI_STATE",
    description: 'No element matches, and a dialog is open: "Something new"'
  })
  assert.strictEqual(judged({ ...open, isOwn: true }).category, "XPATH_INCORRECT")
  assert.strictEqual(judged({ ...open, isDialog: false }).category, "XPATH_INCORRECT")
  assert.include(judged({ ...open, isOwn: true, coversTarget: true }).description, "A pop-up is in the way")
})

it.each([0, 1, 5, 9, 12])(
  "no part of a secret is quoted of a page whose words are cut within it, %i characters of it",
  (kept) => {
    const secrets = new Secrets()
    secrets.add("Vortex-9931-x", "secret")
    const text = `${"a".repeat(200 - kept)}Vortex-9931-x and more`
    const survey: Survey = { ...empty, overlays: [{ ...overlay("Close"), text }] }
    const judged = Classification.of({ code: lost }, survey, { signedIn: false, typed: false, hide: secrets.hide })
    assert.strictEqual(judged.category, "UNEXPECTED_UI_STATE")
    assert.notInclude(judged.description, "V")
  }
)

it("an option that several fit is a separate class", () => {
  const failure = { code: "OPTION-E0001", alike: 3 } as const
  const { category } = Classification.of(failure, null, { signedIn: false, typed: true })
  assert.strictEqual(category, "MULTIPLE_MATCHING_RESULTS_FOUND")
})

it("an element that a model does not find fails in the words that the node has for lost elements", () => {
  const parameters = { selector_error_message: "No button", wait_time: 0 }
  const node: NodeOf<"CLICK"> = { id: "1", name: "Buy", action: "CLICK", parameters }
  assert.deepStrictEqual(
    (["SELECTOR-E0001", "MODEL-E0005", "MODEL-E0002", "NAVIGATION-E0001"] as const).map((code) => declared(node, code)),
    ["No button", "No button", null, null]
  )
})
