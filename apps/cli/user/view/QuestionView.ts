/** The question of a run to a person, as text. */
import type { OpenQuestion } from "../../../api/interaction/InteractionsApi.ts"

type Question = typeof OpenQuestion.Type

export const text = ({ approval, current_step, expires_at, message, missing_properties, screenshot_url }: Question) =>
  [
    message,
    `Step: ${current_step}`,
    `Open until: ${expires_at}`,
    ...(missing_properties.length === 0 ? [] : [`Asks for: ${missing_properties.join(", ")}`]),
    ...(screenshot_url === null ? [] : [`Picture: ${screenshot_url}`]),
    ...(approval === null ? [] : ofAct(approval))
  ]
    .map(onOneLine)
    .join("\n")

/** A page can write control characters, which a terminal would obey. */
const onOneLine = (line: string): string => line.replace(/\p{C}+/gu, " ")

const ofAct = ({ by, change, digest, fields, show, target, values }: NonNullable<Question["approval"]>) => [
  ...(change === null ? [] : [`Asked again, because this changed: ${change}`]),
  ...show.map((line) => `The workflow says: ${line}`),
  ...Object.entries(values).map(([name, value]) => `${name}: ${String(value)}`),
  `Page: ${target.page}`,
  ...(target.address === null ? [] : [`Leads to: ${(target.method ?? "get").toUpperCase()} ${target.address}`]),
  ...fields.map(({ name, value }) => `Field ${name}: ${value}`),
  `Decided by: ${by}`,
  `Digest: ${digest}`
]
