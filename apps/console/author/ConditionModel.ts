/** Conditions from what is on the page, in which a step is put. */
import { called, proposed } from "./AuthorModel.ts"
import * as Column from "./Column.ts"
import type { Draft, PageTarget } from "./Conversation.ts"
import { editing, graphIn, waitsForPage } from "./StepModel.ts"

/** A condition, as a person reads it and as its node. */
export interface PageCondition {
  readonly word: string
  readonly name: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Maximum length of a text in the name of a condition, in characters. */
const longest = 40

const short = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text)

/** The conditions that an element of a page offers: it is there, it is not, it says its text, and where the page is. */
export const conditionsOf = (target: PageTarget, url: string): ReadonlyArray<PageCondition> => {
  const selector = proposed(target)
  const what = called(target)
  const element = `<<xpath:${selector}>>`
  const { pathname = "" } = URL.parse(url) ?? {}
  const isXPath = /^[/(]/.test(selector)
  return [
    ...(isXPath
      ? [
          {
            word: `${what} is there`,
            name: `Is ${what} there?`,
            parameters: { comparison_operator: "IS_NOT_NULL", comparison_value_1: element, ...waitsForPage }
          },
          {
            word: `${what} is not there`,
            name: `Is ${what} missing?`,
            parameters: { comparison_operator: "IS_NULL", comparison_value_1: element, ...waitsForPage }
          }
        ]
      : []),
    ...(isXPath && target.kind === "read" && target.name !== "" && !target.name.includes("{{")
      ? [
          {
            word: `it says “${short(target.name)}”`,
            name: `Does it say “${short(target.name)}”?`,
            parameters: {
              comparison_operator: "CONTAINS",
              comparison_value_1: `<<xpath:${placeOf(target)}>>`,
              comparison_value_2: target.name,
              ...waitsForPage
            }
          }
        ]
      : []),
    ...(pathname.length > 1 && !pathname.includes("{{")
      ? [
          {
            word: `the address contains ${short(pathname)}`,
            name: `Is the address ${short(pathname)}?`,
            parameters: {
              comparison_operator: "CONTAINS",
              comparison_value_1: "{{window.location.href}}",
              comparison_value_2: pathname
            }
          }
        ]
      : [])
  ].map(({ parameters, ...words }) => ({ ...words, parameters: { execution: "STATIC", ...parameters } }))
}

/** A selector that does not contain the text of the element, which is what is compared. */
const placeOf = ({ name, selectors }: PageTarget): string => {
  const others = selectors.filter(({ matches, selector }) => matches === 1 && /^[/(]/.test(selector))
  return (others.find(({ selector }) => !selector.includes(name)) ?? others[0] ?? selectors[0])?.selector ?? ""
}

/**
 * A step that can be put in a condition; `null` where the next step goes right behind it or into it: that would be one of the
 * branch.
 */
export const followed = (column: Column.Block, step: Column.Node, { after }: Draft["cursor"]): Column.Node | null => {
  const item = Column.itemOf(column, step.id)
  if (item === null || step.action === "START") return null
  return Column.nodesIn(item).some(({ id }) => id === after) ? null : step
}

/** The column with a step in a condition, which has its two branches; `null` for a step that must stay where it is. */
export const conditioned = (
  column: Column.Block,
  step: string,
  { name, parameters }: PageCondition,
  id: string
): Column.Block | null =>
  Column.wrapped(column, step, { id, name: Column.freeName(column, name), action: "BOOL_CONDITION", parameters })

/** The messages that put a step of a draft in a condition; none for one that must stay where it is. */
export const conditioning = (
  draft: Pick<Draft, "edges" | "nodes">,
  step: string,
  condition: PageCondition,
  id: string
): ReadonlyArray<string> => {
  const graph = graphIn(draft)
  const changed = conditioned(Column.columnOf(graph), step, condition, id)
  return changed === null ? [] : [editing(Column.patchOf(graph, Column.graphOf(changed)))]
}
