/**
 * When the logins of an execution begin, and when they are over.
 *
 * The login with a credential begins when a step first uses one of its secrets. It is over once no step that may still
 * come uses them and the site has shown what follows: the steps after the last use found what they looked for. If the
 * site still accepts the session, no secret is used: then it is over as soon as none can be.
 */

import * as CredentialUse from "../../workflow/language/graph/CredentialUse.ts"
import { type Graph, type Node, type NodeId, reach, targets } from "../../workflow/language/graph/Graph.ts"
import type { Code } from "../Failure.ts"

type Alias = string

type Phase =
  | { readonly _tag: "Awaited" }
  /** `left` is how many steps must still find what they look for. */
  | { readonly _tag: "InProgress"; readonly left: number }
  | { readonly _tag: "Over" }

export interface Login {
  /** The nodes that use each credential, and those from which one of these can be reached. */
  readonly uses: ReadonlyMap<Alias, ReadonlySet<NodeId>>
  readonly ahead: ReadonlyMap<Alias, ReadonlySet<NodeId>>
  /** Those in progress are in the order in which they began. */
  readonly phases: ReadonlyMap<Alias, Phase>
}

/** The result of a step, and the credentials that it began or ended the login with. */
export interface LoginChange {
  readonly login: Login
  readonly aliases: ReadonlyArray<Alias>
}

/** How many steps must find what they look for after a step that used a secret: one of them sends the form. */
const stepsAfter = 2
const stepsAfterSending = 1

/** The logins before the first node. The credentials that no node uses are over already. */
export const before = (graph: Graph, aliases: Iterable<Alias>): LoginChange => {
  const all = new Set(aliases)
  const previous = new Map<NodeId, Array<NodeId>>()
  for (const [id, edge] of graph.edges) {
    for (const target of targets(edge)) {
      const known = previous.get(target)
      if (known === undefined) previous.set(target, [id])
      else known.push(id)
    }
  }
  const uses = new Map<Alias, Set<NodeId>>([...all].map((alias) => [alias, new Set()]))
  for (const node of all.size === 0 ? [] : graph.nodes.values()) {
    for (const alias of CredentialUse.usedBy(node, (name) => all.has(name))) uses.get(alias)?.add(node.id)
  }
  const ahead = new Map([...uses].map(([alias, nodes]) => [alias, reach(nodes, (id) => previous.get(id) ?? [])]))
  const phases = new Map<Alias, Phase>([...all].map((alias) => [alias, { _tag: "Awaited" }]))
  return ended({ uses, ahead, phases }, graph.start)
}

/** A node is about to be done. */
export const begin = (login: Login, node: Node): LoginChange => {
  const aliases = [...login.phases].flatMap(([alias, { _tag }]) =>
    _tag === "Awaited" && login.uses.get(alias)?.has(node.id) === true ? [alias] : []
  )
  if (aliases.length === 0) return { login, aliases }
  const phases = new Map(login.phases)
  for (const alias of aliases) {
    phases.delete(alias)
    phases.set(alias, { _tag: "InProgress", left: stepsAfter })
  }
  return { login: { ...login, phases }, aliases }
}

/** A node succeeded, and leads to `next`. */
export const after = (login: Login, node: Node, next: NodeId): LoginChange => {
  const phases = new Map(login.phases)
  for (const [alias, phase] of login.phases) {
    if (phase._tag !== "InProgress") continue
    const uses = login.uses.get(alias)?.has(node.id) === true
    const left = uses ? (sends(node) ? stepsAfterSending : stepsAfter) : looks(node) ? phase.left - 1 : phase.left
    phases.set(alias, { _tag: "InProgress", left: Math.max(left, 0) })
  }
  return ended({ ...login, phases }, next)
}

/** The credential whose login is in progress; of several, the one that began last. `null` when there is none. */
export const inProgress = (login: Login): Alias | null =>
  [...login.phases].reduce<Alias | null>((last, [alias, { _tag }]) => (_tag === "InProgress" ? alias : last), null)

const ended = (login: Login, next: NodeId): LoginChange => {
  const aliases = [...login.phases].flatMap(([alias, phase]) => {
    if (phase._tag === "Over" || login.ahead.get(alias)?.has(next) === true) return []
    return phase._tag === "Awaited" || phase.left === 0 ? [alias] : []
  })
  if (aliases.length === 0) return { login, aliases }
  const over = aliases.map((alias): readonly [Alias, Phase] => [alias, { _tag: "Over" }])
  return { login: { ...login, phases: new Map([...login.phases, ...over]) }, aliases }
}

/** Whether a node sends what it types. */
const sends = (node: Node): boolean =>
  node.action === "TFA" || (node.action === "INPUT_TEXT" && node.parameters.submit_after_input === true)

/** Whether a node succeeds only on a page that has what it looks for. */
const looks = (node: Node): boolean => {
  switch (node.action) {
    case "CLICK":
    case "DRAG":
    case "INPUT_SELECT":
      return true
    case "INPUT_TEXT":
      return node.parameters.omit_focus !== true
    case "EXTRACT_DATAMODEL":
      return (node.parameters.selector ?? "") !== ""
    case "TFA":
      return node.parameters.tfa_type !== "MAGIC_LINK"
    default:
      return false
  }
}

const byThePage: ReadonlySet<Code> = new Set([
  "SELECTOR-E0001",
  "SELECTOR-E0002",
  "OPTION-E0001",
  "CONDITION-E0001",
  "TFA-E0001",
  "ACCOUNT-E0001",
  "ACCOUNT-E0002"
])

/** Whether a failure is of the page, so that, during a login, it is how a site refuses one. */
export const isByThePage = (code: Code): boolean => byThePage.has(code)
