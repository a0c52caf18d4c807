/**
 * Which acts cannot be undone, by the words of the page and by the method of what is sent. It errs towards asking a person.
 */
import type { ElementFacts } from "../../browser/element/ElementFacts.ts"

/** What cannot be undone: something is paid for, deleted, or sent. */
export type Deed = "pays" | "deletes" | "sends"

/** Words and phrases in English, German, French, Spanish, Italian, Portuguese and Dutch, in lower case. */
const words: Readonly<Record<Deed, ReadonlyArray<string>>> = {
  pays: [
    ...["pay", "buy", "purchase", "checkout", "check out", "place order", "place your order", "order now", "book now"],
    ...["donate", "subscribe", "transfer", "withdraw", "bezahlen", "zahlen", "jetzt kaufen", "kaufen", "bestellen"],
    ...["kostenpflichtig", "überweisen", "buchen", "payer", "acheter", "commander", "virement", "pagar", "comprar"],
    ...["transferir", "paga", "pagare", "acquista", "compra", "ordina", "betalen", "kopen", "overmaken"]
  ],
  deletes: [
    ...["delete", "remove", "erase", "destroy", "terminate", "deactivate", "unsubscribe", "revoke", "close account"],
    ...["cancel subscription", "cancel order", "cancel booking", "cancel contract", "cancel account", "cancel plan"],
    ...["löschen", "entfernen", "kündigen", "stornieren", "widerrufen", "supprimer", "effacer", "résilier"],
    ...[
      "eliminar",
      "borrar",
      "elimina",
      "cancella",
      "rimuovi",
      "excluir",
      "apagar",
      "remover",
      "verwijderen",
      "opzeggen"
    ]
  ],
  sends: [
    ...["send", "submit", "publish", "confirm", "approve", "accept", "apply now", "senden", "absenden", "abschicken"],
    ...["einreichen", "veröffentlichen", "bestätigen", "genehmigen", "annehmen", "envoyer", "soumettre", "publier"],
    ...["confirmer", "valider", "approuver", "accepter", "enviar", "publicar", "confirmar", "aprobar", "aceptar"],
    ...["invia", "inviare", "pubblica", "conferma", "approva", "verzenden", "versturen", "indienen", "bevestigen"]
  ]
}

const patterns = Object.entries(words).map(
  ([deed, all]) => [deed as Deed, new RegExp(`(?<![\\p{L}\\p{N}])(${all.join("|")})(?![\\p{L}\\p{N}])`, "u")] as const
)

/** The deed that a text names, and the word that does. */
export const named = (text: string): { readonly deed: Deed; readonly word: string } | null => {
  // The words of names such as `payNow` and `delete_all` are parted; a soft hyphen and its like are not seen.
  const read = text
    .slice(0, 5_000)
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replace(/(?<=\p{Ll})(?=\p{Lu})|[_\-/.+?&=#\s]+/gu, " ")
    .toLowerCase()
  for (const [deed, pattern] of patterns) {
    const [word] = pattern.exec(read) ?? []
    if (word !== undefined) return { deed, word }
  }
  return null
}

/** The attributes that say what an element does, to a person or to the program of the page. */
const telling = new Set(["value", "aria-label", "title", "alt", "name", "id", "formaction", "data-action", "onclick"])

/** What an element says about itself: its texts first, then where it leads. */
const sayingsOf = ({ attributes, form, link, tag, text }: ElementFacts): ReadonlyArray<string> => [
  text,
  // The value of a field is what is typed into it, and says nothing about the field.
  ...attributes.flatMap(({ name, value }) =>
    telling.has(name) && (name !== "value" || tag === "button" || isButton(attributes)) ? [value] : []
  ),
  ...(link === null ? [] : [pathOf(link.address)]),
  ...(form === null ? [] : [pathOf(form.address)])
]

const isButton = (attributes: ElementFacts["attributes"]): boolean =>
  attributes.some(({ name, value }) => name === "type" && /^(submit|button|image|reset)$/i.test(value))

/** The path and the query of an address, in clear. */
export const pathOf = (address: string): string => {
  const url = URL.parse(address)
  if (url === null) return address
  const path = `${url.pathname}${url.search}`
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The deed that the words of an element name. */
export const byWords = (facts: ElementFacts): { readonly deed: Deed; readonly word: string } | null => {
  for (const saying of sayingsOf(facts)) {
    const found = named(saying)
    if (found !== null) return found
  }
  return null
}

/** Whether a click on an element sends its form, as far as its document says so. */
export const isSubmit = ({ attributes, form, tag }: ElementFacts): boolean => {
  const type = attributes.find(({ name }) => name === "type")?.value.toLowerCase()
  if (form === null) return false
  return tag === "button"
    ? type !== "button" && type !== "reset"
    : tag === "input" && /^(submit|image)$/.test(type ?? "")
}

/** Whether a form is sent by a method that changes something. */
export const changes = (form: NonNullable<ElementFacts["form"]>): boolean => form.method.toLowerCase() !== "get"
