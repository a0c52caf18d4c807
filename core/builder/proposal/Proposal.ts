/**
 * What a model may propose next: one step, or the end of a loop or of the task. Its tools are made from the schemas of the
 * actions; it has none to save, to agree or to spend.
 */
import { JsonSchema, Result, Schema } from "effect"
import type { Tool } from "../../agent/model/Model.ts"
import { parameters } from "../../workflow/language/graph/Action.ts"
import * as Json from "../../workspace/Json.ts"
import type { Candidate } from "../Command.ts"

export type Proposal =
  | { readonly _tag: "Step"; readonly candidate: Candidate }
  /** Shows another part of the page. It becomes no step. */
  | { readonly _tag: "Look"; readonly direction: "down" | "up" }
  | { readonly _tag: "Leave" }
  | { readonly _tag: "Finish"; readonly reason: string }
  | { readonly _tag: "GiveUp"; readonly reason: string }

interface StepTool {
  readonly action: "NAVIGATE" | "CLICK" | "INPUT_TEXT" | "INPUT_SELECT" | "EXTRACT_DATAMODEL" | "LOOP"
  readonly description: string
  /** The parameters of the action that are proposed; those that end with ? may be left out. */
  readonly proposed: ReadonlyArray<string>
  /** Those that every step of it has. */
  readonly fixed: Schema.JsonObject
}

const still = { execution: "STATIC" } as const

const steps: Readonly<Record<string, StepTool>> = {
  open: {
    action: "NAVIGATE",
    description: "Open an address of the sites of the task, or go back with the address back.",
    proposed: ["url"],
    fixed: {}
  },
  click: {
    action: "CLICK",
    description: "Click one element. A click that has the browser download a file keeps that file.",
    proposed: ["selector"],
    fixed: still
  },
  type: {
    action: "INPUT_TEXT",
    description:
      "Type into a field: a text, {{context.inputs.NAME}}, or alone the reference of a credential. With submit_after_input, press Enter.",
    proposed: ["selector", "text", "submit_after_input?"],
    fixed: still
  },
  choose: {
    action: "INPUT_SELECT",
    description: "Choose an option of a list by its value or text.",
    proposed: ["selector", "value"],
    fixed: still
  },
  read: {
    action: "EXTRACT_DATAMODEL",
    description:
      'Read data by paths, such as {"type":"object","properties":{"invoices":{"type":"array","path":"//tbody/tr","items":{"type":"object","properties":{"number":{"type":"string","path":"/td[1]"}}}}}}. A path may end with an attribute, as /td[2]/a/@href. The names are those of later steps: {{context.invoices}}.',
    proposed: ["extract_data_model"],
    fixed: still
  },
  for_each: {
    action: "LOOP",
    description:
      "Begin a loop over a list that was read, such as {{context.invoices}}. The next steps are done for its first item now, and for the others with end_for_each. They read {{context.runtime.ITEM.FIELD}}; (//tbody/tr)[{{context.runtime.INDEX + 1}}] is the row of a turn.",
    proposed: ["variable_over", "variable_current_item", "variable_current_index"],
    fixed: {}
  },
  read_by_judgement: {
    action: "EXTRACT_DATAMODEL",
    description:
      "Only where no path and no plain step can do it: have a model read data by an instruction in each run. A workflow has at most one such step.",
    proposed: ["prompt", "extract_data_model"],
    fixed: { execution: "LLM_DOM" }
  }
}

const object = (properties: Schema.JsonObject, required = Object.keys(properties)): Schema.JsonObject => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

/** Texts that parameters have beside their schema, which is that of any value or admits none. */
const texts: Readonly<Record<string, Schema.JsonObject>> = {
  variable_over: { type: "string", minLength: 1, maxLength: 200 }
}

/** The schema of a parameter as a proposal has it: there, and not null. */
const given = (schema: Schema.Json | undefined): Schema.Json => {
  const { anyOf } = Json.objectOf(schema)
  const [first, ...others] = Array.isArray(anyOf) ? anyOf.filter((one) => Json.objectOf(one).type !== "null") : []
  return (others.length === 0 ? first : undefined) ?? schema ?? {}
}

interface Document {
  readonly schema: { readonly properties: Schema.JsonObject }
  readonly definitions: Schema.JsonObject
}

const toolOf = (name: string, { action, description, proposed }: StepTool): Tool => {
  const schema: Schema.Codec<unknown> = parameters[action]
  // The document of a schema is JSON.
  const document = JsonSchema.toDocumentDraft07(Schema.toJsonSchemaDocument(schema)) as unknown as Document
  const { properties } = document.schema
  const names = proposed.map((one) => one.replace("?", ""))
  const own = Object.fromEntries(names.map((one) => [one, texts[one] ?? given(properties[one])]))
  // Only what is proposed refers to definitions.
  const definitions = JSON.stringify(own).includes("#/definitions/") ? { definitions: document.definitions } : {}
  const required = proposed.filter((one) => !one.endsWith("?"))
  return { name, description, parameters: { ...object(own, required), ...definitions } }
}

const reason = { reason: { type: "string", maxLength: 1_000 } }

const others: ReadonlyArray<Tool> = [
  {
    name: "scroll",
    description: "See another part of the page. It is no step.",
    parameters: object({ direction: { type: "string", enum: ["down", "up"] } })
  },
  {
    name: "end_for_each",
    description: "End the loop: its steps are done for the other items now, and later steps come after it.",
    parameters: object({})
  },
  {
    name: "finish",
    description: "Say that the steps do the whole task. They are then tried in a new session.",
    parameters: object(reason)
  },
  { name: "give_up", description: "Say why the task cannot be done.", parameters: object(reason) }
]

/** All tools. */
export const tools: ReadonlyArray<Tool> = [...Object.entries(steps).map(([name, one]) => toolOf(name, one)), ...others]

/** Where elements of the page stand, and what they are called there. */
export type Called = (selector: string) => string | null

/** The proposal in a call of a tool whose parameters satisfy its schema. Fails with what is wrong beside that. */
export const read = (tool: string, sent: Schema.JsonObject, called: Called): Result.Result<Proposal, string> => {
  const step = Object.hasOwn(steps, tool) ? steps[tool] : undefined
  if (step !== undefined) {
    const filled: Schema.JsonObject = { ...sent, ...step.fixed }
    const name = nameOf(step.action, filled, called)
    return Result.succeed({
      _tag: "Step",
      candidate: { action: step.action, parameters: filled, ...(name === null ? {} : { name }) }
    })
  }
  const why = String(sent.reason ?? "")
  switch (tool) {
    case "scroll":
      return Result.succeed({ _tag: "Look", direction: sent.direction === "up" ? "up" : "down" })
    case "end_for_each":
      return Result.succeed({ _tag: "Leave" })
    case "finish":
      return Result.succeed({ _tag: "Finish", reason: why })
    case "give_up":
      return Result.succeed({ _tag: "GiveUp", reason: why })
    default:
      return Result.fail(`There is no tool ${tool.slice(0, 80)}`)
  }
}

const short = (text: string): string => (text.length > 50 ? `${text.slice(0, 49)}…` : text)

/** The name of a step, after its element; `null` for the usual one. */
const nameOf = (action: string, { prompt, selector }: Schema.JsonObject, called: Called): string | null => {
  if (typeof prompt === "string") return `Needs judgement: ${short(prompt)}`
  const element = typeof selector === "string" ? called(selector) : null
  const verb = { CLICK: "Click", INPUT_TEXT: "Type into", INPUT_SELECT: "Choose in" }[action]
  return element === null || element.trim() === "" || verb === undefined ? null : `${verb} ${short(element.trim())}`
}
