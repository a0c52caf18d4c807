/** The place that the page shows: a path and filters after the `#` of its address. */
import { Atom } from "effect/reactivity"
import { registry } from "./Registry.ts"

export interface Route {
  readonly path: ReadonlyArray<string>
  readonly query: URLSearchParams
}

export const parse = (hash: string): Route => {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2)
  return {
    path: path
      .split("/")
      .filter((part) => part !== "")
      .map(decoded),
    query: new URLSearchParams(query)
  }
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The address of a place within the page. */
export const to = (path: ReadonlyArray<string>, query: Readonly<Record<string, string | undefined>> = {}): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value]]
  )
  const search = new URLSearchParams(given).toString()
  return `#/${path.map(encodeURIComponent).join("/")}${search === "" ? "" : `?${search}`}`
}

/** What must not be left without a question: its address, and who asks. */
let held: { readonly at: string; readonly ask: (address: string) => void } | null = null

/** Has a person asked before the present place is left. Answers what takes that back. */
export const hold = (ask: (address: string) => void): (() => void) => {
  const own = { at: location.hash, ask }
  held = own
  return () => {
    if (held === own) held = null
  }
}

/** Whether a place is left that is held: then the address stays, and a person is asked. */
const isKept = (): boolean => {
  if (held === null || location.hash === held.at) return false
  const { hash } = location
  history.replaceState(null, "", held.at)
  held.ask(hash)
  return true
}

export const route = Atom.keepAlive(
  Atom.readable((get) => {
    const changed = () => isKept() || get.setSelf(parse(location.hash))
    window.addEventListener("hashchange", changed)
    get.addFinalizer(() => window.removeEventListener("hashchange", changed))
    return parse(location.hash)
  })
)

/**
 * Goes to a place. With `replace`, the browser's history does not keep the place before. With `asked`, a person was asked
 * about what the present place holds.
 */
export const go = (address: string, options: { readonly replace?: boolean; readonly asked?: boolean } = {}): void => {
  if (options.asked === true) held = null
  if (options.replace === true) {
    history.replaceState(null, "", address)
    registry.refresh(route)
  } else location.hash = address
}

/** Changes filters of the current place. A filter without a value is removed. */
export const filter = (changes: Readonly<Record<string, string | null>>): void => {
  const { path, query } = registry.get(route)
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") next.delete(name)
    else next.set(name, value)
  }
  go(to(path, Object.fromEntries(next)), { replace: true })
}
