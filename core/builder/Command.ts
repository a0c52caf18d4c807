/**
 * The commands of a message, and their two notations: one node of the graph language as JSON, or one line such as
 * `click //button[1]`.
 */
import { Result, Schema } from "effect"
import * as KeyTokens from "../workflow/language/parameters/KeyTokens.ts"
import * as Json from "../workspace/Json.ts"
import { Paging, Patch } from "./DraftPatch.ts"
import * as TaskBudget from "./proposal/TaskBudget.ts"

/** A node in a message. It has no id yet, and its name is optional. */
export const Candidate = Schema.Struct({
  action: Schema.String,
  parameters: Schema.JsonObject,
  name: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String)
})
export type Candidate = typeof Candidate.Type

const Until = Schema.optionalKey(Schema.String)

/** Commands that the host of the page carries out. */
export const PageCommand = Schema.Union([
  /** Carries out an action, and adds it to the draft if it succeeds. */
  Schema.Struct({ _tag: Schema.Literal("Do"), candidate: Candidate }),
  /** Reads what a step would read. The draft and the page do not change. */
  Schema.Struct({ _tag: Schema.Literal("Preview"), candidate: Candidate }),
  /** Carries out the next step of the draft. */
  Schema.Struct({ _tag: Schema.Literal("Next") }),
  /** Carries out the following steps of the draft, up to its end or before the step `until`, given by id or name. */
  Schema.Struct({ _tag: Schema.Literal("Continue"), until: Until }),
  /**
   * Opens the start page again and repeats the steps of the draft, up to the position of the conversation or before the
   * step `until`.
   */
  Schema.Struct({ _tag: Schema.Literal("Replay"), until: Until }),
  /** Carries out the remaining turns of the loop around the next step. Later steps are inserted after the loop. */
  Schema.Struct({ _tag: Schema.Literal("Leave") }),
  /** Repeats one step of the draft, or a whole loop, on the current page. The step is given by id or name. */
  Schema.Struct({ _tag: Schema.Literal("Again"), step: Schema.String }),
  /** Has a model propose steps, one at a time, until they do a task. */
  Schema.Struct({ _tag: Schema.Literal("Describe"), task: Schema.String, budget: TaskBudget.TaskBudget }),
  /** Does the proposed act that waits for a person, and goes on with the task. */
  Schema.Struct({ _tag: Schema.Literal("Agree") }),
  /** Goes on with the task without that act. */
  Schema.Struct({ _tag: Schema.Literal("Decline"), reason: Schema.NullOr(Schema.String) })
])
export type PageCommand = typeof PageCommand.Type

export type Command =
  | PageCommand
  | { readonly _tag: "Undo" }
  | { readonly _tag: "Redo" }
  /** Changes nodes, edges and the position together, as one change. */
  | { readonly _tag: "Edit"; readonly patch: Patch }
  | { readonly _tag: "Drop" }
  /** Connects a branch that ends the workflow to the node after the other branch of its condition. */
  | { readonly _tag: "Join" }
  /** Repeats steps on every page, with an element that leads to the next page. */
  | { readonly _tag: "Pages"; readonly paging: Paging }
  /** Sets what a step of the draft expects; `null` for nothing. The step is given by id or name. */
  | { readonly _tag: "Expect"; readonly step: string; readonly expect: Schema.JsonObject | null }
  /** Adds an input, with its value in this conversation. */
  | { readonly _tag: "Input"; readonly name: string; readonly value: string }
  /** Answers the questions of steps that ask for a value of this name, in this conversation alone. */
  | { readonly _tag: "Answer"; readonly name: string; readonly value: string }
  /** Adds a credential of the vault by an alias, and the user as whom this conversation signs in. */
  | { readonly _tag: "Credential"; readonly alias: string; readonly site: string; readonly user: string }
  | { readonly _tag: "Help" }
  | { readonly _tag: "Save"; readonly note: string | null }

