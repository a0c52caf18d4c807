/** The node for an act on a page, without an id: the same for what is recorded and what is imported. */
import type { Schema } from "effect"
import { type ClickType, literalOf, type PageAct, written } from "./Recording.ts"

export interface RecordedNode {
  readonly action: string
  readonly name: string
  readonly parameters: Schema.JsonObject
}

const clicks: Readonly<Record<ClickType, string>> = {
  click: "Click",
  double_click: "Double-click",
  triple_click: "Triple-click",
  right_click: "Right-click",
  middle_click: "Middle-click",
  hover: "Hover over",
  press: "Hold the button on",
  release: "Release the button on"
}

const short = (text: string): string => (text.length > 50 ? `${text.slice(0, 49)}…` : text)

/** The node of an act. Its name says what it does; `called` is what the element is called there. */
export const of = (act: PageAct, called: string = nameIn(act)): RecordedNode => {
  switch (act._tag) {
    case "Open":
      return {
        action: "NAVIGATE",
        name: `Open ${short(literalOf(act.url) ?? "an address")}`,
        parameters: { url: written(act.url) }
      }
    case "Back":
      return { action: "NAVIGATE", name: "Go back", parameters: { url: "back" } }
    case "Click":
      return {
        action: "CLICK",
        name: `${clicks[act.type]} ${called}`,
        parameters: {
          execution: "STATIC",
          selector: act.element.selectors[0],
          ...(act.type === "click" ? {} : { click_type: act.type }),
          ...act.more
        }
      }
    case "Type":
      return {
        action: "INPUT_TEXT",
        name: act.element === null ? "Type" : `Type into ${called}`,
        parameters: {
          execution: "STATIC",
          ...(act.element === null ? { omit_focus: true } : { selector: act.element.selectors[0] }),
          text: written(act.text),
          ...act.more
        }
      }
    case "Press":
      return {
        action: "INPUT_TEXT",
        name: `Press ${short(act.keys.join(" "))}`,
        parameters: {
          execution: "STATIC",
          ...(act.element === null ? { omit_focus: true } : { selector: act.element.selectors[0], do_not_clear: true }),
          text: act.keys.map((key) => `{{${key}}}`).join("")
        }
      }
    case "Choose":
      return {
        action: "INPUT_SELECT",
        name: `Choose in ${called}`,
        parameters: {
          execution: "STATIC",
          selector: act.element.selectors[0],
          value: written(act.value),
          ...act.more
        }
      }
    case "Do":
      return { action: act.action, name: act.name, parameters: act.parameters }
  }
}

const nameIn = (act: PageAct): string =>
  "element" in act && act.element !== null ? short(act.element.name || act.element.selectors[0]) : ""
