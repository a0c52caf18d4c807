/** Fields that make something else of what is typed: a run either has the right value in the field, or fails. */
import { type Challenge, challenge, failing } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { read, text, type } from "../Workflow.ts"

interface Field {
  readonly name: string
  readonly difficulty: string
  /** The attributes of the field, and what its page does with it as `field`. */
  readonly attributes?: string
  readonly script: string
  readonly typed: string
  readonly more?: Readonly<Record<string, unknown>>
}

const inField = ({ attributes = "", difficulty, more = {}, name, script, typed }: Field) => ({
  name,
  difficulty,
  routes: { "": page(`<input id="field" ${attributes}>${result}`, `const field = $("#field")\n${script}`) },
  workflow: [type("//input", typed, more), read({ held: text("//input") })]
})

/** A field that must hold a value in the end. */
const holds = (field: Field, held: string): Challenge => challenge({ ...inField(field), expected: { held } })

/** A field that cannot hold what is typed: the run fails, and says what it holds. */
const refuses = (field: Field, saying: string): Challenge =>
  challenge({ ...inField(field), expected: failing("UNEXPECTED_UI_STATE", saying) })

/** Sets the value on each input by an expression of `v`. */
const makes = (expression: string): string =>
  `field.oninput = () => { const v = field.value; field.value = ${expression} }`

/** A mask that takes pressed keys only, and each so many milliseconds after the one before. */
const slowMask = (millis: number) => ({
  difficulty: "The field takes pressed keys only, and loses those that come too fast.",
  script: `let kept = "", isBusy = false
    field.oninput = () => { if (field.value === "") kept = ""; field.value = kept }
    field.onkeypress = (event) => {
      event.preventDefault()
      if (isBusy) return
      isBusy = true
      setTimeout(() => { kept += event.key; field.value = kept; isBusy = false }, ${millis})
    }`,
  typed: "4711"
})

