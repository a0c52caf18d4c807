import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { body, open, Pages, pages } from "../../support/pages.ts"

interface Row {
  readonly what: string
  /** Holds one element of class `it`, which is the only one of its id where a label needs one. */
  readonly html: string
  /** Whether a person sees it, or would once they scroll. */
  readonly visible: boolean
  /** Whether one can act on it; as visible unless it says otherwise. */
  readonly usable?: boolean
  /** How many others there can be acted on. */
  readonly others?: number
}

const button = '<button class="it">Go</button>'

const rows: ReadonlyArray<Row> = [
  { what: "a plain button", html: button, visible: true },
  { what: "display none", html: '<button class="it" style="display:none">Go</button>', visible: false },
  { what: "in display none", html: `<div style="display:none">${button}</div>`, visible: false },
  { what: "the attribute hidden", html: `<div hidden>${button}</div>`, visible: false },
  { what: "display contents", html: '<button class="it" style="display:contents">Go</button>', visible: true },
  { what: "display contents of nothing", html: '<a href="#" class="it" style="display:contents"></a>', visible: false },
  { what: "visibility hidden", html: '<button class="it" style="visibility:hidden">Go</button>', visible: false },
  { what: "visibility collapse", html: '<button class="it" style="visibility:collapse">Go</button>', visible: false },
  {
    what: "visible in visibility hidden",
    html: '<div style="visibility:hidden"><button class="it" style="visibility:visible">Go</button></div>',
    visible: true
  },
  {
    what: "transparent, and takes clicks",
    html: '<button class="it" style="opacity:0">Go</button>',
    visible: false,
    usable: true
  },
  {
    what: "transparent, and takes none",
    html: '<button class="it" style="opacity:0;pointer-events:none">Go</button>',
    visible: false
  },
  { what: "in what is transparent", html: `<div style="opacity:0">${button}</div>`, visible: false },
  { what: "nearly transparent", html: '<button class="it" style="opacity:0.01">Go</button>', visible: true },
  {
    what: "of no width",
    html: '<button class="it" style="width:0;padding:0;border:0;overflow:hidden">Go</button>',
    visible: false
  },
  {
    what: "of one pixel",
    html: '<button class="it" style="position:absolute;width:1px;height:1px;padding:0;border:0">Go</button>',
    visible: false
  },
  {
    what: "clipped to nothing itself",
    html: '<button class="it" style="position:absolute;clip-path:inset(50%)">Go</button>',
    visible: false
  },
  {
    what: "for screen readers alone",
    html: `<span style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)">${button}</span>`,
    visible: false
  },
  { what: "in a folded section", html: `<div style="height:0;overflow:hidden">${button}</div>`, visible: false },
  {
    what: "in a section folded further out",
    html: `<div style="max-height:0;overflow:hidden"><div><p>${button}</p></div></div>`,
    visible: false
  },
  { what: "in a section without height that shows it", html: `<div style="height:0">${button}</div>`, visible: true },
  {
    what: "placed freely out of a folded section",
    html: '<div style="height:0;overflow:hidden"><button class="it" style="position:absolute">Go</button></div>',
    visible: true
  },
  {
    what: "further down in what scrolls",
    html: `<div style="height:50px;overflow:auto"><div style="height:500px"></div>${button}</div>`,
    visible: true
  },
  {
    what: "further up in what was scrolled",
    html: `<div class="scrolled" style="height:50px;overflow:auto">${button}<div style="height:500px"></div></div>`,
    visible: true
  },
  {
    what: "further down in the page",
    html: '<button class="it" style="position:absolute;top:5000px">Go</button>',
    visible: true
  },
  {
    what: "out of the page to the left",
    html: '<button class="it" style="position:absolute;left:-9999px">Go</button>',
    visible: false
  },
  {
    what: "out of the page at the top",
    html: '<button class="it" style="position:absolute;top:-500px">Go</button>',
    visible: false
  },
  {
    what: "in a panel beside the window",
    html: `<div style="position:fixed;top:0;left:100%;width:200px">${button}</div>`,
    visible: false
  },
  {
    what: "in a panel that was pushed out",
    html: `<div style="position:fixed;top:0;left:0;width:200px;transform:translateX(-100%)">${button}</div>`,
    visible: false
  },
  { what: "in closed details", html: `<details><summary>More</summary>${button}</details>`, visible: false, others: 1 },
  {
    what: "in open details",
    html: `<details open><summary>More</summary>${button}</details>`,
    visible: true,
    others: 1
  },
  {
    what: "the summary of closed details",
    html: '<details><summary class="it">More</summary></details>',
    visible: true
  },
  {
    what: "in content-visibility hidden",
    html: `<div style="content-visibility:hidden">${button}</div>`,
    visible: false
  },
  {
    what: "in content-visibility auto, further down",
    html: `<div style="position:absolute;top:6000px;content-visibility:auto">${button}</div>`,
    visible: true
  },
  { what: "inert", html: `<div inert>${button}</div>`, visible: true, usable: false },
  {
    what: "covered by something else",
    html: `<div style="position:relative">${button}<div style="position:absolute;inset:0;background:#fff"></div></div>`,
    visible: true
  },
  {
    what: "an option of a list that is closed",
    html: '<select><option class="it" role="option">One</option></select>',
    visible: false,
    others: 1
  },
  {
    what: "an option of a list that is always open",
    html: '<select size="3"><option class="it" role="option">One</option></select>',
    visible: true,
    others: 1
  },
  {
    what: "a box that can be checked",
    html: '<label><input class="it" type="checkbox">Terms</label>',
    visible: true
  },
  {
    what: "a radio of no size with a label",
    html: '<input class="it" type="radio" id="radio" style="appearance:none;width:0;height:0;margin:0"><label for="radio">Monthly</label>',
    visible: false,
    usable: true
  },
  {
    what: "a box that is not laid out, with a label",
    html: '<label><input class="it" type="checkbox" style="display:none">Terms</label>',
    visible: false,
    usable: true
  },
  {
    what: "a box of no size without a label",
    html: '<input class="it" type="checkbox" style="appearance:none;width:0;height:0;margin:0">',
    visible: false
  },
  {
    what: "a radio whose label is hidden too",
    html: '<div hidden><input class="it" type="radio" id="other"><label for="other">Yearly</label></div>',
    visible: false
  },
  {
    what: "a transparent list over what is drawn for it",
    html: '<span style="position:relative">Choose<select class="it" style="position:absolute;inset:0;opacity:0"></select></span>',
    visible: false,
    usable: true
  },
  {
    what: "in a shadow root",
    html: `<div><template shadowrootmode="open">${button}</template></div>`,
    visible: true
  },
  {
    what: "in a shadow root of a transparent host",
    html: `<div style="opacity:0"><template shadowrootmode="open">${button}</template></div>`,
    visible: false
  },
  {
    what: "in a slot of a folded part",
    html: `<div><template shadowrootmode="open"><section style="height:0;overflow:hidden"><slot></slot></section></template>${button}</div>`,
    visible: false
  },
  {
    what: "in no slot of its host",
    html: `<div><template shadowrootmode="open"></template>${button}</div>`,
    visible: false
  },
  { what: "in a frame", html: `<iframe width="200" height="60" srcdoc='${button}'></iframe>`, visible: true },
  {
    what: "in a frame of no height",
    html: `<iframe style="height:0;border:0" srcdoc='${button}'></iframe>`,
    visible: false
  },
  {
    what: "in a frame that is transparent",
    html: `<iframe style="opacity:0" width="200" height="60" srcdoc='${button}'></iframe>`,
    visible: false
  }
]

