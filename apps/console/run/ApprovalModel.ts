/** What a person is shown of an act that waits for an approval. */
import type { ActToApprove } from "../../api/interaction/InteractionsApi.ts"

type Act = typeof ActToApprove.Type

const actions: Readonly<Record<string, string>> = { CLICK: "Click", INPUT_TEXT: "Type", INPUT_SELECT: "Choose" }

/** The facts of an act, what the workflow says of it first. */
export const factsOf = ({ action, element, fields, show, target, values }: Act) => {
  const { address, method, page } = target
  const what = element.text || element.name || element.tag
  const leads = address === null ? [] : [{ name: "Leads to", value: `${(method ?? "get").toUpperCase()} ${address}` }]
  const typed = Object.entries(values).flatMap(([name, value]) =>
    name === "selector" ? [] : [{ name: name === "text" ? "Text" : "Value", value: String(value) }]
  )
  return [
    ...show.map((value, index) => ({
      name: show.length === 1 ? "The workflow says" : `The workflow says (${index + 1})`,
      value
    })),
    { name: "Act", value: `${actions[action] ?? action} “${what}”` },
    ...typed,
    ...leads,
    { name: "Page", value: page },
    ...fields.map(({ name, value }) => ({ name: `Field ${name || "without a name"}`, value }))
  ]
}

/** Where an element is on its picture, as the style of what marks it. */
export const placeOf = ({ height, width, x, y }: NonNullable<Act["box"]>) => {
  const share = (part: number) => `${Math.min(Math.max(part, 0), 1) * 100}%`
  return { left: share(x), top: share(y), width: share(width), height: share(height) }
}
