import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { rolldown } from "rolldown"
import { ofPage } from "../../../core/agent/Failure.ts"
import * as Classification from "../../../core/agent/recovery/Classification.ts"
import type { BrowserSession } from "../../../core/browser/Browser.ts"
import { at, body, open, pages } from "../../support/pages.ts"
import type { Answer } from "../../support/site.ts"

const { resolve } = createRequire(import.meta.url)
const file =
  (id: string, type: string): Answer =>
  (_request, response) =>
    void response.writeHead(200, { "content-type": type }).end(readFileSync(resolve(id)))
const script =
  (source: string): Answer =>
  (_request, response) =>
    void response.writeHead(200, { "content-type": "text/javascript; charset=utf-8" }).end(source)

const cities = ["Berlin", "Bern", "Zürich", "São Paulo", "New York", "New Orleans"]
const options = cities.map((city, index) => `<option value="c${index}">${city}</option>`).join("")

/** React-Select in its own page: a plain one, and one whose options come late after typing. */
const reactPage = `
  import { createElement } from "react"
  import { createRoot } from "react-dom/client"
  import Select from "react-select"
  import AsyncSelect from "react-select/async"
  const options = ${JSON.stringify(cities)}.map((label, index) => ({ label, value: "c" + index }))
  const later = (text) => new Promise((resolve) => setTimeout(() =>
    resolve(options.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))), 300))
  const many = Array.from({ length: 300 }, (_, index) => ({ label: "Row " + index, value: index }))
  createRoot(document.getElementById("root")).render(createElement("div", null,
    createElement(Select, { options, inputId: "plain", name: "plain", className: "plain" }),
    createElement(AsyncSelect, { loadOptions: later, inputId: "async", name: "async" }),
    createElement(Select, { options: many, inputId: "many", name: "many", isSearchable: false }),
    createElement(Select, { options, inputId: "multi", name: "multi", isMulti: true })))`

const bundled = async (): Promise<string> => {
  const bundle = await rolldown({
    input: "page",
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    plugins: [
      {
        name: "page",
        resolveId: (id) => (id === "page" ? fileURLToPath(new URL("./page.js", import.meta.url)) : null),
        load: (id) => (id.endsWith("/agent/page.js") ? reactPage : null)
      }
    ]
  })
  const { output } = await bundle.generate({ format: "iife" })
  await bundle.close()
  return output[0].code
}

const select2 =
  body(`<link rel="stylesheet" href="/select2.css"><select id="plain" style="width:200px"><option></option>${options}</select>
  <select id="ajax" style="width:200px"></select><select id="multi" multiple style="width:300px">${options}</select>
  <script src="/jquery.js"></script><script src="/select2.js"></script><script>
    const all = ${JSON.stringify(cities)}.map((text, id) => ({ id, text }))
    $("#plain").select2()
    $("#multi").select2()
    $("#ajax").select2({ minimumInputLength: 2, ajax: { delay: 100, transport: ({ data }, done) => {
      const term = (data.term || data.q || "").toLowerCase()
      setTimeout(() => done({ results: all.filter(({ text }) => text.toLowerCase().includes(term)) }), 700); return { abort() {} } } } })
  </script>`)

