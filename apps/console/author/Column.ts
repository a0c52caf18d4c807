/**
 * The steps of a draft as a column: a loop holds its body, and a condition shows its two branches. Each change takes a column
 * and answers another one; the service is sent what differs.
 */

export interface Node {
  readonly id: string
  readonly name: string
  readonly action: string
  readonly parameters?: unknown
}

export type Edges = Readonly<Record<string, Readonly<Record<string, string>>>>

export interface Graph {
  readonly nodes: ReadonlyArray<Node>
  readonly edges: Edges
}

/** A branch of a condition, or the body of a loop. */
type ArmWay = "true" | "false" | "loop_not_done"

/** Steps in a row. At its end, a block goes on after it, goes to a step elsewhere, or ends the workflow. */
export interface Block {
  readonly items: ReadonlyArray<Item>
  readonly end: null | { readonly goto: string } | { readonly node: Node }
}

/** A step with the blocks that it holds: none, the body of a loop, or the two branches of a condition. */
export interface Item {
  readonly node: Node
  readonly arms: ReadonlyArray<{ readonly way: ArmWay; readonly block: Block }>
}

/** A block by the step that holds it; `null` for the whole column. */
interface BlockRef {
  readonly holder: { readonly id: string; readonly way: ArmWay } | null
}

/** A place for a step: before the item of a block with this index. */
export interface Place extends BlockRef {
  readonly index: number
}

const targetsOf = (edges: Edges, id: string): ReadonlyArray<string> => {
  const { false: no, loop_done, loop_not_done, to, true: yes } = edges[id] ?? {}
  return [to, yes, no, loop_not_done, loop_done].filter((end) => end !== undefined)
}

/** The column of a graph, whose START comes first. Each step stands where it is first reached. */
export const columnOf = ({ edges, nodes }: Graph): Block => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const placed = new Set<string>()

  /** The steps reached from one, the nearest first. It does not go on at those that stand elsewhere. */
  const reached = (from: string, stops: ReadonlyArray<string>): ReadonlySet<string> => {
    const found = new Set([from])
    // Iterating a set includes the values that are added meanwhile.
    for (const id of found) {
      if (placed.has(id) || stops.includes(id)) continue
      for (const end of targetsOf(edges, id)) found.add(end)
    }
    return found
  }

  /** Where the branches of a condition come together, or else the branch that goes on below it. */
  const joinOf = (yes: string, no: string, stops: ReadonlyArray<string>): string => {
    const [ifSo, otherwise] = [reached(yes, stops), reached(no, stops)]
    for (const id of ifSo) if (otherwise.has(id)) return id
    const goesOn = [...ifSo].some((id) => id === stops.at(-1) || (!placed.has(id) && byId.get(id)?.action === "END"))
    return goesOn ? yes : no
  }

  /** The block from a step up to the innermost of the steps that come after the blocks around it. */
  const blockFrom = (from: string, stops: ReadonlyArray<string>): Block => {
    const items: Array<Item> = []
    for (let at = from; ; ) {
      const node = byId.get(at)
      if (at === stops.at(-1) || node === undefined) return { items, end: null }
      if (placed.has(at) || stops.includes(at)) return { items, end: { goto: at } }
      placed.add(at)
      if (node.action === "END") return { items, end: { node } }
      const { false: no, loop_done, loop_not_done, to, true: yes } = edges[at] ?? {}
      if (yes !== undefined && no !== undefined) {
        const join = joinOf(yes, no, stops)
        const within = [...stops, join]
        const ifSo = blockFrom(yes, within)
        items.push({
          node,
          arms: [
            { way: "true", block: ifSo },
            { way: "false", block: blockFrom(no, within) }
          ]
        })
        at = join
      } else if (loop_not_done !== undefined && loop_done !== undefined) {
        items.push({
          node,
          arms: [{ way: "loop_not_done", block: blockFrom(loop_not_done, [...stops, loop_done, at]) }]
        })
        at = loop_done
      } else {
        items.push({ node, arms: [] })
        at = to ?? ""
      }
    }
  }
  return blockFrom(nodes.find(({ action }) => action === "START")?.id ?? "", [])
}

/** The first step of a block; `next` where it is empty and goes on. */
const headOf = ({ end, items }: Block, next: string): string =>
  items[0]?.node.id ?? (end === null ? next : "goto" in end ? end.goto : end.node.id)

const rest = ({ end, items }: Block, from: number): Block => ({ items: items.slice(from), end })

/** The graph of a column. */
export const graphOf = (column: Block): Graph => {
  const nodes: Array<Node> = []
  const edges: Record<string, Readonly<Record<string, string>>> = {}
  const write = (block: Block, next: string) => {
    for (const [index, { arms, node }] of block.items.entries()) {
      const after = headOf(rest(block, index + 1), next)
      const isLoop = arms.length === 1
      nodes.push(node)
      edges[node.id] =
        arms.length === 0
          ? { to: after }
          : {
              ...Object.fromEntries(arms.map(({ block, way }) => [way, headOf(block, isLoop ? node.id : after)])),
              ...(isLoop ? { loop_done: after } : {})
            }
      for (const arm of arms) write(arm.block, isLoop ? node.id : after)
    }
    if (block.end !== null && "node" in block.end) nodes.push(block.end.node)
  }
  write(column, "")
  return { nodes, edges }
}

