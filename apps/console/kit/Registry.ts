/** The state of the page: atoms in one registry, and the hook by which components read them. */
import { Atom, AtomRegistry } from "effect/reactivity"
import { useEffect, useReducer } from "preact/hooks"

/** An atom that no component shows is forgotten after half a minute. */
export const registry = AtomRegistry.make({ defaultIdleTTL: 30_000 })

/** The value of an atom. The component is drawn again when it changes. */
export const useAtom = <A>(atom: Atom.Atom<A>): A => {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0)
  const drawn = registry.get(atom)
  useEffect(() => {
    const end = registry.subscribe(atom, () => redraw())
    // The value may have changed between the drawing and the subscription.
    if (registry.get(atom) !== drawn) redraw()
    return end
  }, [atom])
  return drawn
}

/** The current instant, to the second. */
export const now = Atom.readable<number>((get) => {
  const timer = setInterval(() => get.setSelf(Date.now()), 1_000)
  get.addFinalizer(() => clearInterval(timer))
  return Date.now()
})
