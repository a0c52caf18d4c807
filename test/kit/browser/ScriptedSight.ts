/**
 * The visible elements of a scripted page, and acts on them without selectors: each element is a separate line, twenty
 * pixels high, from the top of the window down.
 */
import { Effect } from "effect"
import type { Elements } from "../../../core/browser/Elements.ts"
import type { Option } from "../../../core/browser/element/Options.ts"
import type { Navigation } from "../../../core/browser/Navigation.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Vision } from "../../../core/browser/Vision.ts"
import type { Gesture, RemoteHand } from "../../../core/browser/vision/RemoteHand.ts"
import type { PointerTarget } from "../../../core/browser/vision/Sight.ts"
import * as ScriptedPicture from "./ScriptedPicture.ts"

export const lineHeight = 20
export const window = { width: 800, height: 600 }

/** The visible part of an element. */
interface Line {
  readonly selector: string
  readonly text?: string
  readonly value?: string
  readonly type?: "password"
  readonly options?: ReadonlyArray<string | Option>
  readonly disabled?: true
  readonly leadsTo?: string
}

export interface Scripted {
  readonly navigation: Pick<Navigation, "address">
  readonly elements: Pick<Elements, "click" | "drag" | "scroll" | "type">
  /** The elements that can be seen. */
  readonly shown: Effect.Effect<ReadonlyArray<Line>>
  readonly focus: Effect.Effect<string | null>
  readonly textOf: (element: Line) => Effect.Effect<string>
}

/** The element at a place of the window. */
const elementAt = Effect.fnUntraced(function* (shown: Scripted["shown"], place: PointerTarget) {
  const all = yield* shown
  const index = place._tag === "Ref" ? Number(place.ref.slice(1)) - 1 : Math.floor(place.y / lineHeight)
  const found = all[index]
  if (found !== undefined) return found
  const reason = place._tag === "Ref" ? `the page no longer has the element ${place.ref}` : "nothing is at this point"
  return yield* new PageFailure({ kind: "mismatch", reason, matched: 0 })
})

const kindOf = ({ leadsTo, options, selector, value }: Line) => {
  if (options !== undefined) return "choose"
  if (value !== undefined) return "type"
  return leadsTo !== undefined || /button/.test(selector) ? "press" : "read"
}

export const make = ({ elements: { click, drag, type }, focus, navigation, shown, textOf }: Scripted): Vision => {
  const boxOf = (index: number) => ({ x: 0, y: index * lineHeight, width: window.width, height: lineHeight })
  const at = (place: PointerTarget) => elementAt(shown, place)
  return {
    outline: ({ maxElements }) =>
      Effect.gen(function* () {
        const all = yield* shown
        const told = yield* Effect.forEach(all.slice(0, maxElements), (element, index) =>
          Effect.map(textOf(element), (text) => ({
            ref: `e${index + 1}`,
            role: element.options !== undefined ? "list" : element.value !== undefined ? "textbox" : "button",
            name: element.text ?? element.selector,
            value: element.value === undefined || element.type === "password" ? "" : text,
            states: element.disabled === true ? ["disabled"] : [],
            box: boxOf(index)
          }))
        )
        const address = yield* navigation.address
        return { address, title: "", window, elements: told, more: all.length - told.length }
      }),
    targets: ({ maxElements }) =>
      Effect.map(shown, (all) => ({
        title: "",
        ...window,
        elements: all.slice(0, maxElements).map((element, index) => ({
          kind: kindOf(element),
          role: kindOf(element) === "press" ? "button" : "textbox",
          name: element.text ?? element.selector,
          secret: element.type === "password",
          code: false,
          options: (element.options ?? []).map((one) => (typeof one === "string" ? one : one.text)),
          box: boxOf(index),
          selectors: [
            {
              selector: element.selector,
              matches: all.filter(({ selector }) => selector === element.selector).length
            }
          ],
          row: null,
          heading: null
        }))
      })),
    texts: Effect.flatMap(shown, (all) =>
      Effect.forEach(all, (element, index) =>
        Effect.map(textOf(element), (text) => ({
          text: element.type === "password" ? "" : text,
          box: boxOf(index)
        }))
      )
    ),
    look: () => Effect.succeed(ScriptedPicture.jpeg(window.width, window.height)),
    clickAt: (place, kind, waitMillis, gesture, keys = []) =>
      Effect.flatMap(at(place), ({ selector }) =>
        click({ selector, waitMillis, first: true }, kind, gesture, { keys })
      ),
    dragAt: (point, points, keys) =>
      Effect.gen(function* () {
        const last = points.at(-1) ?? { x: 0, y: 0 }
        const { selector } = yield* at({ _tag: "Point", ...point })
        yield* at({ _tag: "Point", x: point.x + last.x, y: point.y + last.y })
        yield* drag({ selector, waitMillis: 0, first: true }, { keys, to: { kind: "path", points } })
      }),
    typeAt: (place, typing, waitMillis) =>
      Effect.flatMap(at(place), ({ selector }) => type({ selector, waitMillis, first: true }, typing)),
    spot: (place) =>
      Effect.gen(function* () {
        const selector = place === null ? yield* focus : (yield* at(place)).selector
        return { address: yield* navigation.address, selector }
      }),
    show: (place) => Effect.asVoid(at(place))
  }
}

/** A mouse and a keyboard. A press without its release does nothing yet. */
export const hand = ({ elements: { click, scroll, type }, shown }: Scripted): RemoteHand => {
  const typing = { existing: "keep", delayMillis: 0, paste: false } as const
  const act = (gesture: Gesture): Effect.Effect<void, PageFailure> => {
    switch (gesture.kind) {
      case "move":
      case "press":
      case "key_up":
        return Effect.void
      case "release": {
        const kind = gesture.button === "right" ? "right_click" : gesture.clicks === 2 ? "double_click" : "click"
        const place: PointerTarget = { _tag: "Point", x: gesture.x * window.width, y: gesture.y * window.height }
        if (gesture.button === "middle") return Effect.void
        return Effect.flatMap(elementAt(shown, place), ({ selector }) =>
          click({ selector, waitMillis: 0, first: true }, kind)
        )
      }
      case "wheel":
        return scroll({ kind: "ticks", direction: gesture.dy < 0 ? "up" : "down", ticks: 1 }, 0)
      case "key_down":
        return type(null, { ...typing, strokes: [gesture.key.length === 1 ? gesture.key : { key: gesture.key }] })
      case "text":
        return type(null, { ...typing, strokes: [gesture.text] })
    }
  }
  return { gesture: (gesture) => Effect.ignore(act(gesture)), letGo: Effect.void }
}
