/** Makes a workflow of a recording, with a report that accounts for each of its steps. */
import type { Schema } from "effect"
import type { NodeId } from "../language/graph/Graph.ts"
import * as SaveBody from "../SaveBody.ts"
import type { Problem } from "../Workflow.ts"
import * as RecordedNode from "./RecordedNode.ts"
import {
  type Act,
  type Condition,
  type Format,
  literalOf,
  type outcomes,
  type Recording,
  type Step,
  written
} from "./Recording.ts"
import * as Sensitive from "./Sensitive.ts"

/** What became of one step of the file. */
export interface ReportEntry {
  readonly step: string
  readonly line: number | null
  readonly kind: string
  readonly outcome: (typeof outcomes)[number]
  /** What changes, or why the step is not translated and what to do; `null` for one that is kept. */
  readonly message: string | null
  /** The ids of the nodes that it became. */
  readonly nodes: ReadonlyArray<string>
  /** Other selectors that the file offers for its element, the most durable first. */
  readonly selectors: ReadonlyArray<string>
}

export interface Converted {
  readonly format: Format
  /** The body that saves the workflow. */
  readonly workflow: Schema.JsonObject
  readonly report: ReadonlyArray<ReportEntry>
  readonly inputs: ReadonlyArray<Sensitive.FoundInput>
  readonly credentials: ReadonlyArray<Sensitive.FoundCredential>
  readonly warnings: ReadonlyArray<Problem>
}

/** How often nodes that a save would refuse are taken out. Taking one out may make another one invalid. */
const mostRounds = 10

export const assembled = (recording: Recording): Converted => {
  const steps = recording.steps.map(openable)
  const site = siteOf(steps) ?? recording.site ?? null
  const safe = Sensitive.protect(
    steps,
    site,
    recording.reads?.map(({ name }) => name)
  )
  const refused = new Map<number, string>()
  const order = recording.order ?? safe.steps.map((_, index) => index)
  let built = build(recording, safe.steps, order, refused)
  let draft = bodyOf(recording, safe, built)
  let read = SaveBody.read(draft, 0)
  for (let round = 0; read.problems.length > 0 && round < mostRounds; round++) {
    const before = refused.size
    for (const { message, path } of read.problems) {
      const [, at, condition] = /^nodes\[(\d+)\](?:\.parameters\.expect\.conditions\[(\d+)\])?/.exec(path) ?? []
      const step =
        at === undefined ? undefined : (built.expecting.get(Number(at))?.[Number(condition)] ?? built.steps[Number(at)])
      if (step !== undefined && step >= 0 && !refused.has(step)) refused.set(step, message)
    }
    if (refused.size === before) break
    built = build(recording, safe.steps, order, refused)
    draft = bodyOf(recording, safe, built)
    read = SaveBody.read(draft, 0)
  }
  const warnings = read.problems.length > 0 ? read.problems : SaveBody.warnings(read.content)
  return {
    format: recording.format,
    workflow: draft,
    report: safe.steps.map((step, index) => {
      const { message, ...entry } = entryOf(step, index, built, refused)
      return { ...entry, message: safe.clean(message) }
    }),
    inputs: inputsOf(recording, safe, built),
    credentials: [...(recording.credentials ?? []), ...safe.credentials],
    warnings
  }
}

/** The pages that a browser shows where none was opened. */
const emptyPage = /^(?:about:blank|(?:chrome|edge|brave|opera|vivaldi):\/\/(?:newtab|new-tab-page|startpage)\/?)$/i

/** The step, without addresses that runs do not open. */
const openable = (step: Step): Step => {
  if (step.lost !== null) return step
  const addresses = step.acts.flatMap((act) => (act._tag === "Open" ? [written(act.url)] : []))
  const foreign = addresses
    .filter((address) => !emptyPage.test(address))
    .flatMap((address) => /^(?!https?:)[a-z][a-z0-9+.-]*:(?!\d)/i.exec(address)?.[0] ?? [])[0]
  if (foreign !== undefined) {
    return {
      ...step,
      acts: [],
      lost: `Runs open addresses with http: and https:, and none with ${foreign.slice(0, 40)}`
    }
  }
  const acts = step.acts.filter((act) => act._tag !== "Open" || !emptyPage.test(written(act.url)))
  if (acts.length === step.acts.length) return step
  return { ...step, acts, changes: [...step.changes, "The empty page shows nothing, so it is not opened"] }
}

