/**
 * Where a walk ends that only signs in: a check of a credential. It proves that the site has let the account in, and does
 * nothing of what the workflow does then.
 */
import { Effect } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import type { Graph, Node } from "../../workflow/language/graph/Graph.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { StepFailed } from "../Failure.ts"
import * as Memory from "../variables/Memory.ts"
import type { Login } from "./Login.ts"

/** What a walk that only signs in has come to before it does a node. */
export interface Reached {
  readonly node: Node
  readonly login: Login
  readonly memory: Memory.Memory
  readonly page: SessionParts<"elements" | "navigation">
}

/** What nodes do, as the walk knows it. */
export interface NodeFacts {
  readonly acts: (node: Node) => boolean
  /** Whether a node must not be done by a check: it must not be repeated, waits for an approval, or ends dry runs. */
  readonly isFinal: (node: Node) => boolean
}

export type Verdict = "goes on" | "signed in"

/**
 * Makes the judge of a walk. It is signed in once the login is over, or once the page has left the one where the last secret
 * was used and shows what the next act looks for, which is not done. Fails before a node that a check must not do.
 */
export const make = (alias: string, graph: Graph, { acts, isFinal }: NodeFacts) => {
  let lastUsed: string | null = null

  return Effect.fnUntraced(function* ({ login, memory, node, page }: Reached): Effect.fn.Return<Verdict, StepFailed> {
    const phase = login.phases.get(alias)
    // A credential that no step uses is over from the start: the first page may ask for it by HTTP authentication.
    if (node.id === graph.start) return "goes on"
    if (phase === undefined || phase._tag === "Over" || node.action === "END") return "signed in"
    if (isFinal(node)) return yield* stopped(alias, node, "a check must not do that step")
    const isAhead = login.ahead.get(alias)?.has(node.id) === true
    const place = pathOf(yield* page.navigation.address)
    if (login.uses.get(alias)?.has(node.id) === true) lastUsed = place
    if (phase._tag === "Awaited" || isAhead || place === lastUsed || !acts(node)) return "goes on"
    const { selector } = node.parameters as { readonly selector?: unknown }
    if (typeof selector !== "string") return yield* stopped(alias, node, "that step has no selector to look for")
    const query = yield* Memory.evaluateText(selector, memory, page)
    const text = yield* page.elements
      .read({ selector: query, waitMillis: defaultWaitMillis })
      .pipe(Effect.orElseSucceed(() => null))
    // Where it is not there, the step fails by itself, and says so as in any run.
    return text === null ? "goes on" : "signed in"
  })
}

const pathOf = (address: string): string => {
  const url = URL.parse(address)
  return url === null ? address : `${url.origin}${url.pathname}`
}

const stopped = (alias: string, { name }: Node, why: string) =>
  Effect.fail(
    new StepFailed({
      code: "CONDITION-E0001",
      sentence: `Cannot check the credential ${alias}: the sign-in is not over before the step "${name}", and ${why}`,
      original: null
    })
  )
