/** What a file of another program became, in the words of the view. */
import type { Schema } from "effect"
import type * as ConvertBody from "../../api/workflow/ConvertBody.ts"

export type Converted = Schema.Schema.Type<typeof ConvertBody.ConvertedWorkflow>
export type Entry = Converted["report"][number]
export type Outcome = Entry["outcome"]

/** Maximum length of a file, in characters. */
export const mostCharacters = 8_000_000

export const outcomeWords: Readonly<Record<Outcome, string>> = {
  kept: "Kept",
  translated: "Translated",
  not_translated: "Not translated"
}

export const formatWords: Readonly<Record<Converted["format"], string>> = {
  "chrome-recorder": "a recording of Chrome",
  "selenium-ide": "a project of Selenium IDE",
  playwright: "Playwright",
  puppeteer: "Puppeteer",
  "ui-vision": "a macro of UI.Vision",
  skyvern: "a workflow of Skyvern",
  automa: "a workflow of Automa",
  n8n: "a workflow of n8n"
}

export const countOf = (report: ReadonlyArray<Entry>, outcome: Outcome): number =>
  report.filter((one) => one.outcome === outcome).length

/** What to say first: how many steps are there, and how many of them need a person. */
export const sentenceOf = ({ format, report }: Pick<Converted, "format" | "report">): string => {
  const steps = report.length === 1 ? "1 step" : `${report.length.toLocaleString("en")} steps`
  const lost = countOf(report, "not_translated")
  const rest =
    lost === 0 ? "all are in the workflow" : lost === 1 ? "1 needs you" : `${lost.toLocaleString("en")} need you`
  return `${steps} from ${formatWords[format]}: ${rest}`
}

/** Why a file is not sent; `null` for one that can be. `size` is in bytes. */
export const refusalOf = (name: string, size: number): string | null =>
  size > mostCharacters
    ? `${name} has ${size.toLocaleString("en")} bytes: expected at most ${mostCharacters.toLocaleString("en")}`
    : null
