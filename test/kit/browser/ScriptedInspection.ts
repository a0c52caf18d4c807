/**
 * The inspection of a scripted page, for recoveries.
 */
import { Effect } from "effect"
import type { Elements } from "../../../core/browser/Elements.ts"
import { type Appearance, unknown } from "../../../core/browser/element/Appearance.ts"
import type { ElementQuery } from "../../../core/browser/element/ElementQuery.ts"
import { type Button, empty } from "../../../core/browser/element/Survey.ts"
import type { Observation } from "../../../core/browser/Observation.ts"
import type { PageFailure } from "../../../core/browser/PageFailure.ts"

export type ScriptedAppearance = Partial<Appearance>

/** Something that lies over the page. */
export interface ScriptedOverlay {
  /** The selectors of elements that it covers. */
  readonly covers: ReadonlyArray<string>
  readonly isDialog?: true
  readonly buttons: ReadonlyArray<Button>
}

interface Element {
  readonly selector: string
  readonly text?: string
  readonly looks?: ScriptedAppearance
  readonly frame?: string
  readonly over?: ScriptedOverlay
}

/**
 * The verbs of recoveries. `elements` are those that are there, `shown` those of them that can be seen, and `one` finds the
 * one that is asked for.
 */
export const make = (
  elements: Effect.Effect<ReadonlyArray<Element>>,
  shown: Effect.Effect<ReadonlyArray<Element>>,
  address: Effect.Effect<string>,
  one: (query: ElementQuery) => Effect.Effect<Element, PageFailure>
): Pick<Elements, "describe" | "seen" | "survey"> & Pick<Observation, "candidates"> => ({
  seen: (selectors) =>
    Effect.map(shown, (all) =>
      selectors.flatMap((wanted, index) => (all.some(({ selector }) => selector === wanted) ? [index] : []))
    ),
  survey: ({ fields, target }) =>
    Effect.gen(function* () {
      const all = yield* shown
      return {
        ...empty,
        address: yield* address,
        text: all.map(({ text = "" }) => text).join("\n"),
        matched: (yield* elements).filter(({ selector }) => selector === target).length,
        overlays: all.flatMap(({ over, selector, text = "" }) =>
          over === undefined
            ? []
            : [
                {
                  signature: selector,
                  text,
                  isDialog: over.isDialog === true,
                  isAlert: false,
                  coversTarget: target !== null && over.covers.includes(target),
                  coversPage: false,
                  buttons: over.buttons
                }
              ]
        ),
        fields: fields.map((field) => ({ shown: all.some(({ selector }) => selector === field), complaint: "" }))
      }
    }),
  describe: (query) => Effect.map(one(query), appearanceOf),
  candidates: () =>
    Effect.map(shown, (all) =>
      all.flatMap((element) =>
        element.looks === undefined
          ? []
          : [{ selector: element.selector, appearance: appearanceOf(element), frame: element.frame ?? null }]
      )
    )
})

const appearanceOf = ({ looks, text }: Element): Appearance => ({ ...unknown, text: text ?? null, ...looks })
