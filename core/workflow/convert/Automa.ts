/** Workflows of Automa: a graph of blocks, which are walked from their trigger. */
import { Result, type Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import * as AutomaBlock from "./AutomaBlock.ts"
import type { LinedJson } from "./LinedJson.ts"
import { type Act, lost, type Recording, type Step, type Unreadable, type Where } from "./Recording.ts"

export const recognises = (value: Schema.Json): boolean => {
  const { edges, nodes } = Json.objectOf(Json.objectOf(value).drawflow)
  return (
    Array.isArray(nodes) &&
    Array.isArray(edges) &&
    nodes.every((one) => Json.isObject(one) && typeof one.label === "string")
  )
}

interface Edge {
  readonly to: string
  /** The name of the way out, without the id of its block. */
  readonly way: string
}

export const read = ({ lineOf, value }: LinedJson): Result.Result<Recording, ReadonlyArray<Unreadable>> => {
  const { description, drawflow, name } = Json.objectOf(value)
  const { edges, nodes } = Json.objectOf(drawflow)
  const blocks = (Array.isArray(nodes) ? nodes : []).map(Json.objectOf)
  const steps = blocks.map((block, index) => ({
    id: String(block.id),
    data: Json.objectOf(block.data),
    where: { step: `drawflow.nodes[${index}]`, line: lineOf(block), kind: String(block.label).slice(0, 80) }
  }))
  const walker = new Walker(steps, edgesOf(Array.isArray(edges) ? edges : []))
  const start = steps.findIndex(({ where }) => where.kind === "trigger")
  walker.walk(steps[start < 0 ? 0 : start]?.id ?? "", new Set(), 0)
  return Result.succeed({
    format: "automa",
    name: typeof name === "string" ? name : "",
    description: typeof description === "string" && description !== "" ? description : null,
    steps: walker.done(),
    order: walker.order,
    reads: walker.names.reads()
  })
}

const edgesOf = (edges: ReadonlyArray<unknown>): ReadonlyMap<string, ReadonlyArray<Edge>> => {
  const found = new Map<string, Array<Edge>>()
  for (const { source, sourceHandle, target } of edges.map(Json.objectOf)) {
    const way = String(sourceHandle ?? "").replace(`${String(source)}-output-`, "")
    const known = found.get(String(source)) ?? []
    known.push({ to: String(target), way })
    found.set(String(source), known)
  }
  return found
}

interface Source {
  readonly id: string
  readonly data: AutomaBlock.Data
  readonly where: Where
}

/** Maximum nesting of branches. */
const mostLevels = 30

class Walker {
  readonly order: Array<number> = []
  readonly names = new AutomaBlock.Names()
  readonly #sources: ReadonlyArray<Source>
  readonly #at: ReadonlyMap<string, number>
  readonly #edges: ReadonlyMap<string, ReadonlyArray<Edge>>
  readonly #steps = new Map<number, Step>()

  constructor(sources: ReadonlyArray<Source>, edges: ReadonlyMap<string, ReadonlyArray<Edge>>) {
    this.#sources = sources
    this.#at = new Map(sources.map(({ id }, index) => [id, index]))
    this.#edges = edges
  }

  /** The steps of all blocks; those that nothing leads to are named. */
  done(): ReadonlyArray<Step> {
    return this.#sources.map(
      ({ where }, index) =>
        this.#steps.get(index) ?? lost(where, "Nothing that is translated leads to it: add it where it is needed")
    )
  }

  /** Walks from a block up to one of `ends`, to one that was walked, or to the end. */
  walk(from: string, ends: ReadonlySet<string>, level: number): void {
    for (let id: string | undefined = from; id !== undefined && !ends.has(id); ) {
      const index = this.#at.get(id)
      const source = this.#sources[index ?? -1]
      if (index === undefined || source === undefined) return
      if (this.#steps.has(index)) {
        this.#change(`It leads back to the block ${source.where.step}: add this connection in the editor`)
        return
      }
      const found = AutomaBlock.read(source.data, source.where, this.names)
      this.#steps.set(index, found.step)
      this.order.push(index)
      const next: ReadonlyArray<Edge> = this.#edges.get(id) ?? []
      id =
        found.ways === null
          ? next.find(({ way }) => way !== "fallback")?.to
          : this.#branch(found.ways, next, ends, level)
    }
  }

  /** Walks the ways of a condition, and returns where they meet. */
  #branch(
    ways: ReadonlyArray<AutomaBlock.Way>,
    edges: ReadonlyArray<Edge>,
    ends: ReadonlySet<string>,
    level: number
  ): string | undefined {
    const targets = [...ways.map(({ way }) => way), "fallback"].map((way) => edges.find((edge) => edge.way === way)?.to)
    const known = targets.filter((target) => target !== undefined)
    const [first, ...others] = known.map((target) => this.#reach(target))
    const join =
      known.length < 2 ? undefined : [...(first ?? [])].find((id) => others.every((reached) => reached.has(id)))
    const inner = join === undefined ? ends : new Set([...ends, join])
    if (level >= mostLevels) {
      this.#change("Its ways are nested too deeply: add them by hand")
      return undefined
    }
    ways.forEach(({ act }, at) => {
      if (at > 0) this.#append({ _tag: "Else" })
      this.#append(act)
      const target = targets[at]
      if (target !== undefined) this.walk(target, inner, level + 1)
    })
    const otherwise = targets.at(-1)
    if (otherwise !== undefined) {
      this.#append({ _tag: "Else" })
      this.walk(otherwise, inner, level + 1)
    }
    for (const _ of ways) this.#append({ _tag: "End" })
    return join
  }

  /** What a block leads to, itself included, the nearest first. */
  #reach(from: string): ReadonlySet<string> {
    const reached = new Set([from])
    // The iteration of a set also visits values that are added during it.
    for (const id of reached) for (const { to } of this.#edges.get(id) ?? []) reached.add(to)
    return reached
  }

  /** Adds an act to the last step that was walked. */
  #append(act: Act): void {
    this.#last((last) => ({ ...last, acts: [...last.acts, act] }))
  }

  #change(change: string): void {
    this.#last((last) => ({ ...last, changes: [...last.changes, change] }))
  }

  #last(changed: (last: Step) => Step): void {
    const index = this.order.at(-1) ?? -1
    const last = this.#steps.get(index)
    if (last !== undefined) this.#steps.set(index, changed(last))
  }
}
