/**
 * Named filters of the list of runs. They are kept in the browser for one user of one workspace: the names and the filters,
 * and nothing of a run.
 */
import { Atom } from "effect/reactivity"
import { registry } from "../kit/Registry.ts"
import { session } from "../kit/Session.ts"

export interface SavedView {
  readonly name: string
  /** The filters as they stand in the address, such as `status=execution.failed&since=day`. */
  readonly query: string
}

export const mostViews = 20
export const mostNameLength = 60
const mostQueryLength = 2_000

/** Where the views of the user who is signed in are kept. */
const place = (): string => {
  const now = registry.get(session)
  return now === null || now === "none" ? "" : `sluice.views.${now.workspace_id}.${now.user_id}`
}

/** The views that a stored text holds. What has another form is left out: the text may be of any origin. */
export const viewsIn = (text: string | null): ReadonlyArray<SavedView> => {
  let stored: unknown
  try {
    stored = JSON.parse(text ?? "[]")
  } catch {
    return []
  }
  const views = (Array.isArray(stored) ? stored : []).flatMap((one: unknown): ReadonlyArray<SavedView> => {
    if (typeof one !== "object" || one === null || !("name" in one) || !("query" in one)) return []
    const { name, query } = one
    const isView = typeof name === "string" && typeof query === "string" && problemOf(name) === null
    return isView && query.length <= mostQueryLength ? [{ name, query: canonical(query) }] : []
  })
  return views.reduce<ReadonlyArray<SavedView>>((all, view) => withView(all, view) ?? all, [])
}

/** What is wrong with the name of a view; `null` when nothing is. */
export const problemOf = (name: string): string | null =>
  name.trim() === ""
    ? "Expected a name, such as Failed today"
    : name.length > mostNameLength
      ? `Expected a name of at most ${mostNameLength} characters, got ${name.length}`
      : null

/** Filters of an address in one order, so that equal ones are equal texts. */
export const canonical = (query: string): string => {
  const parameters = new URLSearchParams(query)
  parameters.sort()
  return parameters.toString()
}

/** The views with one more, in place of the one of its name; `null` where there are too many. */
export const withView = (views: ReadonlyArray<SavedView>, view: SavedView): ReadonlyArray<SavedView> | null => {
  const isKnown = views.some(({ name }) => name === view.name)
  if (isKnown) return views.map((one) => (one.name === view.name ? view : one))
  return views.length >= mostViews ? null : [...views, view]
}

/** What the browser has stored; `null` where its storage is switched off. */
const stored = (): string | null => {
  try {
    return localStorage.getItem(place())
  } catch {
    return null
  }
}

/** The views of the user who is signed in. Another tab of the browser may change them. */
export const savedViews = Atom.readable<ReadonlyArray<SavedView>>((get) => {
  const read = () => viewsIn(stored())
  const changed = () => get.setSelf(read())
  window.addEventListener("storage", changed)
  get.addFinalizer(() => window.removeEventListener("storage", changed))
  return read()
})

/** Keeps views; answers why that failed, or `null`. */
export const keepViews = (views: ReadonlyArray<SavedView>): string | null => {
  try {
    localStorage.setItem(place(), JSON.stringify(views))
  } catch {
    return "This browser keeps nothing for this page: its storage is full or switched off"
  }
  registry.refresh(savedViews)
  return null
}
