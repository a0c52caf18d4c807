/** What a model is told: the task in the words of a person, and the page as data. */
import type { Schema } from "effect"
import type { Target, Targets } from "../../browser/vision/Targets.ts"
import * as Json from "../../workspace/Json.ts"

export const instructions = [
  "You build a workflow for a web browser by doing it once: you propose one step at a time, and see what it did to the page. Each step that succeeds becomes a step of the workflow, which later runs without you.",
  "Prefer plain steps: a selector from the list that matches one element and will do so tomorrow, by what the element is rather than by a value of today. Selectors are XPath, or css= and a CSS selector.",
  "For a list, read it, begin a loop over it, do the steps for its first item, and end the loop. Values of the person are inputs, where there is one.",
  "Never type a password or a user name yourself: give the reference of the credential alone. The program decides whether a step may be done; where it says why not, choose another way or give up. It asks the person itself before what cannot be undone.",
  "Do no more than the task says, and finish when the steps do it."
].join(" ")

/** The task, and the names of what its steps may use. */
export const request = (
  task: string,
  { input_schema, vault_schema }: { readonly input_schema: Schema.JsonObject; readonly vault_schema: Schema.JsonObject }
): string => {
  const inputs = Object.keys(Json.objectOf(input_schema.properties)).map((name) => `{{context.inputs.${name}}}`)
  const credentials = Object.entries(vault_schema).map(
    ([alias, one]) =>
      `{{context.inputs.${alias}.USER_NAME}} and {{context.inputs.${alias}.PASSWORD}}, for ${String(Json.objectOf(one).domain)}`
  )
  return [
    task,
    `Inputs: ${inputs.length === 0 ? "none" : inputs.join(", ")}.`,
    `Credentials: ${credentials.length === 0 ? "none" : credentials.join("; ")}.`
  ].join("\n")
}

/** The most characters of the list of elements. */
const longest = 40_000

const short = (text: string): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text)

const lineOf = ({ heading, kind, name, options, role, row, secret, selectors }: Target): string => {
  const way = selectors.find(({ matches }) => matches === 1) ?? selectors[0]
  return [
    `${kind} ${role} ${JSON.stringify(short(name))} ${way?.selector ?? ""}`,
    ...(way === undefined || way.matches === 1 ? [] : [`(matches ${way.matches})`]),
    ...(secret ? ["(password field)"] : []),
    ...(options.length === 0 ? [] : [`options ${short(JSON.stringify(options.slice(0, 20)))}`]),
    ...(heading === null ? [] : [`column ${JSON.stringify(short(heading))}`]),
    ...(row === null ? [] : [`row ${row.selector} (${row.matches}) path ${row.path}`])
  ].join(" ")
}

/** The page and what happened so far, all of which a page may have written. */
export const page = (
  address: string,
  { elements, title }: Targets,
  steps: ReadonlyArray<string>,
  log: ReadonlyArray<string>
): string => {
  const lines: Array<string> = []
  let left = longest
  for (const line of elements.map(lineOf)) {
    if (line.length > left) break
    left -= line.length
    lines.push(line)
  }
  const more = elements.length - lines.length
  return [
    `Steps of the workflow so far: ${steps.join(" > ")}`,
    ...(log.length === 0 ? [] : ["What happened so far:", ...log.map((line) => `- ${line}`)]),
    `The page now is at ${address}, titled ${JSON.stringify(short(title))}. Its elements, each with its selector:`,
    ...lines,
    ...(more > 0 ? [`${more} more elements are not listed.`] : [])
  ].join("\n")
}

/** What an element is called that a selector of the list is for. */
export const calledIn =
  ({ elements }: Targets) =>
  (selector: string): string | null =>
    elements.find(({ selectors }) => selectors.some((way) => way.selector === selector))?.name ?? null