/** The grammar, which the command `help` shows. */
export const help = `A message is one action. It is carried out on the page, and becomes the next step of the workflow if it succeeds.

  navigate ADDRESS           open an address, absolute or relative to the page
  back                       go back in the history
  click SELECTOR             also: double-click, right-click, hover
  type SELECTOR = TEXT       replace the text of a field
  press KEY                  press a key such as enter, tab or escape
  select SELECTOR = VALUE    choose the option with this value or text
  extract JSON               read what a data model describes, such as
                             extract {"type":"object","properties":{"title":{"type":"string","path":"//h1"}}}
  screenshot                 take a screenshot
  delay SECONDS              wait

or a node of the graph language as JSON, {"action":"CLICK","parameters":{"selector":"//button"},"name":"Sign in"}.

  preview JSON               read what such a node with the action EXTRACT_DATAMODEL would read; it becomes no step

  check XPATH                continue if this element exists, and end the workflow if not. A BOOL_CONDITION as JSON does
                             the same with any condition. The next steps belong to the branch that the page takes now
  join                       connect this branch to the node after the other branch of the check
  loop EXPRESSION as NAME    repeat the next steps for each item of a list, such as
                             loop context.orders as order; they read {{context.runtime.order}}

The steps after a LOOP are carried out in its first turn, and repeated for each item, until leave.

  describe TASK              have a model do a task on the page, one step at a time, such as
                             describe open the invoices, and download each open one
                             {"task":TASK,"calls":60,"tokens":400000,"seconds":600} bounds what it may spend
  yes                        do the act that waits for you: it cannot be undone
  no [REASON]                go on with the task without that act

  next                       carry out the next step of the workflow
  continue [STEP]            carry out the following steps, up to the end, or before the step with this name or id
  drop                       remove the next step from the workflow
  edit JSON                  change steps by their ids, add and remove them, or go to another place; nothing is carried
                             out. {"nodes":{ID:NODE or null},"edges":{ID:EDGES or null},"cursor":{"after":ID,"way":"to"}}
  undo                       undo the last change of the workflow; the page does not change
  redo                       make the change again that was undone last
  replay [STEP]              open the start page and repeat the steps, up to here, or before the step with this name or id
  again STEP                 repeat the step with this name or id, or a whole loop; the workflow does not change
  leave                      carry out the remaining turns of the loop; later steps are added after the loop
  pages SELECTOR             while this element exists, click it and repeat the last step, after a loop the loop; nothing is
                             carried out now. {"selector":SELECTOR,"from":STEP,"most":3} repeats from another step, on at
                             most 3 pages; "rows":XPATH ends it where all rows stay the same, and "below":true is for
                             rows that come below the others: they are loaded first, and the step is done once
  expect STEP = JSON         say what must be true after the step with this name or id, such as
                             expect Pay = {"type":"address","contains":"/paid"}; expect STEP = none takes it away
  input NAME = VALUE         add an input, then available as {{context.inputs.NAME}}; the value is for this conversation
  answer NAME = VALUE        answer the steps that ask a person for this, such as TFA for the code, in this conversation;
                             the workflow does not change, and the messages do not keep the value
  credential ALIAS SITE = USER
                             add a credential of the vault, then available as {{context.inputs.ALIAS.PASSWORD}}
  save [NOTE]                save the workflow
  help                       this text

A SELECTOR is an XPath, or css=, role= or text= and a selector of that kind; exactly one element must match it. The space
around = counts: the text begins after the first " = " outside of brackets and quotes. Inputs are written
{{context.inputs.NAME}}, and extracted values {{context.NAME}}.`

