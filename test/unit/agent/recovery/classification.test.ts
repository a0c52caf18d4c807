import { assert, it } from "@effect/vitest"
import { type Category, type Code, declared } from "../../../../core/agent/Failure.ts"
import * as Classification from "../../../../core/agent/recovery/Classification.ts"
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
    "DISMISSIBLE" | "NON_DISMISSIBLE" | null,
    { signedIn?: boolean; typed?: boolean }
  ]
> = [
  [lost, {}, "XPATH_INCORRECT", null, {}],
  [lost, null, "XPATH_INCORRECT", null, {}],
  ["SELECTOR-E0002", {}, "UNEXPECTED_UI_STATE", null, {}],
  ["SELECTOR-E0003", { busy: true }, "XPATH_INCORRECT", null, {}],
  [lost, { busy: true }, "ACTION_PERFORMED_TOO_EARLY", null, {}],
  [lost, { requests: 2 }, "ACTION_PERFORMED_TOO_EARLY", null, {}],
  [lost, { loading: true }, "PAGE_STILL_LOADING", null, {}],
  [lost, { overlays: [overlay("Close")] }, "UNEXPECTED_UI_STATE", "DISMISSIBLE", {}],
  [lost, { overlays: [overlay("Buy")] }, "UNEXPECTED_UI_STATE", "NON_DISMISSIBLE", {}],
  [lost, { status: 503 }, "SERVICE_UNAVAILABLE", null, {}],
  [lost, { status: 429 }, "SERVICE_UNAVAILABLE", null, {}],
  [lost, { text: "We are down for maintenance" }, "SERVICE_UNAVAILABLE", null, {}],
  [lost, { text: `${long} maintenance contracts, under maintenance` }, "XPATH_INCORRECT", null, {}],
  [lost, { status: 404 }, "PAGE_NOT_FOUND", null, {}],
  [lost, { status: 403 }, "ACTION_BLOCKED_BY_PLATFORM", null, {}],
  [lost, { title: "Access denied" }, "ACTION_BLOCKED_BY_PLATFORM", null, {}],
  [lost, { captcha: true }, "ACTION_BLOCKED_BY_PLATFORM", null, {}],
  [lost, { alerts: ["The number is not valid"] }, "INCORRECT_FORM_INPUTS", null, { typed: true }],
  [lost, { alerts: ["New: dark mode"] }, "XPATH_INCORRECT", null, { typed: false }],
  [lost, { fields: [{ shown: true, complaint: "Too long" }] }, "INCORRECT_FORM_INPUTS", null, { typed: true }],
  [lost, { title: "Sign in", passwords: ["password"] }, "ACCOUNT_LOGGED_OUT", null, { signedIn: true }],
  [lost, { title: "Sign in", passwords: ["password"] }, "XPATH_INCORRECT", null, { signedIn: false }],
  [lost, { text: "Your session has expired" }, "ACCOUNT_LOGGED_OUT", null, { signedIn: true }],
  [lost, { text: "Choose a new password", passwords: ["new", "confirm"] }, "PASSWORD_UPDATE_REQUIRED", null, {}],
  [lost, { text: "Create an account", passwords: ["new", "confirm"] }, "XPATH_INCORRECT", null, {}],
  [lost, { text: "Set up two-factor authentication to go on" }, "ADDITIONAL_USER_INPUT_REQUIRED", null, {}],
  ["OPTION-E0001", {}, "INCORRECT_FORM_INPUTS", null, {}],
  ["NAVIGATION-E0001", { status: 503 }, "PAGE_NOT_FOUND", null, {}],
  ["NAVIGATION-E0003", null, "SERVICE_UNAVAILABLE", null, {}],
  ["NAVIGATION-E0004", null, "PAGE_STILL_LOADING", null, {}],
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
