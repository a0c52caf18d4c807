/**
 * What an alert says, and the forms in which channels take it. Words of pages and workflows are no markup in them.
 */
import type { Schema } from "effect"
import type { Alert, AlertKind } from "./Alert.ts"

/** What is said, without markup. */
export interface AlertWords {
  /** One line. */
  readonly title: string
  readonly lines: ReadonlyArray<string>
}

const happened: Readonly<Record<AlertKind, readonly [one: string, many: string]>> = {
  failed: ["a run failed", "runs failed"],
  person_needed: ["a run waits for a person", "runs wait for a person"],
  not_started: ["a run did not start in time", "runs did not start in time"]
}

/** Maximum lengths in characters: of the name of a workflow in a title, and of what the first occurrence said. */
const longest = { name: 120, text: 1_000 }

/** `console` is the address of the console; `null` where it is not known. */
export const wordsOf = (
  alert: Pick<Alert, "kind" | "workflowName" | "text" | "runIds" | "count" | "firstAt" | "lastAt">,
  console: string | null
): AlertWords => {
  const { count, firstAt, kind, lastAt, runIds, text, workflowName } = alert
  const [one, many] = happened[kind]
  const isOne = count === 1
  const more = count - runIds.length
  return {
    title: `${cut(workflowName, longest.name)}: ${isOne ? one : `${count} ${many}`}`,
    lines: [
      ...(text === null ? [] : [`${isOne ? "" : "The first: "}${cut(text, longest.text)}`]),
      isOne ? `At ${instant(firstAt)}` : `From ${instant(firstAt)} to ${instant(lastAt)}`,
      ...runIds.map((id) => (console === null ? `Run ${id}` : `${console}#/runs/${id}`)),
      ...(more > 0 ? [`and ${more} more`] : [])
    ]
  }
}

const instant = (at: number): string => new Date(at).toISOString()

const cut = (text: string, most: number): string => {
  const line = text.replace(/\s+/gu, " ").trim()
  const all = [...line]
  return all.length > most ? `${all.slice(0, most).join("")}…` : line
}

/** The body of a request to an incoming web hook of Slack. */
export const slackBody = ({ lines, title }: AlertWords): Schema.JsonObject => ({
  text: [`*${forSlack(title).replaceAll("*", "∗")}*`, ...lines.map(forSlack)].join("\n")
})

/** These three characters are all that Slack reads as the beginning of a link, a mention or an entity. */
const forSlack = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** The body of a request to an incoming web hook of Teams: a message with one adaptive card. */
export const teamsBody = ({ lines, title }: AlertWords): Schema.JsonObject => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: [
          { type: "TextBlock", text: forTeams(title), weight: "Bolder", size: "Medium", wrap: true },
          ...lines.map((line) => ({ type: "TextBlock", text: forTeams(line), wrap: true, spacing: "Small" }))
        ]
      }
    }
  ]
})

/** The characters of Markdown that a text block reads. Addresses stay links. */
const forTeams = (text: string): string =>
  /^https?:\/\/\S+$/.test(text) ? text : text.replace(/[\\`*_[\]<>#]/g, "\\$&")

/** The text of a mail. */
export const mailText = ({ lines, title }: AlertWords): string => [title, "", ...lines, ""].join("\n")
