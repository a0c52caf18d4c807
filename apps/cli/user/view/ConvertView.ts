/** What became of a file of another program, as text. */
import type { ConvertedWorkflow } from "../../../api/workflow/ConvertBody.ts"
import { cell, table } from "./Table.ts"

type Converted = typeof ConvertedWorkflow.Type

export const text = ({ credentials, format, inputs, report, warnings }: Converted): string => {
  const count = (outcome: string) => report.filter((entry) => entry.outcome === outcome).length
  const rows = report.map(({ kind, line, message, outcome, step }) => [
    step,
    line === null ? "" : String(line),
    kind,
    outcome.replace("_", " "),
    message ?? ""
  ])
  return [
    table(["STEP", "LINE", "KIND", "OUTCOME", "WHY"], rows),
    `${format}: ${report.length} steps, ${count("kept")} kept, ${count("translated")} translated, ${count("not_translated")} not translated`,
    ...inputs.map(({ name, reason }) => `Input ${name}: ${reason}`),
    ...credentials.map(({ alias, domain, fields }) => `Credential ${alias} for ${domain}: ${fields.join(", ")}`),
    ...warnings.map(({ message, path }) => `Warning: ${path}: ${cell(message)}`)
  ].join("\n")
}
