/** Workflows of n8n: a graph of nodes by their names, which are walked from a trigger. */
import { Result, type Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import * as BrowserScript from "./BrowserScript.ts"
import type { LinedJson } from "./LinedJson.ts"
import { Data, type Scope } from "./N8nData.ts"
import * as N8nNode from "./N8nNode.ts"
import { isTrigger, listOf, type Source } from "./N8nSource.ts"
import type { Parsers } from "./Parsers.ts"
import { type Act, lost, mostSteps, type Recording, type Step, step, type Unreadable, type Where } from "./Recording.ts"

export const recognises = (value: Schema.Json): boolean => {
  const { connections, nodes } = Json.objectOf(value)
  return (
    Array.isArray(nodes) &&
    nodes.length > 0 &&
    Json.isObject(connections) &&
    nodes.every((one) => Json.isObject(one) && typeof one.type === "string" && typeof one.name === "string")
  )
}

export const read = (
  { lineOf, value }: LinedJson,
  parsers: Parsers | null
): Result.Result<Recording, ReadonlyArray<Unreadable>> => {
  const { connections, name, nodes } = Json.objectOf(value)
  const given = listOf(nodes)
  if (given.length > mostSteps)
    return Result.fail([
      { path: "nodes", message: `The file has ${given.length} nodes: expected at most ${mostSteps}` }
    ])
  const seen = new Set<string>()
  const twice = given.flatMap((node, index): ReadonlyArray<Unreadable> => {
    const called = String(node.name)
    if (!seen.has(called)) {
      seen.add(called)
      return []
    }
    const message = `Expected each name once, got ${JSON.stringify(called.slice(0, 80))} twice`
    return [{ path: `nodes[${index}].name`, message }]
  })
  if (twice.length > 0) return Result.fail(twice)
  const sources = given.map(
    (node, index): Source => ({
      name: String(node.name),
      version: Number(node.typeVersion ?? 1),
      parameters: Json.objectOf(node.parameters),
      credentials: Object.values(Json.objectOf(node.credentials)).map((one) => String(Json.objectOf(one).name ?? "")),
      isOff: node.disabled === true,
      where: {
        step: `nodes[${index}]`,
        line: lineOf(node),
        kind: String(node.type).replace("n8n-nodes-base.", "").slice(0, 80)
      }
    })
  )
  const walker = new Walker(sources, outputsOf(given, Json.objectOf(connections)), parsers)
  walker.begin()
  const site = sources
    .map(({ parameters }) => URL.parse(String(parameters.url ?? "").replace(/^=/, "")))
    .find((url) => /^https?:$/.test(url?.protocol ?? ""))
  return Result.succeed({
    format: "n8n",
    name: typeof name === "string" ? name : "",
    description: null,
    ...walker.done(),
    reads: walker.data.reads(),
    ...(site == null ? {} : { site: site.origin })
  })
}

/** The nodes that each output of a node leads to, those at the top first, which n8n does first. */
type Outputs = ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>

const outputsOf = (nodes: ReadonlyArray<Schema.JsonObject>, connections: Schema.JsonObject): Outputs => {
  const places = new Map(
    nodes.map(({ name, position }) => [String(name), Array.isArray(position) ? position.map(Number) : [0, 0]])
  )
  const place = (name: string, axis: number) => places.get(name)?.[axis] ?? 0
  return new Map(
    Object.entries(connections).map(([name, kinds]) => {
      const { main } = Json.objectOf(kinds)
      const outputs = (Array.isArray(main) ? main : []).map((targets) =>
        listOf(targets)
          .map(({ node }) => String(node))
          .filter((target) => places.has(target))
          .toSorted((one, other) => place(one, 1) - place(other, 1) || place(one, 0) - place(other, 0))
      )
      return [name, outputs]
    })
  )
}

/** The connections without those that lead back to a node on the way from `start`. */
const withoutWaysBack = (start: string, outputs: Outputs): ReadonlyMap<string, ReadonlyArray<string>> => {
  const onWay = new Set<string>()
  const kept = new Map<string, Array<string>>()
  const open: Array<{ readonly name: string; readonly left: Array<string> }> = []
  const enter = (name: string) => {
    onWay.add(name)
    kept.set(name, [])
    open.push({ name, left: (outputs.get(name) ?? []).flat().toReversed() })
  }
  enter(start)
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const target = top.left.pop()
    if (target === undefined) {
      onWay.delete(top.name)
      open.pop()
    } else if (!onWay.has(target)) {
      kept.get(top.name)?.push(target)
      if (!kept.has(target)) enter(target)
    }
  }
  return kept
}

/** Maximum nesting of branches and loops. */
const mostLevels = 30

