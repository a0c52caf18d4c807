/** What lists of the browser hold right after they were changed, however late that is asked. */

/**
 * How long after a choice its page shows it, in milliseconds. What no longer shows it then is a menu, which did what was
 * chosen; what takes it back later waited for an answer.
 */
export const shownMillis = 20

const held = new WeakMap<HTMLSelectElement, string>()
const watched = new WeakSet<HTMLSelectElement>()

/** Remembers what a list holds after its next change. */
export const watchChange = (list: HTMLSelectElement): void => {
  held.delete(list)
  if (watched.has(list)) return
  watched.add(list)
  list.addEventListener("change", () => setTimeout(() => held.set(list, list.value), shownMillis), { capture: true })
}

/** What a list held right after its last change; `null` where that was not watched, or is not over yet. */
export const heldAfterChange = (list: Element): string | null =>
  (list instanceof HTMLSelectElement ? held.get(list) : undefined) ?? null