/** The nodes and edges of one graph that differ from those of another; `null` for those that it no longer has. */
export const patchOf = (before: Graph, after: Graph) => {
  const differing = <A>(one: ReadonlyMap<string, A>, other: ReadonlyMap<string, A>) =>
    Object.fromEntries(
      [...new Set([...one.keys(), ...other.keys()])]
        .filter((id) => JSON.stringify(one.get(id)) !== JSON.stringify(other.get(id)))
        .map((id) => [id, other.get(id) ?? null])
    )
  const byId = ({ nodes }: Graph) => new Map(nodes.map((node) => [node.id, node]))
  const sorted = ({ edges }: Graph) =>
    new Map(Object.entries(edges).map(([id, ends]) => [id, Object.fromEntries(Object.entries(ends).toSorted())]))
  return { nodes: differing(byId(before), byId(after)), edges: differing(sorted(before), sorted(after)) }
}

/** A line of the column, as it is shown. */
export type Line =
  /** `number` counts the steps from 1. The END of the workflow, or of a branch, has none. */
  | { readonly kind: "step"; readonly depth: number; readonly node: Node; readonly number: number | null }
  | {
      readonly kind: "arm"
      readonly depth: number
      readonly node: Node
      readonly way: ArmWay
      readonly isEmpty: boolean
    }
  | { readonly kind: "goto"; readonly depth: number; readonly to: Node | null }

export const linesOf = (column: Block): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  const byId = new Map(graphOf(column).nodes.map((node) => [node.id, node]))
  let count = 0
  const write = ({ end, items }: Block, depth: number) => {
    for (const { arms, node } of items) {
      lines.push({ kind: "step", depth, node, number: ++count })
      for (const { block, way } of arms) {
        const isEmpty = block.items.length === 0 && block.end === null
        lines.push({ kind: "arm", depth: depth + 1, node, way, isEmpty })
        write(block, depth + 2)
      }
    }
    if (end === null) return
    if ("goto" in end) lines.push({ kind: "goto", depth, to: byId.get(end.goto) ?? null })
    else lines.push({ kind: "step", depth, node: end.node, number: null })
  }
  write(column, 0)
  return lines
}

/** The number of the line after which the next step goes. */
export const cursorLine = (
  lines: ReadonlyArray<Line>,
  { after, way }: { readonly after: string; readonly way: string }
): number => {
  const own = lines.findIndex((line) =>
    line.kind === "arm" ? line.node.id === after && line.way === way : line.kind === "step" && line.node.id === after
  )
  if (way === "to") return own
  if (way !== "loop_done") return lines.findIndex((l) => l.kind === "arm" && l.node.id === after && l.way === way)
  const depth = lines[own]?.depth ?? 0
  const next = lines.findIndex((line, index) => index > own && line.depth <= depth)
  return (next < 0 ? lines.length : next) - 1
}

/** Changes every block of a column, the inner ones first. */
const changed = (
  column: Block,
  change: (block: Block, ref: BlockRef) => Block,
  ref: BlockRef = { holder: null }
): Block =>
  change(
    {
      ...column,
      items: column.items.map((item) => ({
        ...item,
        arms: item.arms.map(({ block, way }) => ({
          way,
          block: changed(block, change, { holder: { id: item.node.id, way } })
        }))
      }))
    },
    ref
  )

const isAt = (one: BlockRef, other: BlockRef): boolean =>
  one.holder?.id === other.holder?.id && one.holder?.way === other.holder?.way

/** The item of a step, where it stands, and the column without it; `null` for a step that must stay where it is. */
const taken = (column: Block, id: string) => {
  let found: { readonly item: Item; readonly place: Place } | null = null
  const without = changed(column, (block, { holder }) => {
    const index = block.items.findIndex(({ node }) => node.id === id)
    const item = block.items[index]
    if (item === undefined || item.node.action === "START") return block
    found = { item, place: { holder, index } }
    return { ...block, items: block.items.toSpliced(index, 1) }
  })
  return found === null ? null : { ...(found as { readonly item: Item; readonly place: Place }), without }
}

const put = (column: Block, place: Place, ...items: ReadonlyArray<Item>): Block =>
  changed(column, (block, ref) =>
    isAt(ref, place) ? { ...block, items: block.items.toSpliced(place.index, 0, ...items) } : block
  )

/** All steps of an item: its own, and those that it holds. */
export const nodesIn = (item: Item): ReadonlyArray<Node> => graphOf({ items: [item], end: null }).nodes

/** The item of a step; `null` for an END, and for a step that there is not. */
export const itemOf = ({ items }: Block, id: string): Item | null => {
  for (const item of items) {
    if (item.node.id === id) return item
    for (const { block } of item.arms) {
      const found = itemOf(block, id)
      if (found !== null) return found
    }
  }
  return null
}

