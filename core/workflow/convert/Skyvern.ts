/** Workflow definitions of Skyvern, as JSON or YAML. Blocks that are prompts become steps of a model. */
import { Result, type Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import type { LinedJson } from "./LinedJson.ts"
import {
  type Act,
  type Condition,
  lost,
  type Recording,
  type Step,
  step,
  type Text,
  type Unreadable,
  type Where,
  written
} from "./Recording.ts"

type Fields = Readonly<Record<string, unknown>>
const definitionOf = (value: Schema.Json): Fields => {
  const whole = Json.objectOf(value)
  return Json.isObject(whole.workflow_definition) ? whole.workflow_definition : whole
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const recognises = (value: Schema.Json): boolean => {
  const { blocks } = definitionOf(value)
  return (
    Array.isArray(blocks) &&
    blocks.length > 0 &&
    blocks.every((one) => Json.isObject(one) && typeof one.block_type === "string")
  )
}

/** Whether a text has blocks in YAML. */
export const recognisesYaml = (text: string): boolean =>
  /^(?:workflow_definition|blocks)[ \t]*:/m.test(text) && /^[ \t-]*block_type[ \t]*:/m.test(text)

export const read = ({ lineOf, value }: LinedJson): Result.Result<Recording, ReadonlyArray<Unreadable>> => {
  const { description, title } = Json.objectOf(value)
  const definition = definitionOf(value)
  const reader = new Reader(listOf(definition.parameters).map(Json.objectOf), lineOf)
  reader.blocks(listOf(definition.blocks), "blocks", 0)
  return Result.succeed({
    format: "skyvern",
    name: typeof title === "string" ? title : "",
    description: typeof description === "string" ? description : null,
    steps: reader.steps,
    reads: reader.reads(),
    credentials: reader.credentials()
  })
}

/** Maximum nesting of loops. */
const mostLevels = 20

const needsModel = "A model does it: the service needs one"

class Reader {
  readonly steps: Array<Step> = []
  readonly #parameters: ReadonlyMap<string, Fields>
  readonly #lineOf: LinedJson["lineOf"]
  readonly #used = new Set<string>()
  /** The loops around a block: their labels, and the names of their items. */
  readonly #loops: Array<{ readonly label: string; readonly item: string }> = []
  /** The names under which the blocks before keep what they read, by their labels. */
  readonly #outputs = new Map<string, ReadonlySet<string>>()
  /** The templates of the present block that are not read. */
  readonly #unread: Array<string> = []
  #site: string | null = null

  constructor(parameters: ReadonlyArray<Fields>, lineOf: LinedJson["lineOf"]) {
    this.#parameters = new Map(parameters.flatMap((one) => (typeof one.key === "string" ? [[one.key, one]] : [])))
    this.#lineOf = lineOf
  }

  #isCredential(key: string): boolean {
    const { credential_id, parameter_type, workflow_parameter_type } = this.#parameters.get(key) ?? {}
    return (
      workflow_parameter_type === "credential_id" ||
      credential_id !== undefined ||
      /credential|login/.test(String(parameter_type))
    )
  }

  reads(): NonNullable<Recording["reads"]> {
    return [...this.#parameters.keys()]
      .filter((key) => !this.#isCredential(key) && this.#used.has(key))
      .map((key) => ({ name: plain(key), reason: "It is a parameter of the workflow" }))
  }

  credentials(): NonNullable<Recording["credentials"]> {
    return [...this.#parameters.keys()]
      .filter((key) => this.#isCredential(key) && this.#used.has(key))
      .map((key) => ({
        alias: plain(key).toUpperCase(),
        domain: this.#site ?? "https://example.com",
        fields: ["USER_NAME", "PASSWORD"]
      }))
  }

  blocks(blocks: ReadonlyArray<unknown>, path: string, level: number): void {
    const ordered = orderOf(blocks)
    for (const { block, index } of ordered) {
      const where: Where = {
        step: `${path}[${index}]`,
        line: this.#lineOf(block),
        kind: String(Json.objectOf(block).block_type)
      }
      this.#block(Json.objectOf(block), where, level)
    }
  }

  #block(fields: Fields, where: Where, level: number): void {
    if (where.kind !== "for_loop" && where.kind !== "while_loop") {
      this.#unread.length = 0
      const read = this.#read(fields, where)
      const [unread] = this.#unread
      this.steps.push(
        unread === undefined
          ? read
          : lost(where, `Its template ${unread.slice(0, 80)} is not read: add a step with the value`)
      )
      return
    }
    const key = typeof fields.loop_over_parameter_key === "string" ? fields.loop_over_parameter_key : null
    const reference = typeof fields.loop_variable_reference === "string" ? fields.loop_variable_reference : null
    const over = this.#expressionOf(key ?? reference?.replace(/^\s*\{\{|\}\}\s*$/g, "") ?? "")
    const isRead = where.kind === "for_loop" && over !== null && level < mostLevels
    const item = `item_${level + 1}`
    this.steps.push(
      isRead
        ? step(where, [{ _tag: "Each", over: written([{ expression: over }]), item, index: `${item}_index` }])
        : lost(where, "What it repeats over is not read: add a LOOP over a list", [{ _tag: "Skip" }])
    )
    this.#loops.push({ label: String(fields.label), item })
    if (level < mostLevels) this.blocks(listOf(fields.loop_blocks), `${where.step}.loop_blocks`, level + 1)
    this.#loops.pop()
    const last = this.steps.at(-1)
    if (last !== undefined) this.steps[this.steps.length - 1] = { ...last, acts: [...last.acts, { _tag: "End" }] }
  }

  /** What a reference such as `a.b[0]` stands for; `null` where that is not known. */
  #expressionOf(reference: string): string | null {
    const [, name, path = ""] =
      /^\s*(\w+)((?:\.\w+|\[\d{1,9}\]|\['[^'\]]*'\]|\["[^"\]]*"\])*)\s*$/.exec(reference) ?? []
    if (name === undefined) return null
    const ways = [...path.matchAll(/\w[^.[\]'"]*/g)].map(([way]) => way)
    const loop = this.#loops.findLast(({ label }) => label === name)
    if (loop !== undefined) return ofLoop(loop.item, ways)
    const inner = this.#loops.at(-1)?.item
    if (/^current_(?:value|item|index)$/.test(name)) return inner === undefined ? null : ofLoop(inner, [name, ...ways])
    if (this.#parameters.has(name)) {
      this.#used.add(name)
      return this.#isCredential(name) ? this.#credential(name) : along(`context.inputs.${plain(name)}`, ways)
    }
    const isOwn = this.#outputs.has(name)
    const kept = this.#outputs.get(isOwn ? name : name.replace(/_output$/, ""))
    const inside = ways.filter((way, at) => !(at < 2 && /^(?:output|extracted_information)$/.test(way)))
    const [first, ...others] = inside
    if (kept === undefined) return ways.length === 0 ? `context.${plain(name)}` : null
    if (first !== undefined && kept.has(first)) return along(`context.${first}`, others)
    const [only, more] = kept
    return only === plain(name.replace(/_output$/, "")) && more === undefined ? along(`context.${only}`, inside) : null
  }

  #credential(key: string): string {
    this.#used.add(key)
    return `context.inputs.${plain(key).toUpperCase()}`
  }

  /** A text with its parameters. */
  #text(given: unknown): Text {
    return String(given ?? "")
      .split(/(\{\{[^{}]*\}\}|\{%[^%]*%\})/)
      .flatMap((part): Text => {
        if (part === "") return []
        const expression = part.startsWith("{{") ? this.#expressionOf(part.slice(2, -2)) : null
        if (expression !== null) return [{ expression }]
        if (/^\{[{%]/.test(part)) this.#unread.push(part)
        return [part]
      })
  }

  #opening(fields: Fields): ReadonlyArray<Act> {
    if (typeof fields.url !== "string" || fields.url.trim() === "") return []
    const site = URL.parse(fields.url)
    this.#site ??= site === null ? null : site.origin
    return [{ _tag: "Open", url: this.#text(fields.url) }]
  }

  /** A task for a model, after its page is opened. */
  #task(fields: Fields, goal: unknown, where: Where, more: ReadonlyArray<Act> = []): Step {
    const name = String(fields.title ?? fields.label ?? where.kind).slice(0, 80)
    const prompt = written(this.#text(goal))
    if (prompt.trim() === "") return lost(where, "It has no goal: add a CLICK by COMPUTER_USE with a prompt")
    const act: Act = { _tag: "Do", action: "CLICK", name, parameters: { execution: "COMPUTER_USE", prompt } }
    return step(where, [...this.#opening(fields), act, ...more], [needsModel])
  }

  #extraction(fields: Fields, execution: string, goal: unknown, where: Where): Step {
    const { properties } = Json.objectOf(fields.data_schema ?? fields.json_schema)
    const label = plain(String(fields.label ?? "output"))
    this.#outputs.set(String(fields.label), new Set(Json.isObject(properties) ? Object.keys(properties) : [label]))
    const model = Json.isObject(properties)
      ? { type: "object", properties }
      : { type: "object", properties: { [label]: { type: "string", description: String(goal ?? "").slice(0, 500) } } }
    const parameters = { execution, prompt: written(this.#text(goal)), extract_data_model: model as Schema.JsonObject }
    const name = String(fields.title ?? `Read ${label}`).slice(0, 80)
    return step(
      where,
      [...this.#opening(fields), { _tag: "Do", action: "EXTRACT_DATAMODEL", name, parameters }],
      [needsModel]
    )
  }

  #read(fields: Fields, where: Where): Step {
    switch (where.kind) {
      case "task":
      case "task_v2":
      case "navigation":
      case "action":
        return fields.data_extraction_goal != null && fields.navigation_goal == null
          ? this.#extraction(fields, "LLM_VISION", fields.data_extraction_goal, where)
          : this.#task(fields, fields.navigation_goal ?? fields.prompt, where)
      case "login":
        return this.#login(fields, where)
      case "file_download":
        return this.#task(fields, fields.navigation_goal, where, [
          { _tag: "Do", action: "FILE_DOWNLOAD", name: "Keep the file", parameters: {} }
        ])
      case "extraction":
        return this.#extraction(fields, "LLM_VISION", fields.data_extraction_goal, where)
      case "text_prompt":
        return this.#extraction(fields, "PROMPT", fields.prompt, where)
      case "goto_url":
        return step(where, this.#opening(fields))
      case "wait": {
        const seconds = Number(fields.wait_sec)
        return seconds >= 0 && seconds <= 3_600
          ? step(where, [
              { _tag: "Do", action: "DELAY", name: `Wait ${seconds} s`, parameters: { delay_time: seconds } }
            ])
          : lost(where, "Its time cannot be read: add a DELAY")
      }
      case "validation": {
        const prompt = written(this.#text(fields.complete_criterion))
        if (prompt.trim() === "") return lost(where, "It has no criterion: add a BOOL_CONDITION with a prompt")
        const condition: Condition = {
          execution: "LLM_VISION",
          prompt,
          error_on_false_message: "The page is not as the block expects it to be"
        }
        return step(where, [{ _tag: "If", condition }, { _tag: "End" }], [needsModel])
      }
      case "conditional":
        return lost(
          where,
          "Its branches lead to other blocks by their names: add a BOOL_CONDITION with the prompt, and its two ways"
        )
      case "code":
        return lost(where, "Runs execute no scripts: add a TRANSFORM, or actions on the page")
      default:
        return lost(where, "Runs have no such block: add actions that do the same, or let the caller do it")
    }
  }

  #login(fields: Fields, where: Where): Step {
    const key = listOf(fields.parameter_keys)
      .map(String)
      .find((one) => this.#isCredential(one))
    if (key === undefined) return lost(where, "It names no credential: add one to the vault, and steps that type it")
    const alias = this.#credential(key)
    const goal = typeof fields.navigation_goal === "string" ? `${fields.navigation_goal} ` : ""
    const prompt = `${written(this.#text(goal))}Sign in with the user name {{${alias}.USER_NAME}} and the password {{${alias}.PASSWORD}}`
    const act: Act = { _tag: "Do", action: "CLICK", name: "Sign in", parameters: { execution: "COMPUTER_USE", prompt } }
    return step(
      where,
      [...this.#opening(fields), act],
      [needsModel, `The credential is ${alias.slice("context.inputs.".length)} of the vault`]
    )
  }
}

/** What a loop says of its present turn. */
const ofLoop = (item: string, [what, ...ways]: ReadonlyArray<string>): string | null => {
  if (what === "current_index") return ways.length === 0 ? `context.runtime.${item}_index` : null
  return /^current_(?:value|item)$/.test(what ?? "") ? along(`context.runtime.${item}`, ways) : null
}

/** A value within another one. */
const along = (from: string, ways: ReadonlyArray<string>): string =>
  ways.reduce(
    (path, way) => path + (/^\d+$/.test(way) ? `[${way}]` : /^[a-z_]\w*$/i.test(way) ? `.${way}` : `.\`${way}\``),
    from
  )

const plain = (name: string): string => name.replace(/\W/g, "_").replace(/^(\d)/, "_$1").slice(0, 60) || "value"

interface Placed {
  readonly block: unknown
  readonly index: number
}

/** The blocks in the order in which they lead to each other, and then those that nothing leads to. */
const orderOf = (blocks: ReadonlyArray<unknown>): ReadonlyArray<Placed> => {
  const byLabel = new Map(blocks.map((block, index) => [String(Json.objectOf(block).label), index]))
  const left = new Set(blocks.keys())
  const order: Array<Placed> = []
  for (const start of blocks.keys()) {
    for (let at: number | undefined = start; at !== undefined && left.delete(at); ) {
      order.push({ block: blocks[at], index: at })
      const next: unknown = Json.objectOf(blocks[at]).next_block_label
      at = typeof next === "string" ? byLabel.get(next) : undefined
    }
  }
  return order
}
