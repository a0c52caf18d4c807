import { assert, it } from "@effect/vitest"
import * as Dismissal from "../../../../core/agent/recovery/Dismissal.ts"
import type { Overlay } from "../../../../core/browser/element/Survey.ts"

const overlay = (text: string, labels: ReadonlyArray<string>, more: Partial<Overlay> = {}): Overlay => ({
  signature: text,
  text,
  isDialog: true,
  isAlert: false,
  coversTarget: true,
  coversPage: false,
  buttons: labels.map((label) => ({ label, selector: label })),
  ...more
})

const cookies = "We use cookies to make this site work"

it.each([
  [
    "a cookie banner is refused rather than agreed to",
    cookies,
    ["Accept all", "Reject all", "Settings"],
    ["Reject all", "Accept all"]
  ],
  ["what closes goes before what refuses", cookies, ["Accept", "×"], ["×", "Accept"]],
  ["German", "Diese Website verwendet Cookies", ["Alle akzeptieren", "Einstellungen"], ["Alle akzeptieren"]],
  [
    "French",
    "Nous utilisons des cookies",
    ["Tout accepter", "Continuer sans accepter"],
    ["Continuer sans accepter", "Tout accepter"]
  ],
  ["Spanish", "Usamos cookies propias", ["Aceptar todo"], ["Aceptar todo"]],
  ["a newsletter is declined", "Get 10% off", ["Subscribe", "No, thanks"], ["No, thanks"]],
  ["terms are not accepted where nothing is about cookies", "Terms of sale", ["Accept", "Decline"], []],
  ["a notice with one button is acknowledged", "Your session was extended", ["OK"], ["OK"]],
  ["a question is not", "Delete all orders?", ["OK", "Cancel"], []],
  ["nor a notice that speaks of committing", "Payment will be taken", ["OK"], []],
  [
    "nothing that commits is pressed",
    "Welcome",
    ["Continue", "Buy now", "Sign up", "Weiter", "Supprimer", "Confirm", "Yes", "Accept & subscribe"],
    []
  ],
  ["a longer label is no closing one", "Welcome", ["Close my account", "Skip the queue and pay"], []]
] as const)("%s", (_name, text, labels, expected) => {
  assert.deepStrictEqual(
    Dismissal.waysOut(overlay(text, labels)).map(({ label }) => label),
    [...expected]
  )
})

it("an alert that speaks of committing is left to a person, who chooses by id", () => {
  const alert = overlay("Delete 3 orders permanently?", ["Close", "Delete"], { isAlert: true })
  assert.deepStrictEqual(Dismissal.waysOut(alert), [])
  const actions = Dismissal.actionsOf(alert)
  assert.deepStrictEqual(
    actions.map(({ id }) => Dismissal.buttonOf(alert, id)?.label),
    ["Close", "Delete"]
  )
  for (const id of ["action_0", "action_3", "1", "", "action_1x"]) assert.isUndefined(Dismissal.buttonOf(alert, id))
})