/** The innermost LOOP that holds a step; `null` outside of loops. */
export const loopAround = ({ items }: Block, id: string): string | null => {
  for (const { arms, node } of items) {
    for (const { block } of arms) {
      if (itemOf(block, id) !== null) return loopAround(block, id) ?? (node.action === "LOOP" ? node.id : null)
    }
  }
  return null
}

/** All places of a column for a step, from its beginning to its end. Nothing goes before START. */
export const placesOf = (column: Block, holder: Place["holder"] = null): ReadonlyArray<Place> => [
  ...column.items.flatMap(({ arms, node }, index) => [
    ...(node.action === "START" ? [] : [{ holder, index }]),
    ...arms.flatMap(({ block, way }) => placesOf(block, { id: node.id, way }))
  ]),
  { holder, index: column.items.length }
]

/** The column without a step and all that it holds. What goes to one of them goes to the step after it. */
export const deleted = (column: Block, id: string): Block | null => {
  const found = taken(column, id)
  if (found === null) return null
  const { item, place, without } = found
  const gone = new Set(nodesIn(item).map((node) => node.id))
  // A step in its place shows where the column goes on.
  const mark: Node = { id: "", name: "", action: "" }
  const follows = graphOf(put(without, place, { node: mark, arms: [] })).edges[mark.id]?.to ?? ""
  return changed(without, (block) =>
    block.end !== null && "goto" in block.end && gone.has(block.end.goto) ? { ...block, end: { goto: follows } } : block
  )
}

/** The column with a step, and all that it holds, at another place of the column without it. */
export const moved = (column: Block, id: string, place: Place): Block | null => {
  const found = taken(column, id)
  return found === null ? null : put(found.without, place, found.item)
}

/** The column with a step one place further up or down, into and out of loops and branches; `null` at either end. */
export const stepped = (column: Block, id: string, by: -1 | 1): Block | null => {
  const found = taken(column, id)
  if (found === null) return null
  const places = placesOf(found.without)
  const at = places.findIndex((place) => isAt(place, found.place) && place.index === found.place.index)
  const place = places[at + by]
  return place === undefined ? null : put(found.without, place, found.item)
}

/** The column with a step before or after another one. */
export const movedTo = (column: Block, id: string, beside: string, where: "before" | "after"): Block | null => {
  const found = taken(column, id)
  const target = found === null ? null : taken(found.without, beside)
  if (found === null || target === null) return null
  const { holder, index } = target.place
  return put(found.without, { holder, index: where === "before" ? index : index + 1 }, found.item)
}

/** A name that no step has yet. */
export const freeName = (column: Block, wanted: string): string => {
  const names = new Set(graphOf(column).nodes.map(({ name }) => name))
  let name = wanted
  for (let count = 2; names.has(name); count++) name = `${wanted} ${count}`
  return name
}

/** The column with a copy of a step, and of all that it holds, after it. `newId` answers another id each time. */
export const duplicated = (column: Block, id: string, newId: () => string): Block | null => {
  const found = taken(column, id)
  if (found === null) return null
  const ids = new Map(nodesIn(found.item).map((node) => [node.id, newId()]))
  const names = new Set(graphOf(column).nodes.map(({ name }) => name))
  const copied = (node: Node): Node => {
    let name = node.name
    for (let count = 2; names.has(name); count++) name = `${node.name} ${count}`
    names.add(name)
    return { ...node, id: ids.get(node.id) ?? "", name }
  }
  const copyOf = ({ arms, node }: Item): Item => ({
    node: copied(node),
    arms: arms.map(({ block, way }) => ({ way, block: copyOfBlock(block) }))
  })
  const copyOfBlock = ({ end, items }: Block): Block => ({
    items: items.map(copyOf),
    end: end === null ? null : "goto" in end ? { goto: ids.get(end.goto) ?? end.goto } : { node: copied(end.node) }
  })
  return put(column, { ...found.place, index: found.place.index + 1 }, copyOf(found.item))
}

/** The column with a loop or a condition in place of a step, which it holds. */
export const wrapped = (column: Block, id: string, node: Node): Block | null => {
  const found = taken(column, id)
  if (found === null) return null
  const block: Block = { items: [found.item], end: null }
  const arms: Item["arms"] =
    node.action === "LOOP"
      ? [{ way: "loop_not_done", block }]
      : [
          { way: "true", block },
          { way: "false", block: { items: [], end: null } }
        ]
  return put(found.without, found.place, { node, arms })
}

/** The column with the steps that a step holds in its place; `null` where they do not go on after it. */
export const unwrapped = (column: Block, id: string): Block | null => {
  const found = taken(column, id)
  const [first, ...others] = found?.item.arms ?? []
  if (found === null || first?.block.end !== null) return null
  if (others.some(({ block }) => block.items.length > 0)) return null
  return put(found.without, found.place, ...first.block.items)
}
