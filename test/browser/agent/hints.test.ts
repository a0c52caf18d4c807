import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { unknown } from "../../../core/browser/element/Appearance.ts"
import { at, body, open, pages } from "../../support/pages.ts"

/** Elements whose selectors are not written as those of HTML are. */
const page = body(`
  <svg id=ico role=button tabindex=0 width=20 height=20><circle r=9 cx=9 cy=9 /></svg>
  <svg role=button tabindex=0 width=20 height=20><circle r=9 cx=9 cy=9 role=button tabindex=0 /></svg>
  <svg width=99 height=20><a href=#in role=button><text y=15>Inside</text></a><foreignObject width=40 height=20 role=button tabindex=0><p>Foreign</p></foreignObject></svg>
  <math role=button tabindex=0><mi role=button tabindex=0>x</mi></math>
  <my:button role=button tabindex=0>Prefixed</my:button><my-button role=button tabindex=0>Own</my-button>
  <div><template shadowrootmode=open><svg role=button tabindex=0 width=20 height=20><circle r=9 cx=9 cy=9 role=button tabindex=0 /></svg></template></div>`)

layer(pages({ "/": page }), { excludeTestServices: true })((it) => {
  it.effect("every selector that is offered for what is there matches it alone", () =>
    Effect.gen(function* () {
      const { elements, observation } = yield* open("/")
      const found = yield* observation.candidates({ ...unknown, tag: "svg" })
      const tags = found.map(({ appearance }) => appearance.tag)
      assert.deepStrictEqual([...new Set(tags)].sort(), [
        "a",
        "circle",
        "foreignobject",
        "math",
        "mi",
        "my-button",
        "my:button",
        "svg"
      ])
      for (const { appearance, selector } of found) {
        yield* elements
          .find(at(selector, 2_000))
          .pipe(Effect.mapError((failure) => new Error(`${selector}: ${failure.reason}`)))
        assert.strictEqual((yield* elements.describe(at(selector, 2_000))).tag, appearance.tag, selector)
      }
    }).pipe(Effect.scoped)
  )
})
