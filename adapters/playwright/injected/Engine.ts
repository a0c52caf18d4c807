/**
 * The code that runs in the isolated world of every page: a selector engine for Playwright. It finds elements, and runs
 * the functions of `Functions.ts` by name.
 */
import type { Query } from "../../../core/browser/element/Selector.ts"
import { typed } from "./act/Editors.ts"
import { reached } from "./act/Reach.ts"
import { begin } from "./dom/Visit.ts"
import { functions, functionsOfAll } from "./Functions.ts"
import { gather, gathered, kept, keptElement } from "./find/Kept.ts"
import { hasFrames, hasShadow, isElement } from "./find/Nodes.ts"
import { countPlain, elements } from "./find/XPath.ts"
import { hear, stirring } from "./look/Stirring.ts"

/** The request: elements to act on, or an answer of a function. */
export type Job =
  | {
      readonly query: Query
      /**
       * `top`: the document alone, or else its shadow roots; if there are frames too, they must be searched first. Ends
       * with `elsewhere` while the document is parsed.
       * `own`: the document alone. `whole`: with its shadow roots.
       */
      readonly where: "top" | "own" | "whole"
      readonly take: "one" | "first" | "all"
      /** With `top`: ends with `elsewhere`, where nothing is found, once this number is kept as `left`. */
      readonly visit?: number
    }
  | { readonly run: string; readonly arg: unknown }
  /** Runs a function on all elements that were gathered under a name. */
  | { readonly runOnAll: string; readonly arg: unknown; readonly gathered: string }
  /** The element that a function kept under this name. */
  | { readonly kept: string }
  /** The element itself, if it is a plain field; ends with `special` otherwise. */
  | { readonly plain: true }
  /** The element that is pressed for it, once nothing moves; ends with `hover` where the pointer has to come first. */
  | { readonly press: "near" | "there" }
  /** Collects elements one by one, for a function that runs next. */
  | { readonly gather: string }

/** The functions after which it matters whether the document says that it is busy. */
const reads: ReadonlySet<string> = new Set(["extract", "answers", "textOf"])

/** Returns the found elements, or, for a function, an element that contains its result. */
const queryAll = (root: Node, body: string): ReadonlyArray<Element> => {
  const job: Job = JSON.parse(body)
  begin()
  if ("query" in job) return find(job)
  if ("kept" in job) {
    const element = keptElement(job.kept)
    if (element === null) throw new Error("sluice:gone")
    return [element]
  }
  const subject = isElement(root) ? root : document.documentElement
  if ("plain" in job) {
    const { editor, isChosen } = typed(null, subject)
    if (editor !== null || isChosen) throw new Error("sluice:special")
    return [subject]
  }
  if ("press" in job) return reached(subject, job.press === "there")
  if ("gather" in job) {
    gather(job.gather, subject)
    return []
  }
  // The result is returned in an element outside of any document, so the page cannot see it.
  const answer = document.createElement("data")
  const result = answerTo(job, subject) ?? null
  answer.textContent = JSON.stringify([result, stirring("run" in job && reads.has(job.run))])
  return [answer]
}

/** The name of a job is that of a function, and its argument what that takes: `World.ts` checks both when it is compiled. */
const answerTo = (job: Extract<Job, { readonly arg: unknown }>, subject: Element): unknown => {
  if ("run" in job) {
    const all: Readonly<Record<string, (arg: never, subject: Element) => unknown>> = functions
    // `World.ts` checks the argument when it is compiled.
    return all[job.run]?.(job.arg as never, subject)
  }
  const all: Readonly<Record<string, (elements: ReadonlyArray<Element>, arg: never) => unknown>> = functionsOfAll
  // As above.
  return all[job.runOnAll]?.(gathered(job.gathered), job.arg as never)
}

const find = ({ query, take, visit, where }: Extract<Job, { readonly query: Query }>): ReadonlyArray<Element> => {
  if (where === "top" && document.readyState === "loading") throw new Error("sluice:elsewhere")
  if (take === "one" && where !== "whole") {
    const many = countPlain(query)
    if (many > 100) throw new Error(`sluice:several ${many}`)
  }
  let found = where === "whole" ? [] : elements(query, false)
  if (found.length === 0 && where === "top") {
    if (hasFrames() || (visit !== undefined && kept("left") === visit)) throw new Error("sluice:elsewhere")
    if (hasShadow()) found = elements(query, true)
  }
  if (where === "whole") found = elements(query, true)
  if (found.length === 0 && where !== "top" && take !== "all") throw new Error("sluice:gone")
  if (found.length > 1 && take === "one") throw new Error(`sluice:several ${found.length}`)
  return take === "first" ? found.slice(0, 1) : found
}

/** As Playwright asks for it. The watcher of the page answers an event of this name. */
export const engine = (watcher: string) => {
  hear(watcher)
  return { queryAll, query: (root: Node, body: string): Element | null => queryAll(root, body)[0] ?? null }
}