const scroll = "<script>for (const one of document.querySelectorAll('.scrolled')) one.scrollTop = 400</script>"

const site = pages(
  Object.fromEntries([
    ...rows.map(({ html }, index) => [`/${index}`, body(`<h1>Page</h1>${html}${scroll}`)] as const),
    ["/labelled", body('<input type="radio" id="radio" style="display:none"><label for="radio">Monthly</label>')]
  ])
)

it.layer(site, { excludeTestServices: true })("an element", (it) => {
  it.effect("is visible where a person sees it, and listed where one can act on it, in every case", () =>
    Effect.gen(function* () {
      const page = yield* open("/0")
      const { site } = yield* Pages
      const found = yield* Effect.forEach(rows, ({ others = 0, what }, index) =>
        Effect.gen(function* () {
          yield* page.navigation.goto(`${site}/${index}`)
          const { elements } = yield* page.vision.outline({ maxElements: 20 })
          // Both ways of reading a selector, which look at the page in different visits.
          const seen = yield* page.elements.seen(["//*[@class='it']", "css=.it"])
          return { what, seen, usable: elements.length > others }
        })
      )
      assert.deepStrictEqual(
        found,
        rows.map(({ visible, usable = visible, what }) => ({ what, seen: visible ? [0, 1] : [], usable }))
      )
    })
  )

  it.effect("that is a hidden radio is checked by a click on its label", () =>
    Effect.gen(function* () {
      const page = yield* open("/labelled")
      const before = yield* page.vision.outline({ maxElements: 5 })
      assert.deepStrictEqual(
        before.elements.map(({ name, role, states }) => ({ name, role, states })),
        [{ name: "Monthly", role: "radio", states: [] }]
      )
      const ref = before.elements[0]?.ref ?? ""
      yield* page.vision.clickAt({ _tag: "Ref", ref }, "click", 5_000)
      const after = yield* page.vision.outline({ maxElements: 5 })
      assert.deepStrictEqual(after.elements[0]?.states, ["checked"])
    })
  )
})
