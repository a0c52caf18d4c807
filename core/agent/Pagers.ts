/**
 * Loops that end where an element is gone, such as a link to the next page. One that ends because its selector no longer
 * fits looks the same as one that has reached the last page, so its end is checked.
 */
import { Effect } from "effect"
import type { BrowserSession } from "../browser/Browser.ts"
import * as LiveSelectors from "../workflow/language/expression/LiveSelectors.ts"
import * as Template from "../workflow/language/expression/Template.ts"
import type { Graph, Node, NodeId, NodeOf } from "../workflow/language/graph/Graph.ts"
import * as GraphLoops from "../workflow/language/graph/GraphLoops.ts"
import * as Executions from "../workflow/language/parameters/Executions.ts"
import type { Warning } from "./Warning.ts"

/** The element that keeps a loop with a click going. */
interface Pager {
  readonly selector: string
  /** The decision by which the loop goes on. */
  readonly onward: boolean
}

/** How many ways to a further page a page had, where a condition last let its loop go on. */
export type Pagers = Map<NodeId, number>

/** A doubt about the end of a loop. */
interface Doubt {
  readonly warning: Warning
  /** Whether the loop has gone on before: then its page has no more such ways than one with a further page. */
  readonly isSure: boolean
}

/**
 * The doubt about a decision that ends a loop on a page that shows another way on; `null` for any other. A page may have such
 * ways beside its list, such as that of a picture gallery: those were there as well while the loop went on.
 */
export const doubtOf = Effect.fnUntraced(function* (
  pagers: Pagers,
  graph: Graph,
  node: Node,
  holds: boolean,
  { elements }: Pick<BrowserSession, "elements">
): Effect.fn.Return<Doubt | null> {
  if (node.action !== "BOOL_CONDITION") return null
  const pager = askedFor(node)
  if (pager === null || !isPaged(graph, node, pager)) return null
  // A page that cannot be searched has nothing to warn of: the condition on it was decided.
  const ways = elements.states([furtherPage]).pipe(
    Effect.map(([state]) => state?.matched ?? 0),
    Effect.orElseSucceed(() => 0)
  )
  if (holds === pager.onward) {
    pagers.set(node.id, yield* ways)
    return null
  }
  const before = pagers.get(node.id)
  pagers.delete(node.id)
  const found = yield* Effect.orElseSucceed(elements.seen([furtherPage]), () => [])
  if (found.length === 0 || (before !== undefined && (yield* ways) < before)) return null
  const text = yield* Effect.orElseSucceed(elements.read({ selector: furtherPage, waitMillis: 0 }), () => null)
  const sentence = `The loop ended where ${pager.selector} was gone, on a page that shows another way to a further one: expected it to be the last page`
  return { warning: { code: "PAGER-W0001", sentence, value: text }, isSure: before !== undefined }
})

/** Whether a condition ends a loop with a click by the element that it asks for. */
const isPaged = (graph: Graph, { id }: Node, { onward }: Pager): boolean => {
  const edge = graph.edges.get(id)
  if (edge?._tag !== "Branch") return false
  return GraphLoops.endedBy(graph, id).some(
    ({ nodes }) =>
      nodes.has(onward ? edge.onTrue : edge.onFalse) &&
      [...nodes].some((member) => graph.nodes.get(member)?.action === "CLICK")
  )
}

/** The element that a condition asks for, and the decision by which it is there. */
const askedFor = ({ parameters }: NodeOf<"BOOL_CONDITION">): Pager | null => {
  const { comparison_operator: operator = "EQUAL", comparison_value_1, comparison_value_2, execution } = parameters
  if (Executions.isModelExecution(execution) || typeof comparison_value_1 !== "string") return null
  const [part, ...others] = LiveSelectors.split(comparison_value_1)
  if (typeof part !== "object" || others.length > 0) return null
  const { selector } = part
  switch (operator) {
    case "IS_NOT_NULL":
    case "IS_NULL":
      return { selector, onward: operator === "IS_NOT_NULL" }
    case "EQUAL":
    case "NOT_EQUAL": {
      // A value of the run is no word of a link.
      const isWord = typeof comparison_value_2 === "string" && !Template.isTemplate(comparison_value_2)
      return isWord ? { selector, onward: operator === "EQUAL" } : null
    }
    default:
      return null
  }
}

/** What links and buttons to a further page say, in lower case and without arrows. */
const words = [
  "next|next page|load more|show more|more results|older|weiter|nächste|nächste seite|mehr laden|mehr anzeigen",
  "suivant|suivante|page suivante|afficher plus|voir plus|charger plus|siguiente|página siguiente|cargar más|ver más",
  "próximo|próxima|próxima página|seguinte|carregar mais|mostrar mais|avanti|successivo|successiva|carica altro",
  "volgende|volgende pagina|meer laden|meer tonen|næste|neste|nästa|nästa sida|ladda fler|visa fler|seuraava",
  "następna|następny|następna strona|dalej|další|ďalší|následující|következő|următoarea|sonraki|ileri|επόμενη",
  "далее|дальше|следующая|вперёд|вперед|показать ещё|наступна|далі|次へ|次|次のページ|下一页|下一頁|다음|التالي|הבא"
].join("|")

const arrows = "›»→❯▶⟩>"

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜÉÈÁÍÓÚÃÇÅÆØŘŠŽÝĎŐŰŞЁАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯІЇΕΠΌΜΗ"

/** An XPath condition: a text is one of those words, or nothing but an arrow. */
const says = (text: string): string => {
  const isWord = `contains("|${words}|", concat("|", normalize-space(translate(${text}, "${upper}${arrows}", "${upper.toLowerCase()}")), "|"))`
  return `(${isWord} or contains("|${[...arrows].join("|")}|>>|", concat("|", normalize-space(${text}), "|")))`
}

const canBeUsed =
  "self::a[@href or @onclick or @role or @tabindex] or self::button or self::input[@type='button' or @type='submit'] or @role='button' or @role='link'"

const isOff =
  "ancestor-or-self::*[@disabled or @aria-disabled='true' or contains(concat(' ', @class, ' '), ' disabled ') or contains(@class, '-disabled') or contains(concat(' ', @class, ' '), ' inactive ')]"

/** Links and buttons that can be used and say that they lead to a further page. */
export const furtherPage = `//*[${canBeUsed}][@rel='next' or ${[".", "@aria-label", "@value", "@title"].map(says).join(" or ")}][not(${isOff})]`