const aria = body(`<style>[role=listbox] { max-height: 90px; overflow: auto } [role=option] { height: 20px }</style>
  <div id="only" role="combobox" tabindex="0" aria-haspopup="listbox" aria-expanded="false" aria-controls="onlylist">Choose</div>
  <div id="onlylist" role="listbox" hidden></div>
  <input id="filter" role="combobox" aria-autocomplete="list" aria-expanded="false" aria-controls="filterlist"><ul id="filterlist" role="listbox" hidden></ul>
  <div class="select"><input type="hidden" id="behind"><button id="opens" aria-haspopup="listbox">Pick one</button></div>
  <ul id="shown" role="listbox">${cities.map((city) => `<li role="option" aria-selected="false">${city}</li>`).join("")}</ul>
  <div id="long" role="combobox" tabindex="0" aria-haspopup="listbox" aria-controls="longlist">Long</div><div id="longlist" role="listbox" hidden><div></div></div>
  <script>
    const cities = ${JSON.stringify(cities)}
    const fill = (list, names, chosen) => { list.innerHTML = ""; for (const name of names) {
      const one = document.createElement("li"); one.role = "option"; one.textContent = name; one.onclick = () => chosen(name, one); list.append(one) } }
    const list = onlylist
    only.onclick = () => { list.hidden = !list.hidden; only.setAttribute("aria-expanded", String(!list.hidden))
      fill(list, cities, (name) => { only.textContent = name; list.hidden = true; only.setAttribute("aria-expanded", "false") }) }
    filter.oninput = () => { filterlist.hidden = true; setTimeout(() => { filterlist.hidden = false
      fill(filterlist, cities.filter((one) => one.toLowerCase().startsWith(filter.value.toLowerCase())), (name) => { filter.value = name; filterlist.hidden = true }) }, 300) }
    opens.onclick = () => { const popup = document.createElement("ul"); popup.role = "listbox"; document.body.append(popup)
      fill(popup, cities, (name) => { opens.textContent = name; behind.value = name; popup.remove() }) }
    for (const one of shown.children) one.onclick = () => { for (const each of shown.children) each.setAttribute("aria-selected", String(each === one)) }
    // Only what can be seen is there.
    const inner = longlist.firstElementChild
    inner.style.cssText = "position:relative;height:20000px"
    const draw = () => { inner.innerHTML = ""; const first = Math.floor(longlist.scrollTop / 20)
      for (let i = first; i < Math.min(first + 6, 1000); i++) { const one = document.createElement("div"); one.role = "option"; one.textContent = "Item " + i
        one.style.cssText = "position:absolute;top:" + i * 20 + "px"; one.onclick = () => { long.textContent = one.textContent; longlist.hidden = true }; inner.append(one) } }
    longlist.onscroll = draw
    long.onclick = () => { longlist.hidden = false; draw() }
  </script>`)

const site = Layer.unwrap(
  Effect.map(Effect.promise(bundled), (source) =>
    pages({
      "/native":
        body(`<select id="one"><option value="">Choose<optgroup label="A">${options}</optgroup><option disabled>Closed</option></select>
          <select id="several" multiple>${options}</select><select id="late"></select><input id="data" list="list"><datalist id="list">${options}</datalist>
          <label id="named">City <select><option>Berlin<option>Bern</select></label>
          <script>setTimeout(() => { late.innerHTML = ${JSON.stringify(options)} }, 300)</script>`),
      "/select2": select2,
      "/jquery.js": file("jquery/dist/jquery.min.js", "text/javascript"),
      "/select2.js": file("select2/dist/js/select2.min.js", "text/javascript"),
      "/select2.css": file("select2/dist/css/select2.min.css", "text/css"),
      "/react": body(`<div id="root"></div><script src="/react.js"></script>`),
      "/react.js": script(source),
      "/aria": aria
    })
  )
)

