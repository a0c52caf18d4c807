/** Macros of UI.Vision, whose commands are those of Selenium IDE under some other names, and of its own. */
import { Result, type Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import type { LinedJson } from "./LinedJson.ts"
import { type Act, literal, lost, type Recording, type Step, step, type Unreadable, type Where } from "./Recording.ts"
import * as SeleniumCommand from "./SeleniumCommand.ts"

export const recognises = (value: Schema.Json): boolean => {
  const { Commands } = Json.objectOf(value)
  return Array.isArray(Commands) && Commands.every((one) => Json.isObject(one) && typeof one.Command === "string")
}

/** Commands under the names that Selenium IDE has for them. */
const names: Readonly<Record<string, string>> = {
  if_v2: "if",
  elseif: "elseIf",
  endif: "end",
  while_v2: "while",
  endWhile: "end",
  clickAndWait: "click",
  selectAndWait: "select"
}

/** Commands of the desktop, of pictures and of the program itself. */
const own =
  /^(?:X|OCR|vision|bringBrowser|bringIDE|csv|localStorage|captureDesktop|prompt|comment|label|goto|gotoIf|run|throw|ai|executeAsync|sourceExtract|sourceSearch|onDownload|onError|proxy|setProxy|clipboard|timerdoc)/

const tab = (tabAction: string, name: string): Act => ({
  _tag: "Do",
  action: "TAB_MANAGEMENT",
  name,
  parameters: { tabAction }
})

/** The step of a command that Selenium IDE does not have, or has in another way; `null` for others. */
const ownStep = (command: string, target: string, value: string, where: Where): Step | null => {
  if (own.test(command)) {
    return lost(
      where,
      "It is a command of the desktop, of pictures or of the program: add an action on the page that does the same"
    )
  }
  if (/^store/.test(command) && value.startsWith("!")) {
    return step(where, [], ["It is a setting of the program, so nothing is done"])
  }
  if (/^capture(?:EntirePage)?Screenshot$/.test(command)) {
    return step(where, [{ _tag: "Do", action: "SCREENSHOT", name: "Take a picture", parameters: {} }])
  }
  if (command === "refresh") {
    return step(
      where,
      [{ _tag: "Open", url: [{ expression: "window.location.href" }] }],
      ["The address is opened again"]
    )
  }
  if (command !== "selectWindow" || !/^tab=(?:open|close)$/i.test(target)) return null
  if (/close/i.test(target)) return step(where, [tab("CLOSE", "Close the tab")])
  const opens: ReadonlyArray<Act> = value.trim() === "" ? [] : [{ _tag: "Open", url: literal(value) }]
  return step(where, [tab("OPEN", "Open a tab"), ...opens])
}

export const read = ({ lineOf, value }: LinedJson): Result.Result<Recording, ReadonlyArray<Unreadable>> => {
  const { Commands, Name } = Json.objectOf(value)
  const commands = (Array.isArray(Commands) ? Commands : []).map((one) => {
    const { Command, Target, Targets, Value } = Json.objectOf(one)
    const command = String(Command)
    const targets = Array.isArray(Targets) ? Targets.map((target) => [target]) : []
    const fields = { command: names[command] ?? command, target: Target, value: Value, targets }
    return { one, command, fields }
  })
  const variables = SeleniumCommand.namesOf(commands.map(({ fields }) => fields))
  const reader = new SeleniumCommand.Reader("", variables)
  const steps = commands.map(({ command, fields, one }, index): Step => {
    const where = { step: `Commands[${index}]`, line: lineOf(one), kind: command.slice(0, 80) }
    const { target, value } = fields
    return ownStep(command, String(target ?? ""), String(value ?? ""), where) ?? reader.read(fields, where)
  })
  return Result.succeed({
    format: "ui-vision",
    name: typeof Name === "string" ? Name : "",
    description: null,
    steps,
    reads: variables.reads()
  })
}