/** Parses a message. Fails with a sentence that names what is accepted. */
export const parse = (text: string): Result.Result<Command, string> => {
  const line = text.trim()
  if (line.startsWith("{")) return node(line)
  const [, word = "", rest = ""] = /^(\S+)\s*([\s\S]*)$/.exec(line) ?? []
  const read = Object.hasOwn(words, word.toLowerCase()) ? words[word.toLowerCase()] : undefined
  if (read !== undefined) return read(rest.trim())
  return Result.fail(
    line === ""
      ? "Cannot read an empty message: expected one action, such as click //button[1]; help lists them"
      : `Cannot read "${word.slice(0, 80)}": expected one of ${Object.keys(words).join(", ")}, or a node as JSON; help explains them`
  )
}

type Read = (rest: string) => Result.Result<Command, string>

const act = (action: string, parameters: Schema.JsonObject): Result.Result<Command, string> =>
  Result.succeed({ _tag: "Do", candidate: { action, parameters } })

const alone =
  (command: Command): Read =>
  (rest) =>
    rest === ""
      ? Result.succeed(command)
      : Result.fail(`Cannot read "${rest.slice(0, 80)}": expected nothing after this command`)

/** A command with a required argument. */
const filled =
  (expected: string, read: Read): Read =>
  (rest) =>
    rest === "" ? Result.fail(`Expected ${expected}`) : read(rest)

const clicking = (word: string, click_type: string): Read =>
  filled(`${word} SELECTOR, such as ${word} //button[1]`, (selector) =>
    act("CLICK", { execution: "STATIC", selector, ...(click_type === "click" ? {} : { click_type }) })
  )

const pair = (
  word: string,
  value: string,
  first: string,
  read: (first: string, value: string) => Result.Result<Command, string>
) =>
  filled(`${word} ${first} = ${value}`, (rest) => {
    const [before, given] = split(rest)
    if (before === "" || given === null) {
      return Result.fail(`Expected ${word} ${first} = ${value}, with a space on each side of the =`)
    }
    return read(before, given)
  })