class Walker {
  readonly data = new Data()
  readonly #order: Array<number> = []
  readonly #sources: ReadonlyArray<Source>
  readonly #at: ReadonlyMap<string, number>
  readonly #outputs: Outputs
  readonly #parsers: Parsers | null
  #forward: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
  /** The steps of nodes, and after the number of nodes those of their scripts. */
  readonly #steps = new Map<number, Step>()
  /** The node of each step of a script, from the number of nodes on. */
  readonly #owners: Array<number> = []

  constructor(sources: ReadonlyArray<Source>, outputs: Outputs, parsers: Parsers | null) {
    this.#sources = sources
    this.#at = new Map(sources.map(({ name }, index) => [name, index]))
    this.#outputs = outputs
    this.#parsers = parsers
  }

  /** Walks from the trigger that leads to the most nodes. */
  begin(): void {
    const triggers = this.#sources.filter((one) => isTrigger(one) && !one.isOff && one.where.kind !== "errorTrigger")
    const led = new Set([...this.#outputs.values()].flat(2))
    const starts = triggers.length > 0 ? triggers : this.#sources.filter(({ name }) => !led.has(name))
    const [start] = starts
      .map(({ name }) => ({ name, forward: withoutWaysBack(name, this.#outputs) }))
      .toSorted((one, other) => other.forward.size - one.forward.size)
    if (start !== undefined) this.#forward = start.forward
    this.#walk(start?.name, new Set(), 0)
    for (const trigger of this.#sources.filter(isTrigger)) {
      const index = this.#at.get(trigger.name) ?? -1
      if (!this.#steps.has(index)) this.#steps.set(index, N8nNode.read(trigger, this.data, false).step)
    }
  }

  /** The steps of all nodes, each with those of its script after it, and the order in which they are done. */
  done(): Pick<Recording, "steps" | "order"> {
    const count = this.#sources.length
    const placed = this.#sources.flatMap((_, index) => [
      index,
      ...this.#owners.flatMap((owner, at) => (owner === index ? [count + at] : []))
    ])
    const places = new Map(placed.map((index, place) => [index, place]))
    return {
      steps: placed.map((index) => this.#steps.get(index) ?? this.#unreached(index)),
      order: this.#order.map((index) => places.get(index) ?? -1)
    }
  }

  #unreached(index: number): Step {
    const source = this.#sources[index]
    if (source === undefined) throw new Error(`No node ${index}`)
    const { isOff, where } = source
    if (where.kind === "stickyNote" || isOff) return N8nNode.read(source, this.data, false).step
    return lost(where, "No translated node leads to it: connect it in the editor, or import it as a separate workflow")
  }

  #targets(name: string, output: number): ReadonlyArray<string> {
    return this.#outputs.get(name)?.[output] ?? []
  }

  /** Walks from a node up to one of `ends`, to one that was walked, or to the end. */
  #walk(from: string | undefined, ends: ReadonlySet<string>, level: number): void {
    let open = 0
    for (let name = from; name !== undefined && !ends.has(name); ) {
      const index = this.#at.get(name)
      const source = this.#sources[index ?? -1]
      if (index === undefined || source === undefined) break
      if (this.#steps.has(index)) {
        this.#lose(`It leads back to the node ${source.where.step}: add this connection in the editor`)
        break
      }
      const [first, other] = this.#targets(name, 0)
      const batched = other === undefined ? this.#sources[this.#at.get(first ?? "") ?? -1] : undefined
      const before = this.data.scope
      const { next, script, step } = N8nNode.read(source, this.data, batched?.where.kind === "splitInBatches")
      this.#steps.set(index, step)
      this.#order.push(index)
      if (script !== undefined) this.#script(script, index, source.where)
      if (next.kind === "ways") name = this.#branch(name, next, ends, level)
      else if (next.kind === "each") {
        this.#several(this.#targets(name, next.body), new Set([...ends, name]), level)
        this.#append({ _tag: "End" })
        this.data.keep(name, before)
        name = this.#fan(this.#targets(name, next.done), ends, level)
      } else {
        if (next.kind === "rest") open++
        name = this.#fan(this.#targets(name, 0), ends, level)
      }
    }
    for (; open > 0; open--) this.#append({ _tag: "End" })
  }

  /** Walks all ways from an output up to one of `ends`. */
  #several(targets: ReadonlyArray<string>, ends: ReadonlySet<string>, level: number): void {
    this.#walk(this.#fan(targets, ends, level), ends, level + 1)
  }

  /** The only target of an output; where there are several, walks them one after the other, and returns where they meet. */
  #fan(targets: ReadonlyArray<string>, ends: ReadonlySet<string>, level: number): string | undefined {
    if (targets.length < 2) return targets[0]
    if (this.#isTooDeep(level)) return undefined
    const join = this.#joinOf(targets, ends)
    const inner = join === undefined ? ends : new Set([...ends, join])
    const target = this.#sources[this.#at.get(join ?? "") ?? -1]
    if (target !== undefined && target.where.kind !== "merge" && !ends.has(target.name))
      this.#change(`n8n does the node ${target.where.step} once for each way that leads to it: here it is done once`)
    for (const one of targets) this.#walk(one, inner, level + 1)
    return join
  }

  /** Walks the ways of a condition, and returns where they meet. */
  #branch(
    name: string,
    { otherwise, ways }: Extract<N8nNode.Read["next"], { readonly kind: "ways" }>,
    ends: ReadonlySet<string>,
    level: number
  ): string | undefined {
    if (this.#isTooDeep(level)) return undefined
    const outputs = [...ways.map(([output]) => output), ...(otherwise === null ? [] : [otherwise])]
    const leading = outputs.map((output) => this.#targets(name, output))
    const known = leading.flat()
    const join = known.length < 2 ? undefined : this.#joinOf(known, ends)
    const inner = join === undefined ? ends : new Set([...ends, join])
    if (
      join !== undefined &&
      !ends.has(join) &&
      (otherwise === null || leading.some((targets) => targets.length === 0))
    )
      this.#change("What takes a way that leads nowhere in the file goes on where the others meet: add an END for it")
    const { scope } = this.data
    const fields: Array<Scope["fields"]> = []
    const walk = (targets: ReadonlyArray<string>) => {
      this.data.scope = scope
      this.#several(targets, inner, level)
      fields.push(this.data.scope.fields)
    }
    ways.forEach(([, act], at) => {
      if (at > 0) this.#append({ _tag: "Else" })
      this.#append(act)
      walk(leading[at] ?? [])
    })
    if (otherwise !== null) {
      this.#append({ _tag: "Else" })
      walk(leading.at(-1) ?? [])
    }
    for (const _ of ways) this.#append({ _tag: "End" })
    this.data.scope = { ...scope, fields: new Map(fields.flatMap((one) => [...one])) }
    return join
  }

  #isTooDeep(level: number): boolean {
    if (level < mostLevels) return false
    this.#lose(`Its branches are nested more than ${mostLevels} levels deep: add them in the editor`)
    return true
  }

  /** The nearest node that all ways lead to. */
  #joinOf(targets: ReadonlyArray<string>, ends: ReadonlySet<string>): string | undefined {
    const [first, ...others] = targets.map((target) => this.#reach(target, ends))
    return [...(first ?? [])].find((name) => others.every((reached) => reached.has(name)))
  }

  /** What a node leads to, itself included, the nearest first, up to one of `ends`. */
  #reach(from: string, ends: ReadonlySet<string>): ReadonlySet<string> {
    const reached = new Set([from])
    // The iteration of a set also visits values that are added during it.
    for (const name of reached) {
      if (!ends.has(name)) for (const target of this.#forward.get(name) ?? []) reached.add(target)
    }
    return reached
  }

  /** The steps of a script, after that of its node. */
  #script(script: string, index: number, where: Where): void {
    const node = this.#steps.get(index) ?? step(where, [])
    // A Code node that drives no browser is named as it is.
    if (node.lost !== null && !BrowserScript.recognises(script)) return
    const renamed = script.replaceAll(/\$(page|browser)\b/g, "$1")
    const found = this.#parsers?.script(renamed).pipe(
      Result.mapError((problem) => [problem]),
      Result.flatMap((tree) => BrowserScript.read(BrowserScript.formatOf(script), tree))
    )
    if (found === undefined || Result.isFailure(found)) {
      const reason = found === undefined ? "scripts are not read here" : (found.failure[0]?.message ?? "")
      this.#steps.set(index, lost(where, `Its script is not translated: ${reason}`, node.acts))
      return
    }
    const { order = [], reads = [], steps } = found.success
    const first = this.#sources.length + this.#owners.length
    const change = "Each call of its script has an entry after it"
    this.#steps.set(index, { ...node, lost: null, changes: [...node.changes, change] })
    steps.forEach((one, at) => {
      const path = `${where.step}.script[${at}]`
      this.#steps.set(first + at, { ...one, step: path, line: where.line, kind: one.kind })
      this.#owners.push(index)
    })
    for (const at of order) this.#order.push(first + at)
    for (const { name, reason } of reads) this.data.input(name, reason)
    this.data.hasPage = true
  }

  /** Adds an act to the last step that was walked. */
  #append(act: Act): void {
    this.#last((last) => ({ ...last, acts: [...last.acts, act] }))
  }

  #change(change: string): void {
    this.#last((last) => ({ ...last, changes: [...last.changes, change] }))
  }

  #lose(reason: string): void {
    this.#last((last) => ({ ...last, lost: last.lost ?? reason }))
  }

  #last(changed: (last: Step) => Step): void {
    const index = this.#order.at(-1) ?? -1
    const last = this.#steps.get(index)
    if (last !== undefined) this.#steps.set(index, changed(last))
  }
}