describe.concurrent("choosing", () => {
  it.layer(site, { excludeTestServices: true })((it) => {
    const chosen = (path: string, cases: ReadonlyArray<readonly [string, string, boolean, string, string]>) =>
      Effect.gen(function* () {
        const page = yield* open(path)
        for (const [selector, value, fuzzy, shown, text] of cases) {
          yield* page.elements.select(at(selector, 30_000), value, fuzzy)
          assert.include(yield* page.elements.read(at(shown)), text, `${value} in ${selector}`)
        }
        return page
      })

    /** Chooses what is most like a value, as some steps do, and checks that two similar values are reported. */
    const unclear = (page: BrowserSession, selector: string, value: string) =>
      Effect.gen(function* () {
        const before = yield* page.elements.read(at(selector))
        const failed = yield* Effect.flip(page.elements.select(at(selector, 30_000), value, true))
        assert.deepInclude(failed, { kind: "option", alike: 2 }, selector)
        assert.include(failed.reason, '2 options are equally like it; there are "New York", "New Orleans"')
        const { category } = Classification.of(ofPage("choose", failed), null, { signedIn: false, typed: false })
        assert.strictEqual(category, "MULTIPLE_MATCHING_RESULTS_FOUND")
        assert.strictEqual(yield* page.elements.read(at(selector)), before, "nothing is chosen")
      })

    it.effect("lists of the browser: by value, text, group, several at once, filled late, and suggestions", () =>
      Effect.gen(function* () {
        const page = yield* chosen("/native", [
          ["//select[@id='one']", "c1", false, "//select[@id='one']", "c1"],
          ["//select[@id='one']", "zürich", false, "//select[@id='one']", "c2"],
          ["//select[@id='one']", "sao paulo", true, "//select[@id='one']", "c3"],
          ["//select[@id='late']", "Bern", false, "//select[@id='late']", "c1"],
          ["//input[@id='data']", "Bern", false, "//input[@id='data']", "c1"],
          ["//label[@id='named']", "Bern", false, "//label/select", "Bern"],
          [
            "//select[@id='several']",
            '["Bern", "c4"]',
            false,
            "string-join(//select[@id='several']/option[1]/@value)",
            "c0"
          ]
        ])
        const failed = yield* Effect.flip(page.elements.select(at("//select[@id='one']"), "Paris", false))
        assert.strictEqual(failed.kind, "option")
        assert.include(failed.reason, '"Berlin", "Bern"')
        const closed = yield* Effect.flip(page.elements.select(at("//select[@id='one']"), "Closed", false))
        assert.include(closed.reason, "disabled")
        yield* unclear(page, "//select[@id='one']", "new")
        yield* unclear(page, "//input[@id='data']", "new")
      })
    )

    it.effect("Select2: by what is seen, and by the list behind it", () =>
      Effect.flatMap(
        chosen("/select2", [
          ["//select[@id='plain']", "Zürich", false, "//select[@id='plain']", "c2"],
          [
            "//span[contains(@class, 'select2-selection')][contains(@aria-labelledby, 'plain')]",
            "Bern",
            false,
            "//select[@id='plain']",
            "c1"
          ],
          ["//select[@id='plain']", "sao paulo", true, "//select[@id='plain']", "c3"],
          ["//select[@id='ajax']", "New York", false, "//span[contains(@id, 'select2-ajax')]", "New York"],
          ["//select[@id='ajax']", "orleans, old", true, "//span[contains(@id, 'select2-ajax')]", "New Orleans"],
          ["//select[@id='multi']", "Bern", false, "//select[@id='multi']", "c1"]
        ]),
        (page) => unclear(page, "//select[@id='plain']", "new")
      )
    )

    it.effect("React-Select: by its input, its box and its hidden field", () =>
      chosen("/react", [
        ["//input[@id='plain']", "Zürich", false, "//input[@name='plain']", "c2"],
        ["//div[contains(@class, 'plain')]/div[1]", "Bern", false, "//input[@name='plain']", "c1"],
        ["//input[@name='plain']", "Berlin", false, "//input[@name='plain']", "c0"],
        ["//input[@id='async']", "New York", false, "//input[@name='async']", "c4"],
        ["//input[@id='many']", "Row 250", false, "//input[@name='many']", "250"],
        ["//input[@id='multi']", "Bern", false, "//input[@name='multi']", "c1"]
      ])
    )

    it.effect(
      "patterns of ARIA: a box, a field that filters late, a button, an open list, and one that draws what is seen",
      () =>
        Effect.gen(function* () {
          const page = yield* chosen("/aria", [
            ["//div[@id='only']", "Bern", false, "//div[@id='only']", "Bern"],
            ["//input[@id='filter']", "Zürich", false, "//input[@id='filter']", "Zürich"],
            ["//button[@id='opens']", "new orleans", true, "//input[@id='behind']", "New Orleans"],
            ["//input[@id='behind']", "Berlin", false, "//input[@id='behind']", "Berlin"],
            ["//ul[@id='shown']", "Bern", false, "//li[@aria-selected='true']", "Bern"],
            ["//ul[@id='shown']", "zurich", true, "//li[@aria-selected='true']", "Zürich"],
            ["//div[@id='long']", "Item 150", false, "//div[@id='long']", "Item 150"]
          ])
          const failed = yield* Effect.flip(page.elements.select(at("//div[@id='only']"), "Paris", false))
          assert.strictEqual(failed.kind, "option")
          assert.include(failed.reason, '"Berlin", "Bern"')
          yield* unclear(page, "//ul[@id='shown']", "new")
        })
    )
  })
})