/** The site of the first address. */
const siteOf = (steps: ReadonlyArray<Step>): string | null => {
  for (const { acts } of steps) {
    for (const act of acts) {
      const url = act._tag === "Open" ? URL.parse(literalOf(act.url) ?? "") : null
      if (url !== null && /^https?:$/.test(url.protocol)) return url.origin
    }
  }
  return null
}

interface BuiltNode {
  readonly id: NodeId
  name: string
  readonly action: string
  parameters: Schema.JsonObject
}

interface Built {
  readonly nodes: ReadonlyArray<BuiltNode>
  readonly edges: Schema.JsonObject
  /** The step of each node; -1 for START and END. */
  readonly steps: ReadonlyArray<number>
  /** Steps in blocks that are not translated, with the step at which the block begins. */
  readonly skipped: ReadonlyMap<number, number>
  /** The step of each condition that a node expects. */
  readonly expecting: ReadonlyMap<number, ReadonlyArray<number>>
  /** The nodes of other steps that expect what a step says. */
  readonly attached: ReadonlyMap<number, ReadonlyArray<NodeId>>
  /** Whether the first address is not in the file. */
  readonly asksForStart: boolean
}

/** The edges whose ends are not placed yet, each the way out of a node. */
type Ends = ReadonlyArray<readonly [NodeId, string]>

type Block =
  | { readonly kind: "if"; readonly id: NodeId; before: Ends | null }
  | { readonly kind: "while"; readonly id: NodeId }
  | { readonly kind: "each"; readonly id: NodeId }
  | { readonly kind: "turn"; first: NodeId | null }

const idOf = (count: number): NodeId => `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`

class Builder {
  readonly nodes: Array<BuiltNode> = []
  readonly edges: Record<string, Record<string, string>> = {}
  readonly steps: Array<number> = []
  readonly skipped = new Map<number, number>()
  readonly attached = new Map<number, ReadonlyArray<NodeId>>()
  readonly expecting = new Map<number, ReadonlyArray<number>>()
  readonly #names = new Map<string, number>()
  readonly #blocks: Array<Block> = []
  #ends: Ends = []
  /** The node that what follows expects something of; `null` where several lead on. */
  #last: BuiltNode | null = null
  /** The step of the block that is skipped, and how many blocks are open in it. */
  #skips: { readonly step: number; depth: number } | null = null

  readonly refused: ReadonlyMap<number, string>

  constructor(refused: ReadonlyMap<number, string>) {
    this.refused = refused
  }

  place(step: number, { action, name, parameters }: RecordedNode.RecordedNode): BuiltNode {
    const node = { id: idOf(this.nodes.length + 1), name: this.#unique(name), action, parameters }
    this.nodes.push(node)
    this.steps.push(step)
    for (const [id, way] of this.#ends) this.edges[id] = { ...this.edges[id], [way]: node.id }
    this.#ends = [[node.id, "to"]]
    this.#last = node
    for (const block of this.#blocks) if (block.kind === "turn") block.first ??= node.id
    return node
  }

  add(act: Act, step: number): void {
    if (this.#skips !== null || this.refused.has(step)) this.#skip(act, step)
    else this.#carry(act, step)
  }

  #carry(act: Act, step: number): void {
    switch (act._tag) {
      case "Expect":
        this.#expect(act, step)
        break
      case "Set":
        this.place(step, settingOf(act))
        break
      case "If":
        this.#open(step, act.condition, "if")
        break
      case "While":
        this.#open(step, act.condition, "while")
        break
      case "Each": {
        const parameters = {
          variable_over: act.over,
          variable_current_item: act.item,
          variable_current_index: act.index
        }
        const { id } = this.place(step, { action: "LOOP", name: "Repeat", parameters })
        this.#enter({ kind: "each", id }, [[id, "loop_not_done"]])
        break
      }
      case "Turn":
        this.#enter({ kind: "turn", first: null }, this.#ends)
        break
      case "Else":
        this.#otherwise(step)
        break
      case "End":
        this.#close(step)
        break
      case "Until":
        this.#until(step, act.condition)
        break
      case "Skip":
        this.#skips = { step, depth: 0 }
        break
      default:
        this.place(step, RecordedNode.of(act))
    }
  }

  /** The rest of the graph: open blocks end, and END follows. */
  finish(): void {
    while (this.#blocks.length > 0) this.#close(-1)
    this.place(-1, { action: "END", name: "Done", parameters: {} })
    this.#ends = []
  }

  #enter(block: Block, ends: Ends): void {
    this.#blocks.push(block)
    this.#ends = ends
    this.#last = null
  }

  #open(step: number, condition: Condition, kind: "if" | "while"): void {
    const { id } = this.place(step, { action: "BOOL_CONDITION", name: "Check", parameters: { ...condition } })
    this.#enter(kind === "if" ? { kind, id, before: null } : { kind, id }, [[id, "true"]])
  }

  /** A step without effect, so that a way that holds nothing leads on. */
  #fill(step: number, id: NodeId, way: string): void {
    if (!this.#ends.some(([from, name]) => from === id && name === way)) return
    this.place(step, { action: "DELAY", name: "Go on", parameters: { delay_time: 0 } })
  }

  #otherwise(step: number): void {
    const block = this.#blocks.at(-1)
    if (block?.kind !== "if" || block.before !== null) return
    this.#fill(step, block.id, "true")
    block.before = this.#ends
    this.#ends = [[block.id, "false"]]
    this.#last = null
  }

  #close(step: number): void {
    const block = this.#blocks.pop()
    this.#last = null
    switch (block?.kind) {
      case "if":
        if (block.before === null) this.#fill(step, block.id, "true")
        this.#ends = [...this.#ends, ...(block.before ?? [[block.id, "false"] as const])]
        return
      case "while":
        this.#fill(step, block.id, "true")
        this.#lead(block.id)
        this.#ends = [[block.id, "false"]]
        return
      case "each":
        this.#fill(step, block.id, "loop_not_done")
        this.#lead(block.id)
        this.#ends = [[block.id, "loop_done"]]
        return
      default:
        return
    }
  }