const words: Readonly<Record<string, Read>> = {
  navigate: filled("navigate ADDRESS, such as navigate https://example.com", (url) => act("NAVIGATE", { url })),
  back: (rest) => (rest === "" ? act("NAVIGATE", { url: "back" }) : Result.fail("Expected nothing after back")),
  click: clicking("click", "click"),
  "double-click": clicking("double-click", "double_click"),
  "right-click": clicking("right-click", "right_click"),
  hover: clicking("hover", "hover"),
  type: pair("type", "TEXT", "SELECTOR", (selector, text) =>
    act("INPUT_TEXT", { execution: "STATIC", selector, text })
  ),
  press: filled("press KEY, such as press enter", (key) => {
    const read = KeyTokens.read(key)
    return read !== null && Result.isSuccess(read)
      ? act("INPUT_TEXT", { execution: "STATIC", omit_focus: true, text: `{{${key.trim().toLowerCase()}}}` })
      : Result.fail(`Expected the name of a key, such as enter, tab or Ctrl+S, got "${key.slice(0, 80)}"`)
  }),
  select: pair("select", "VALUE", "SELECTOR", (selector, value) =>
    act("INPUT_SELECT", { execution: "STATIC", selector, value })
  ),
  extract: filled("extract JSON, where the JSON is a data model", (json) =>
    Result.flatMap(object(json), (extract_data_model) =>
      act("EXTRACT_DATAMODEL", { execution: "STATIC", extract_data_model })
    )
  ),
  check: filled("check XPATH, such as check //h1[.='Orders']", (xpath) =>
    xpath.startsWith("/") || xpath.startsWith("(")
      ? act("BOOL_CONDITION", {
          execution: "STATIC",
          comparison_operator: "IS_NOT_NULL",
          comparison_value_1: `<<xpath:${xpath}>>`
        })
      : Result.fail(`Expected an XPath, such as //h1, got "${xpath.slice(0, 80)}"`)
  ),
  join: alone({ _tag: "Join" }),
  loop: filled("loop EXPRESSION as NAME, such as loop context.orders as order", (rest) => {
    const words = rest.split(/\s+/)
    const item = words.at(-1) ?? ""
    const over =
      words.at(-2) === "as" ? rest.slice(0, rest.lastIndexOf("as", rest.length - item.length - 1)).trim() : ""
    if (over === "" || !/^[A-Za-z_]\w{0,63}$/.test(item))
      return Result.fail("Expected loop EXPRESSION as NAME, where NAME is of letters, digits and _")
    const variable_over = over.startsWith("{{") || /^\d+$/.test(over) ? over : `{{${over}}}`
    return act("LOOP", { variable_over, variable_current_item: item, variable_current_index: `${item}_index` })
  }),
  screenshot: (rest) => (rest === "" ? act("SCREENSHOT", {}) : Result.fail("Expected nothing after screenshot")),
  delay: filled("delay SECONDS, such as delay 1", (seconds) =>
    /^\d+(\.\d+)?$/.test(seconds)
      ? act("DELAY", { delay_time: Number(seconds) })
      : Result.fail(`Expected a number of seconds, got "${seconds.slice(0, 80)}"`)
  ),
  preview: filled("preview JSON, where the JSON is a node with the action EXTRACT_DATAMODEL", (json) =>
    Result.flatMap(candidate(json), (candidate) =>
      candidate.action === "EXTRACT_DATAMODEL"
        ? Result.succeed({ _tag: "Preview", candidate })
        : Result.fail(
            `Cannot preview the action "${candidate.action.slice(0, 80)}": expected EXTRACT_DATAMODEL, which only reads`
          )
    )
  ),
  describe: filled("describe TASK, such as describe open the invoices", (text) =>
    text.startsWith("{")
      ? Result.flatMap(object(text), describing)
      : Result.succeed({ _tag: "Describe", task: text, budget: TaskBudget.usual })
  ),
  yes: alone({ _tag: "Agree" }),
  no: (reason) => Result.succeed({ _tag: "Decline", reason: reason === "" ? null : reason }),
  next: alone({ _tag: "Next" }),
  continue: (until) => Result.succeed({ _tag: "Continue", ...(until === "" ? {} : { until }) }),
  drop: alone({ _tag: "Drop" }),
  edit: filled('edit JSON, such as edit {"nodes":{},"edges":{}}', (json) =>
    Result.flatMap(object(json), (value) =>
      asPatch(value).pipe(
        Result.map((patch): Command => ({ _tag: "Edit", patch })),
        Result.mapError(
          () =>
            'Cannot read the change: expected {"nodes":{…},"edges":{…}} with a node, edges or null by their ids, and {"after":"…","way":"to"} as cursor'
        )
      )
    )
  ),
  undo: alone({ _tag: "Undo" }),
  redo: alone({ _tag: "Redo" }),
  replay: (until) => Result.succeed({ _tag: "Replay", ...(until === "" ? {} : { until }) }),
  leave: alone({ _tag: "Leave" }),
  expect: pair("expect", "JSON", "STEP", (step, text) =>
    text.trim() === "none"
      ? Result.succeed({ _tag: "Expect", step, expect: null })
      : Result.map(
          object(text),
          (given): Command => ({
            _tag: "Expect",
            step,
            expect: Object.hasOwn(given, "conditions") ? given : { conditions: [given] }
          })
        )
  ),
  input: pair("input", "VALUE", "NAME", (name, value) => Result.succeed({ _tag: "Input", name, value })),
  answer: pair("answer", "VALUE", "NAME", (name, value) =>
    /^[A-Za-z_]\w{0,63}$/.test(name)
      ? Result.succeed({ _tag: "Answer", name, value: value.trim() })
      : Result.fail("Expected answer NAME = VALUE, where NAME is of letters, digits and _")
  ),
  credential: pair("credential", "USER", "ALIAS SITE", (named, user) => {
    const [, alias = "", site = ""] = /^(\S+)\s+(\S+)$/.exec(named) ?? []
    return URL.parse(site) !== null && /^https?:/.test(site) && user.trim() !== ""
      ? Result.succeed({ _tag: "Credential", alias, site: new URL(site).origin, user: user.trim() })
      : Result.fail("Expected credential ALIAS SITE = USER, such as credential BANK https://bank.example = clerk")
  }),
  again: filled("again STEP, where STEP is the name or the id of a step", (step) =>
    Result.succeed({ _tag: "Again", step })
  ),
  pages: filled("pages SELECTOR, such as pages //a[@rel='next']", (rest) =>
    Result.flatMap(rest.startsWith("{") ? object(rest) : Result.succeed({ selector: rest }), (given) =>
      asPaging(given).pipe(
        Result.mapError(
          () =>
            'Cannot read the pages: expected {"selector":"//a","from":"…","rows":"//tr","below":true,"most":3}, with from 2 to 10000 as most'
        ),
        Result.flatMap((paging) =>
          !isXPath(paging.selector)
            ? Result.fail(`Expected an XPath that leads to the next page, got "${paging.selector.slice(0, 80)}"`)
            : paging.rows !== undefined && !isXPath(paging.rows)
              ? Result.fail(`Expected an XPath of the rows, got "${paging.rows.slice(0, 80)}"`)
              : Result.succeed<Command>({ _tag: "Pages", paging })
        )
      )
    )
  ),
  save: (note) => Result.succeed({ _tag: "Save", note: note === "" ? null : note }),
  help: alone({ _tag: "Help" })
}

