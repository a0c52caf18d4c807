/**
 * What is to be seen of a scripted page, and acting on it without selectors: each element is a line of its own, twenty
 * pixels high, from the top of the window down.
 */
import { Effect } from "effect"
import type { Page } from "../../../core/browser/Browser.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Place, Sight } from "../../../core/browser/vision/Sight.ts"

export const lineHeight = 20
const window = { width: 800, height: 600 }
const picture = { bytes: new Uint8Array([0xff, 0xd8]), mediaType: "image/jpeg" } as const

/** An element of a page, as far as it is to be seen. */
interface Line {
  readonly selector: string
  readonly text?: string
  readonly value?: string
  readonly type?: "password"
  readonly options?: ReadonlyArray<string>
}

export interface Scripted extends Pick<Page, "address" | "click" | "type"> {
  readonly elements: Effect.Effect<ReadonlyArray<Line>>
  readonly textOf: (element: Line) => Effect.Effect<string>
  readonly visited: Effect.Effect<ReadonlySet<string>>
}

export const make = ({ address, click, elements, textOf, type, visited }: Scripted): Sight => {
  const boxOf = (index: number) => ({ x: 0, y: index * lineHeight, width: window.width, height: lineHeight })

  const elementAt = Effect.fnUntraced(function* (place: Place) {
    const all = yield* elements
    const index = place._tag === "Ref" ? Number(place.ref.slice(1)) - 1 : Math.floor(place.y / lineHeight)
    const found = all[index]
    if (found !== undefined) return found
    const reason = place._tag === "Ref" ? `the page no longer has the element ${place.ref}` : "nothing is at this point"
    return yield* new PageFailure({ kind: "mismatch", reason, matched: 0 })
  })

  return {
    visited,
    outline: ({ maxElements }) =>
      Effect.gen(function* () {
        const all = yield* elements
        const told = yield* Effect.forEach(all.slice(0, maxElements), (element, index) =>
          Effect.map(textOf(element), (text) => ({
            ref: `e${index + 1}`,
            role: element.options !== undefined ? "list" : element.value !== undefined ? "textbox" : "button",
            name: element.text ?? element.selector,
            value: element.value === undefined || element.type === "password" ? "" : text,
            states: [],
            box: boxOf(index)
          }))
        )
        return { address: yield* address, title: "", window, elements: told, more: all.length - told.length }
      }),
    texts: Effect.flatMap(elements, (all) =>
      Effect.forEach(all, (element, index) =>
        Effect.map(textOf(element), (text) => ({
          text: element.type === "password" ? "" : text,
          box: boxOf(index)
        }))
      )
    ),
    look: () => Effect.succeed(picture),
    clickAt: (place, kind, waitMillis) =>
      Effect.flatMap(elementAt(place), ({ selector }) => click({ selector, waitMillis }, kind)),
    typeAt: (place, typing, waitMillis) =>
      Effect.flatMap(elementAt(place), ({ selector }) => type({ selector, waitMillis }, typing)),
    spot: (place) =>
      Effect.gen(function* () {
        const selector = place === null ? null : (yield* elementAt(place)).selector
        return { address: yield* address, selector }
      }),
    turn: () => Effect.succeed(false),
    show: (place) => Effect.asVoid(elementAt(place)),
    readable: ({ maxCharacters, selector }) =>
      Effect.gen(function* () {
        const all = (yield* elements).filter((element) => selector === null || element.selector === selector)
        const shown = all.filter(({ type }) => type !== "password")
        const html = (yield* Effect.forEach(shown, (one) => Effect.map(textOf(one), (text) => `<p>${text}</p>`))).join(
          ""
        )
        return { html: html.slice(0, maxCharacters), cut: html.length > maxCharacters }
      })
  }
}