  #until(step: number, condition: Condition): void {
    const block = this.#blocks.at(-1)
    if (block?.kind !== "turn") return
    this.#blocks.pop()
    if (block.first !== null) {
      const { id } = this.place(step, { action: "BOOL_CONDITION", name: "Check", parameters: { ...condition } })
      this.edges[id] = { true: block.first }
      this.#ends = [[id, "false"]]
    }
    this.#last = null
  }

  /** The open ends lead back to a node. */
  #lead(to: NodeId): void {
    for (const [id, way] of this.#ends) this.edges[id] = { ...this.edges[id], [way]: to }
  }

  #expect(act: Extract<Act, { readonly _tag: "Expect" }>, step: number): void {
    const known = this.#last?.parameters.expect as
      | { readonly conditions: ReadonlyArray<Schema.JsonObject>; readonly wait_time?: number }
      | undefined
    const isFull = (known?.conditions.length ?? 0) + act.conditions.length > 20
    const node =
      this.#last !== null && !isFull
        ? this.#last
        : this.place(step, { action: "DELAY", name: "Check the page", parameters: { delay_time: 0 } })
    const before = node === this.#last ? known : undefined
    const wait = Math.max(act.wait ?? 0, before?.wait_time ?? 0)
    node.parameters = {
      ...node.parameters,
      expect: {
        conditions: [...(before?.conditions ?? []), ...act.conditions],
        ...(wait === 0 ? {} : { wait_time: Math.min(wait, 600_000) })
      }
    }
    this.#last = node
    const index = Number(node.id.slice(-12)) - 1
    this.expecting.set(index, [...(this.expecting.get(index) ?? []), ...act.conditions.map(() => step)])
    if (this.steps[index] !== step) {
      this.attached.set(step, [...(this.attached.get(step) ?? []), node.id])
    }
  }

  /** Leaves out an act of a block that is not translated, or of a step that a save would refuse. */
  #skip(act: Act, step: number): void {
    const opens = ["If", "While", "Each", "Turn", "Skip"].includes(act._tag)
    if (this.#skips === null) {
      if (opens) this.#skips = { step, depth: 0 }
      else if (act._tag === "Until") this.#blocks.pop()
      else if (act._tag === "End") this.#close(step)
      return
    }
    if (step !== this.#skips.step) this.skipped.set(step, this.#skips.step)
    if (opens) this.#skips.depth++
    if (act._tag !== "End" && act._tag !== "Until") return
    if (this.#skips.depth === 0) this.#skips = null
    else this.#skips.depth--
  }

  isSkipping(): number | null {
    return this.#skips?.step ?? null
  }

  #unique(name: string): string {
    const count = (this.#names.get(name) ?? 0) + 1
    this.#names.set(name, count)
    return count === 1 ? name : `${name} ${count}`
  }
}