/** Splits at the first ` = ` that is outside of brackets and quotes; the value may be empty. */
const split = (text: string): readonly [selector: string, value: string | null] => {
  let depth = 0
  let quote: string | null = null
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (quote !== null) quote = character === quote ? null : quote
    else if (character === "'" || character === '"') quote = character
    else if (character === "[" || character === "(") depth++
    else if (character === "]" || character === ")") depth--
    else if (depth === 0 && /^\s=(\s|$)/.test(text.slice(at, at + 3))) {
      return [text.slice(0, at).trim(), text.slice(at + 3)]
    }
  }
  return [text.trim(), null]
}

const isXPath = (selector: string): boolean => /^[/(]/.test(selector)

const asPaging = Schema.decodeUnknownResult(Paging)

const asBudget = Schema.decodeUnknownResult(TaskBudget.TaskBudget)

const describing = ({ task, ...given }: Schema.JsonObject): Result.Result<Command, string> => {
  const budget = asBudget({ ...TaskBudget.usual, ...given })
  const isWhole = typeof task === "string" && task.trim() !== "" && Result.isSuccess(budget)
  return isWhole && Object.keys(given).every((name) => Object.hasOwn(TaskBudget.usual, name))
    ? Result.succeed({ _tag: "Describe", task: task.trim(), budget: budget.success })
    : Result.fail(
        'Cannot read the task: expected {"task":"…","calls":60,"tokens":400000,"seconds":600}, with whole numbers up to 1000 calls, 10000000 tokens and 3600 seconds'
      )
}

const asPatch = Schema.decodeUnknownResult(Patch)

const asCandidate = Schema.decodeUnknownResult(Candidate)

const object = (json: string): Result.Result<Schema.JsonObject, string> => {
  let value: Schema.Json
  try {
    value = Json.parse(json)
  } catch (error) {
    return Result.fail(`Cannot read the JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  return Json.isObject(value) ? Result.succeed(value) : Result.fail("Cannot read the JSON: expected an object")
}

const node = (json: string): Result.Result<Command, string> =>
  Result.map(candidate(json), (candidate) => ({ _tag: "Do", candidate }))

const candidate = (json: string): Result.Result<Candidate, string> =>
  Result.flatMap(object(json), (value) =>
    asCandidate({ parameters: {}, ...withoutNulls(value) }).pipe(
      Result.mapError(
        () =>
          'Cannot read the node: expected {"action":"CLICK","parameters":{…}}, and a name and a description where they are texts'
      )
    )
  )

/** Removes fields that are `null`, which is the same as absent. */
const withoutNulls = (value: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