export const challenges = [
  refuses({ ...slowMask(2_000), name: "mask that keys are too fast for" }, "may take it with typing_delay_ms"),
  holds({ ...slowMask(10), name: "mask that slow keys fill", more: { typing_delay_ms: 100 } }, "4711"),
  refuses(
    {
      name: "amount of whole numbers",
      difficulty: "The field drops the decimal point, and 12.50 becomes a hundred times as much.",
      script: makes(`v.replace(/[^0-9]/g, "")`),
      typed: "12.50"
    },
    "the field holds 1250 instead of 12.50"
  ),
  refuses(
    {
      name: "amount without a sign",
      difficulty: "The field drops the minus sign of a credit.",
      script: makes(`v.replace(/[^0-9.]/g, "")`),
      typed: "-50"
    },
    "the field holds 50 instead of -50"
  ),
  refuses(
    {
      name: "amount with a decimal comma",
      difficulty: "Only the comma parts decimals; the field drops the point and groups what is left.",
      script: `field.oninput = () => {
        const [whole, part] = field.value.replace(/[^0-9,]/g, "").split(",")
        field.value = whole.replace(/\\B(?=(\\d{3})+$)/g, ".") + (part === undefined ? "" : "," + part)
      }`,
      typed: "1250.50"
    },
    "instead of 1250.50"
  ),
  holds(
    {
      name: "amount shown with its currency",
      difficulty: "The field groups the number and puts the currency before it when it is left.",
      script: `field.onchange = field.onblur = () => {
        const value = Number(field.value.replace(/[^0-9.]/g, ""))
        field.value = "$ " + value.toLocaleString("en-US", { minimumFractionDigits: 2 })
      }`,
      typed: "1250.5"
    },
    "1250.5"
  ),
  refuses(
    {
      name: "amount in cents",
      difficulty: "Digits come in from the right, and the last two are cents: 1250 is shown as 12.50.",
      script: makes(`(Number(v.replace(/\\D/g, "")) / 100).toFixed(2)`),
      typed: "1250"
    },
    "the field holds 12.50 instead of 1250"
  ),
  holds(
    {
      name: "amount in cents, typed with them",
      difficulty: "Digits come in from the right, and the last two are cents.",
      script: makes(`(Number(v.replace(/\\D/g, "")) / 100).toFixed(2)`),
      typed: "12.50"
    },
    "12.50"
  ),
  holds(
    {
      name: "quantity that is never empty",
      difficulty: "An emptied field becomes 1 again, to which a key of 5 would make 15.",
      attributes: `type="number" value="1"`,
      script: makes(`Math.max(1, parseInt(v) || 1)`),
      typed: "5"
    },
    "5"
  ),
  refuses(
    {
      name: "quantity with a maximum",
      difficulty: "The page lowers a quantity to what is in stock.",
      attributes: `type="number" value="1"`,
      script: makes(`Math.min(10, parseInt(v) || 1)`),
      typed: "25"
    },
    "the field holds 10 instead of 25"
  ),
  refuses(
    {
      name: "text that is completed",
      difficulty: "The field completes a text to the first suggestion.",
      script: `field.oninput = () => { if ("Kiel-Holtenau".startsWith(field.value)) field.value = "Kiel-Holtenau" }`,
      typed: "Kie"
    },
    `instead of "Kie"`
  ),
  refuses(
    {
      name: "address that is completed",
      difficulty: "The field completes a name to an address of its domain.",
      attributes: `type="email"`,
      script: `field.onkeyup = () => { if (field.value === "jo") field.value = "jo@example.com" }`,
      typed: "jo"
    },
    "instead of"
  ),
  refuses(
    {
      name: "password in lower case",
      difficulty: "The field lowers the case of a password.",
      attributes: `type="password"`,
      script: makes("v.toLowerCase()"),
      typed: "Passw0rd"
    },
    "the field holds something else than the text that was typed"
  ),
  refuses(
    {
      name: "password without blanks",
      difficulty: "The field trims what is typed, and the password ends with a blank.",
      attributes: `type="password"`,
      script: makes("v.trim()"),
      typed: "correct horse "
    },
    "the field"
  ),
  holds(
    {
      name: "code in capitals",
      difficulty: "The field raises the case of a postal code and puts a blank in.",
      script: makes(`v.toUpperCase().replace(/\\s/g, "").replace(/^(.{3})(.+)/, "$1 $2")`),
      typed: "k1a0b1"
    },
    "K1A 0B1"
  ),
  refuses(
    {
      name: "name without its mark",
      difficulty: "The field drops the apostrophe of a name.",
      script: makes(`v.replace(/[^a-z ]/gi, "")`),
      typed: "O'Brien"
    },
    `the field holds "OBrien" instead of "O'Brien"`
  ),
  refuses(
    {
      name: "name without its umlaut",
      difficulty: "The field turns letters with marks into plain ones.",
      script: makes(`v.normalize("NFD").replace(/[\\u0300-\\u036f]/g, "")`),
      typed: "M\u00fcller"
    },
    "instead of"
  ),
  refuses(
    {
      name: "postal code as a number",
      difficulty: "The field drops the zero at the start of a postal code.",
      script: makes(`v === "" ? "" : String(Number(v))`),
      typed: "01234"
    },
    "the field holds 1234 instead of 01234"
  ),
  refuses(
    {
      name: "date in another order",
      difficulty: "The mask takes the digits of an ISO date one after the other.",
      script: makes(
        `v.replace(/\\D/g, "").slice(0, 8).replace(/^(\\d\\d)(\\d\\d)?(\\d*)$/, (all, a, b, c) => [a, b, c].filter(Boolean).join("/"))`
      ),
      typed: "2026-03-01"
    },
    "instead of"
  ),
  holds(
    {
      name: "date in the words of the page",
      difficulty: "The page writes a date that it understood in its own way.",
      script: `field.onchange = () => { field.value = "Mar 1, 2026" }; field.onkeyup = () => { if (field.value === "2026-03-01") field.value = "03/01/2026" }`,
      typed: "2026-03-01"
    },
    "03/01/2026"
  ),
  refuses(
    {
      name: "amount behind keys",
      difficulty: "The field takes keys alone, and not that of the decimal point.",
      script: `field.onbeforeinput = (event) => { if (event.data === null || event.data.length !== 1 || /\\D/.test(event.data)) { if (event.inputType === "insertText") event.preventDefault() } }`,
      typed: "12.50",
      more: { typing_delay_ms: 2 }
    },
    "the field holds 1250 instead of 12.50"
  )
]
