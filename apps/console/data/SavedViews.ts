/**
 * Named filters of the list of runs. The browser keeps them for one user of one workspace: the names and the filters, and
 * no data of runs.
 */
import { Atom } from "effect/reactivity"
import { registry } from "../kit/Registry.ts"
import { session } from "../kit/Session.ts"

export interface SavedView {
  readonly name: string
  /** The filters in the form of the address, such as `status=execution.failed&since=day`. */
  readonly query: string
}

export const mostViews = 20
export const mostNameLength = 60
const mostQueryLength = 2_000

/** The storage key of the views of the signed-in user. */
const place = (): string => {
  const now = registry.get(session)
  return now === null || now === "none" ? "" : `sluice.views.${now.workspace_id}.${now.user_id}`
}

/** The views in a stored text. Entries of another form are left out: other code may have written the text. */
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

/** The problem of a view's name; `null` when it is valid. */
export const problemOf = (name: string): string | null =>
  name.trim() === ""
    ? "Expected a name, such as Failed today"
    : name.length > mostNameLength
      ? `Expected a name of at most ${mostNameLength} characters, got ${name.length}`
      : null

/** Filters of an address in sorted order, so that equal filters are equal texts. */
export const canonical = (query: string): string => {
  const parameters = new URLSearchParams(query)
  parameters.sort()
  return parameters.toString()
}

/** The views with one more, which replaces a view of the same name; `null` when there are too many. */
export const withView = (views: ReadonlyArray<SavedView>, view: SavedView): ReadonlyArray<SavedView> | null => {
  const isKnown = views.some(({ name }) => name === view.name)
  if (isKnown) return views.map((one) => (one.name === view.name ? view : one))
  return views.length >= mostViews ? null : [...views, view]
}

/** The stored text; `null` when the browser's storage is switched off. */
const stored = (): string | null => {
  try {
    return localStorage.getItem(place())
  } catch {
    return null
  }
}

/** The views of the signed-in user. Another tab of the browser may change them. */
export const savedViews = Atom.readable<ReadonlyArray<SavedView>>((get) => {
  const read = () => viewsIn(stored())
  const changed = () => get.setSelf(read())
  window.addEventListener("storage", changed)
  get.addFinalizer(() => window.removeEventListener("storage", changed))
  return read()
})

/** Stores views. Answers the reason when that failed, else `null`. */
export const keepViews = (views: ReadonlyArray<SavedView>): string | null => {
  try {
    localStorage.setItem(place(), JSON.stringify(views))
  } catch {
    return "This browser cannot store the view: its storage is full or switched off"
  }
  registry.refresh(savedViews)
  return null
}
