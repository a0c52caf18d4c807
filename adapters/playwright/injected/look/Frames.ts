/**
 * Frames that can be seen.
 */

import { originIn } from "../dom/Tree.ts"
import { isVisible } from "../dom/Visible.ts"
import { oncePerVisit } from "../dom/Visit.ts"
import { keep, keptElement } from "../find/Kept.ts"
import { selectorOf } from "../find/Selectors.ts"

/** A frame that can be seen, by the name under which its element is kept, and a selector that leads to that alone. */
export interface Inner {
  readonly name: string
  readonly selector: string
}

const numbers = oncePerVisit(() => ({ next: 0 }))

/** The visible frames among elements, each kept under a separate name. */
export const framesAmong = (elements: ReadonlyArray<Element>): ReadonlyArray<Inner> =>
  elements
    .filter((element) => /^i?frame$/i.test(element.tagName) && isVisible(element))
    .map((element) => {
      const name = `inner ${numbers().next++}`
      keep(name, element)
      return { name, selector: selectorOf(element) }
    })

/** The frame that is kept under a name, with a selector that leads to it; `null` where it cannot be seen. */
export const wayTo = (name: string): Inner | null => {
  const element = keptElement(name)
  return element === null ? null : (framesAmong([element])[0] ?? null)
}

/**
 * The origin of the document of a kept frame; `null` where the frame has no place in the window. It may be hidden: what
 * covers secrets in pictures must miss no frame that a picture could show.
 */
export const originOf = (name: string): { readonly x: number; readonly y: number } | null => {
  const element = keptElement(name)
  const { height, width } = element?.getBoundingClientRect() ?? { height: 0, width: 0 }
  return element === null || height < 2 || width < 2 ? null : originIn(element)
}