const settingOf = ({ name, value }: Extract<Act, { readonly _tag: "Set" }>): RecordedNode.RecordedNode => ({
  action: "TRANSFORM",
  name: `Keep ${name}`,
  parameters: {
    operations: [
      { type: "SET", target: `context.${name}`, value: "computed" in value ? value.computed : joined(value) }
    ]
  }
})

/** A text as an expression. */
const joined = (text: ReadonlyArray<string | { readonly expression: string }>): string =>
  text.length === 0
    ? '""'
    : text.map((part) => (typeof part === "string" ? JSON.stringify(part) : part.expression)).join(" & ")

const build = (
  recording: Recording,
  steps: ReadonlyArray<Step>,
  order: ReadonlyArray<number>,
  refused: ReadonlyMap<number, string>
): Built => {
  const builder = new Builder(refused)
  const start = order.findIndex((index) => (steps[index]?.acts.length ?? 0) > 0)
  const opening = order[start] ?? -1
  const first = steps[opening]?.acts[0]
  const opens = first?._tag === "Open" && !refused.has(opening) && /^(https?:|\{\{)/i.test(written(first.url))
  const site = recording.site ?? null
  const url = opens ? written(first.url) : (site ?? "{{context.inputs.start_url}}")
  builder.place(opens ? opening : -1, { action: "START", name: "Open the start page", parameters: { url } })
  order.forEach((index, at) => {
    const acts = steps[index]?.acts ?? []
    const block = builder.isSkipping()
    if (block !== null && acts.length === 0) builder.skipped.set(index, block)
    for (const act of acts.slice(opens && at === start ? 1 : 0)) builder.add(act, index)
  })
  builder.finish()
  return {
    nodes: builder.nodes,
    edges: builder.edges,
    steps: builder.steps,
    skipped: builder.skipped,
    attached: builder.attached,
    expecting: builder.expecting,
    asksForStart: !opens && site === null
  }
}

const inputsOf = (
  { reads = [] }: Recording,
  { inputs }: Sensitive.Protected,
  { asksForStart, nodes }: Built
): ReadonlyArray<Sensitive.FoundInput> => [
  ...(nodes.some(({ action }) => action === "FILE_UPLOAD") && !reads.some(({ name }) => name === "file_url")
    ? [{ name: "file_url", reason: "The address from which a run fetches the file that it uploads" }]
    : []),
  ...(asksForStart ? [{ name: "start_url", reason: "The file does not say which page it begins on" }] : []),
  ...reads,
  ...inputs
]

const bodyOf = (recording: Recording, safe: Sensitive.Protected, built: Built): Schema.JsonObject => {
  const inputs = inputsOf(recording, safe, built)
  return {
    name: recording.name.trim().slice(0, 200) || "Imported workflow",
    description: recording.description === null ? null : recording.description.slice(0, 4_000),
    nodes: built.nodes.map(({ action, id, name, parameters }) => ({
      id,
      name: safe.clean(name),
      action,
      parameters: safe.clean(parameters)
    })),
    edges: built.edges,
    input_schema: {
      type: "object",
      properties: Object.fromEntries(
        inputs.map(({ example, name }) => [
          name,
          { type: "string", ...(example === undefined ? {} : { examples: [example] }) }
        ])
      ),
      required: inputs.map(({ name }) => name),
      additionalProperties: false
    },
    output_schema: {},
    vault_schema: Object.fromEntries(
      [...(recording.credentials ?? []), ...safe.credentials].map(({ alias, domain }) => [
        alias,
        { type: "credential", domain }
      ])
    )
  }
}

const entryOf = (
  { acts, changes, kind, line, lost, step }: Step,
  index: number,
  built: Built,
  refused: ReadonlyMap<number, string>
): ReportEntry => {
  const block = built.skipped.get(index)
  const refusal = refused.get(index)
  const reason =
    lost ??
    (refusal === undefined ? null : `A save would refuse it: ${refusal}`) ??
    (block === undefined ? null : "It is in a block whose condition is not translated: add the block by hand")
  const selectors = acts.flatMap((act) =>
    "element" in act && act.element !== null ? act.element.selectors.slice(1) : []
  )
  const own = built.nodes.filter((_, at) => built.steps[at] === index).map(({ id }) => id)
  return {
    step,
    line,
    kind,
    outcome: reason !== null ? "not_translated" : changes.length > 0 ? "translated" : "kept",
    message: reason ?? (changes.length === 0 ? null : [...new Set(changes)].join(". ")),
    nodes: [...new Set([...(built.attached.get(index) ?? []), ...own])],
    selectors: [...new Set(selectors)]
  }
}
