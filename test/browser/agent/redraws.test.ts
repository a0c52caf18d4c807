import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { BrowserSession } from "../../../core/browser/Browser.ts"
import { at, body, open, pages } from "../../support/pages.ts"

/** An element that the page draws anew with each of so many frames, from the first time that it is scrolled. */
const redrawn = (frames: number, element: string) =>
  body(`<output></output><div style="height: 3000px"></div><div id=holder></div><div style="height: 3000px"></div><script>
    const told = document.querySelector("output")
    const draw = () => { holder.innerHTML = ${JSON.stringify(element)} }
    draw()
    let left = ${frames}
    const again = () => { if (left-- > 0) { draw(); requestAnimationFrame(again) } }
    addEventListener("scroll", again, { once: true })
  </script>`)

const button = `<button id=it onclick="told.textContent = 'clicked'" onmousedown="told.textContent = 'pressed'">It</button>`
const list = `<div id=it style="height: 100px; overflow: auto"><div style="height: 500px">It</div></div>`
const select = `<div id=it role=combobox tabindex=0 aria-controls=list onclick="list.hidden = false; told.textContent = 'opened'">Choose</div>
  <ul id=list role=listbox hidden><li role=option onclick="told.textContent = 'chosen'; it.textContent = 'Two'; list.hidden = true">Two</li></ul>`

const it_ = at("//*[@id='it']")

/** What is done with it, and what the page tells then. */
const acts: Readonly<
  Record<string, readonly [string, (page: BrowserSession) => Effect.Effect<unknown, unknown>, string]>
> = {
  "clicked at a place": [
    button,
    ({ elements }) => elements.click(it_, "click", undefined, { at: { x: 3, y: 3 }, keys: [] }),
    "clicked"
  ],
  dragged: [
    button,
    ({ elements }) => elements.drag(it_, { to: { kind: "path", points: [{ x: 90, y: 90 }] }, keys: [] }),
    "pressed"
  ],
  "scrolled to": [
    button,
    ({ elements }) => elements.scroll({ kind: "element", selector: it_.selector, position: "center" }, 20_000),
    ""
  ],
  "scrolled in": [
    list,
    ({ elements }) => elements.scroll({ kind: "end", container: it_.selector, direction: "down" }, 20_000),
    ""
  ],
  "scrolled by the wheel": [
    list,
    ({ elements }) =>
      elements.scroll({ kind: "wheel", selector: it_.selector, direction: "down", ticks: 1, keys: [] }, 20_000),
    ""
  ],
  "taken as a picture": [button, ({ elements }) => elements.screenshot(it_, { fullPage: false }), ""],
  "chosen from": [select, ({ elements }) => elements.select(it_, "Two", false), "chosen"]
}

const paths = Object.keys(acts).map((name) => [name, `/${name.replaceAll(" ", "-")}`] as const)

layer(pages(Object.fromEntries(paths.map(([name, path]) => [path, redrawn(40, acts[name]?.[0] ?? "")]))), {
  excludeTestServices: true
})("an element that is drawn anew while it is scrolled to", (it) => {
  it.effect.each(paths)("is %s", ([name, path]) =>
    Effect.gen(function* () {
      const page = yield* open(path)
      const [, act, tells] = acts[name] ?? assert.fail(name)
      yield* act(page)
      if (tells !== "") assert.strictEqual(yield* page.elements.read(at("//output[text()]")), tells)
    }).pipe(Effect.scoped)
  )
})
