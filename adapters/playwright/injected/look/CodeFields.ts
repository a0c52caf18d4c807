/** Fields that one-time codes are typed into. */
import { nameOf } from "../dom/Names.ts"
import { squeeze } from "../dom/Text.ts"
import { around } from "../dom/Tree.ts"
import { isVisible } from "../dom/Visible.ts"
import { idOf } from "../find/Nodes.ts"

/** Whether an element is a box for a single character. Several in a row take a code. */
export const isBox = (element: Element | undefined): boolean =>
  element instanceof HTMLInputElement && element.maxLength === 1

/** How many boxes take a code. */
const [fewest, most] = [4, 8]

/** How far up the other boxes of a code are searched for. */
const highest = 4

/** All boxes of the code that an element is a box of, in their order; none where it is none. */
export const boxesWith = (element: Element): ReadonlyArray<Element> => {
  if (!isBox(element)) return []
  let outer = around(element)
  for (let height = 0; outer !== null && height < highest; height++) {
    const boxes = [...outer.querySelectorAll("input")].filter((input) => isBox(input) && isVisible(input))
    if (boxes.length >= fewest) return boxes.length <= most ? boxes : []
    outer = around(outer)
  }
  return []
}

/** What sites call a one-time code, in a label or in an attribute whose words are set apart. */
const called = [
  /\b(otp|totp|2fa|mfa|passcode|one[- ]time (code|pass\w*|pin)|two[- ]factor|zwei[- ]faktor)\b/i,
  /\b(verif\w+|authenticat\w+|confirmation|log[- ]?in|sign[- ]?in|security|sms|e-?mail|tan|bestätigung\w*|seguridad|sécurité|sicurezza)[- ]*(code|pin|código|codice)\b/i,
  /\b(bestätigungs|sicherheits|anmelde|einmal)-?(code|kennwort|passwort)\b/i,
  /\b(code|código|codice) (de |di )?(verif\w+|vérif\w+|confirm\w+|seguridad|sécurité|sicurezza|from|sent|that|in your)\b/i,
  /^(please )?(enter )?(the |your )?(([4-8]|four|six|eight)[- ]?digit )?code\W*$/i
]

const words = (attribute: string | null): string =>
  (attribute ?? "").replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_.[\]-]+/g, " ")

/** Whether a person types a one-time code into an element: it says so, is called so, or is a box of one. */
export const takesCode = (element: Element): boolean => {
  if (!(element instanceof HTMLInputElement)) return false
  if (/\bone-time-code\b/.test(element.autocomplete)) return true
  if (!/^(text|tel|number|password|)$/.test(element.type) || /^cc-/.test(element.autocomplete)) return false
  if (boxesWith(element).length > 0) return true
  const texts = [nameOf(element), words(element.getAttribute("name")), words(idOf(element))]
  return texts.some((text) => called.some((pattern) => pattern.test(squeeze(text))))
}
