/**
 * Pages and what a person does on them, in three wordings. The recorder of Playwright writes the person's acts down as
 * code, and the pages tell the server what happened to them.
 */
import type { Locator, Page } from "playwright-core"

/** The words on the pages, and what is typed. */
export interface Wording {
  readonly name: string
  readonly comment: string
  readonly country: string
  readonly color: string
  readonly send: string
  readonly cancel: string
  readonly search: string
  readonly terms: string
  readonly tea: string
  readonly coffee: string
  readonly typed: string
}

export const wordings: ReadonlyArray<Wording> = [
  {
    name: "Company name",
    comment: "Comment",
    country: "Country",
    color: "Colour",
    send: "Send order",
    cancel: "Cancel",
    search: "Search the shop",
    terms: "Terms of sale",
    tea: "Green tea",
    coffee: "Coffee",
    typed: "Two boxes"
  },
  {
    name: "Firmenname",
    comment: "Bemerkung für uns",
    country: "Land",
    color: "Größe",
    send: "Jetzt kostenpflichtig bestellen",
    cancel: "Zurück",
    search: "Geschäft durchsuchen …",
    terms: "Allgemeine Geschäftsbedingungen (AGB)",
    tea: "Grüner Tee",
    coffee: "Kaffee, geröstet",
    typed: "Zwei Kisten für Jörg"
  },
  {
    name: 'Firm\'s "full" name',
    comment: "Say it [in brackets]",
    country: "Country / region",
    color: "Color: pick one >>",
    send: 'It\'s "OK" \\ send',
    cancel: "Don't & go back",
    search: "Find {{anything}} = 'here'",
    terms: "Terms #1, §2 | all",
    tea: "Tea (100 %)",
    coffee: "Coffee `dark` $5",
    typed: 'It\'s "5 < 6" & {{so}} \\ on'
  }
]

export interface Scene {
  readonly pages: (words: Escaped) => Readonly<Record<string, string>>
  readonly act: (page: Page, words: Wording, clicked: Clicked) => Promise<void>
}

/** The words as they stand in HTML. */
export type Escaped = Wording

/** Presses an element, by its selector on the first page or itself, as a hand does: the pointer moves there first. */
export type Clicked = (target: string | Locator, options?: { readonly clickCount?: 2 }) => Promise<void>

export const escaped = (words: Wording): Escaped =>
  Object.fromEntries(
    Object.entries(words).map(([key, text]) => [
      key,
      text.replace(/[&<>"]/g, (sign: string) => `&#${sign.charCodeAt(0)};`)
    ])
  ) as unknown as Escaped

/** Tells the server what a page saw: clicks on what can be pressed, values that changed, forms that were sent. */
const teller = `<script>
  // The server has it before the page goes on.
  const tell = (...what) => {
    const request = new XMLHttpRequest()
    request.open("GET", "/told?" + encodeURIComponent(what.join(" ")), false)
    request.send()
  }
  const named = (node) => node.id || node.name || node.textContent.trim()
  addEventListener("click", ({ target }) => {
    const pressed = target.closest && target.closest("button, a, li, summary, [role]")
    if (pressed) tell("click", named(pressed))
  }, true)
  addEventListener("dblclick", ({ target }) => tell("dblclick", named(target)), true)
  addEventListener("contextmenu", ({ target }) => { tell("contextmenu", named(target)); event.preventDefault() }, true)
  addEventListener("change", ({ target }) => {
    const many = target.multiple && target.options ? [...target.selectedOptions].map((one) => one.value).join() : null
    tell("change", named(target), target.files ? target.files[0].name : many ?? (/box|radio/.test(target.type) ? target.checked : target.value))
  }, true)
  addEventListener("keydown", ({ key, ctrlKey, target }) => {
    // A run clears a text that is edited by keys, where the recorder writes that it is filled.
    if (target.isContentEditable) return
    if (/^(Enter|Escape|Arrow|Tab|Page|F\\d|Delete)/.test(key) || ctrlKey && key.length === 1) tell("key", ctrlKey ? "Ctrl" : "", key)
  }, true)
  addEventListener("submit", (event) => tell("submit", new URLSearchParams(new FormData(event.target))), true)
</script>`

export const document = (content: string): string =>
  `<!doctype html><html><head><meta charset=utf-8><title>Scene</title>${teller}</head><body>${content}</body></html>`

const main = (content: string) => ({ "/": document(content) })

const done = { "/done": document("<h1>Done</h1><button id=again>Again</button>") }

export const scenes: Readonly<Record<string, Scene>> = {
  form: {
    pages: (words) => ({
      ...main(`<form action=/done><p><label>${words.name} <input name=firm></label></p>
        <p><label for=c>${words.comment}</label><br><textarea id=c name=comment></textarea></p><p><button>${words.send}</button></p></form>`),
      ...done
    }),
    act: async (page, words, clicked) => {
      await clicked("input[name=firm]")
      await page.keyboard.type(words.typed)
      await clicked("textarea")
      await page.keyboard.type(words.tea)
      await clicked("button")
      await clicked("#again")
    }
  },
  "same names in a list": {
    pages: (words) =>
      main(`<ul><li>${words.tea} <button id=tea>${words.send}</button></li>
        <li>${words.coffee} <button id=coffee>${words.send}</button></li></ul><button id=all>${words.send}</button>`),
    act: async (_page, _words, clicked) => {
      for (const id of ["#coffee", "#tea", "#all"]) await clicked(id)
    }
  },
  "lists of options": {
    pages: (words) =>
      main(`<label>${words.country} <select name=land><option value=NL>Nederland</option><option value=DE>Deutschland</option></select></label>
        <label>${words.color} <select name=many multiple><option value=r>Red</option><option value=g>Green</option><option value=b>Blue</option></select></label>`),
    act: async (page) => {
      await page.selectOption("[name=land]", "DE")
      await page.selectOption("[name=many]", ["r", "b"])
    }
  },
  "boxes and choices": {
    pages: (words) =>
      main(`<label><input type=checkbox name=terms>${words.terms}</label><label><input type=checkbox name=news checked>${words.comment}</label>
        <fieldset><legend>${words.color}</legend><label><input type=radio name=kind value=a>${words.tea}</label><label><input type=radio name=kind value=b>${words.coffee}</label></fieldset>`),
    act: async (_page, _words, clicked) => {
      for (const one of ["[name=terms]", "[name=news]", "[value=b]", "[value=a]"]) await clicked(one)
    }
  },
  upload: {
    pages: (words) =>
      main(`<label>${words.terms} <input type=file name=paper></label><button id=send>${words.send}</button>`),
    act: async (page, _words, clicked) => {
      await page.setInputFiles("[name=paper]", {
        name: "paper.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("paper")
      })
      await clicked("#send")
    }
  },
  frame: {
    pages: (words) => ({
      ...main(`<h1>${words.terms}</h1><iframe name=pay title="${words.country}" src=/pay></iframe>`),
      "/pay": document(`<label>${words.name} <input name=holder></label><button id=pay>${words.send}</button>`)
    }),
    act: async (page, words, clicked) => {
      const frame = page.frameLocator("iframe")
      await clicked(frame.locator("input"))
      await page.keyboard.type(words.coffee)
      await clicked(frame.locator("#pay"))
    }
  },
  "frame in a frame": {
    pages: (words) => ({
      ...main(`<iframe src=/outer width=500 height=400></iframe>`),
      "/outer": document(`<button id=outer>${words.cancel}</button><iframe id=deep src=/inner></iframe>`),
      "/inner": document(`<button id=inner>${words.send}</button><button id=other>${words.cancel}</button>`)
    }),
    act: async (page, _words, clicked) => {
      const outer = page.frameLocator("iframe")
      await clicked(outer.locator("#outer"))
      await clicked(outer.frameLocator("iframe").locator("#inner"))
      await clicked(outer.frameLocator("iframe").locator("#other"))
    }
  },
  popup: {
    pages: (words) => ({
      ...main(`<a id=open href=/terms target=_blank>${words.terms}</a><button id=after>${words.send}</button>`),
      "/terms": document(`<h1>${words.terms}</h1><button id=agree>${words.send}</button>`)
    }),
    act: async (page, _words, clicked) => {
      const opened = page.waitForEvent("popup")
      await clicked("#open")
      const popup = await opened
      await clicked(popup.locator("#agree"))
      await popup.close()
      await clicked("#after")
    }
  },
  dialog: {
    pages: (words) =>
      main(`<button id=warn onclick="alert('${"x"}')">${words.cancel}</button><button id=after>${words.send}</button>`),
    act: async (_page, _words, clicked) => {
      await clicked("#warn")
      await clicked("#after")
    }
  },
  "two tabs": {
    pages: (words) => ({
      ...main(
        `<a id=one href=/one target=_blank>${words.tea}</a> <a id=two href=/two target=_blank>${words.coffee}</a>`
      ),
      "/one": document(`<button id=first>${words.send}</button>`),
      "/two": document(`<button id=second>${words.send}</button>`)
    }),
    act: async (page, _words, clicked) => {
      const first = page.waitForEvent("popup")
      await clicked("#one")
      const one = await first
      await clicked(one.locator("#first"))
      const second = page.waitForEvent("popup")
      await clicked("#two")
      const two = await second
      await clicked(two.locator("#second"))
      await clicked(one.locator("#first"))
      await two.close()
      await one.close()
    }
  },
  "second tab by hand": {
    pages: (words) => ({
      ...main(`<button id=first>${words.send}</button>`),
      "/other": document(`<button id=second>${words.cancel}</button>`)
    }),
    act: async (page, _words, clicked) => {
      await clicked("#first")
      const other = await page.context().newPage()
      await other.goto(new URL("/other", page.url()).href)
      await clicked(other.locator("#second"))
    }
  },
  keys: {
    pages: (words) =>
      main(`<label>${words.name} <input name=firm></label><label>${words.comment} <input name=comment></label>`),
    act: async (page, words, clicked) => {
      await clicked("[name=firm]")
      await page.keyboard.type(words.tea)
      await page.keyboard.press("Tab")
      await page.keyboard.type(words.coffee)
      await page.keyboard.press("ArrowUp")
      await page.keyboard.press("Escape")
      await page.keyboard.press("Control+a")
      await page.keyboard.type(words.typed)
      await page.keyboard.press("Enter")
    }
  },
  search: {
    pages: (words) => ({
      ...main(`<form action=/found><input name=q type=search placeholder="${words.search}"></form>`),
      "/found": document(`<h1>${words.search}</h1><a href=/done>${words.tea}</a> <a href=/none>${words.tea} 2</a>`),
      ...done
    }),
    act: async (page, words, clicked) => {
      await clicked("[name=q]")
      await page.keyboard.type(words.tea)
      await page.keyboard.press("Enter")
      await clicked("a[href='/done']")
      await clicked("#again")
    }
  },
  table: {
    pages: (words) =>
      main(`<table><tr><th>${words.name}<th>${words.country}<th></tr>
        <tr><td>${words.tea}<td>NL<td><button id=t1>${words.cancel}</button></tr>
        <tr><td>${words.coffee}<td>DE<td><button id=t2>${words.cancel}</button></tr>
        <tr><td>${words.coffee} 2<td>DE<td><button id=t3>${words.cancel}</button></tr></table>`),
    act: async (_page, _words, clicked) => {
      for (const one of ["#t3", "#t2", "#t1"]) await clicked(one)
    }
  },
  "marks for tests": {
    pages: (words) =>
      main(`<input data-testid="field-${"x"}" aria-label="${words.name}" name=field><button data-testid="do it" id=do>${words.send}</button>
        <img alt="${words.tea}" width=40 height=40 role=button id=picture><span title="${words.terms}" role=button id=titled>i</span>`),
    act: async (page, words, clicked) => {
      await clicked("[name=field]")
      await page.keyboard.type(words.typed)
      for (const one of ["#do", "#picture", "#titled"]) await clicked(one)
    }
  },
  "shadow root": {
    pages: (words) =>
      main(`<x-card></x-card><script>
        customElements.define("x-card", class extends HTMLElement { connectedCallback() {
          this.attachShadow({ mode: "open" }).innerHTML = '<input name=inside><button id=shadow>' + ${JSON.stringify(words.send)} + '</button>'
          this.shadowRoot.querySelector("button").addEventListener("click", () => tell("pressed", this.shadowRoot.querySelector("input").value))
        } })</script>`),
    act: async (page, words, clicked) => {
      await clicked("[name=inside]")
      await page.keyboard.type(words.tea)
      await clicked("#shadow")
    }
  },
  "kinds of fields": {
    pages: (words) =>
      main(`<label>${words.name} <input type=date name=day></label><label>${words.country} <input type=number name=sum></label>
        <div contenteditable id=note aria-label="${words.comment}" style="border:1px solid;min-height:20px"></div>
        <label>${words.color} <input type=color name=color></label><button id=send onclick="tell('note', document.querySelector('#note').textContent)">${words.send}</button>`),
    act: async (page, words, clicked) => {
      await page.fill("[name=day]", "2026-12-24")
      await clicked("[name=sum]")
      await page.keyboard.type("12")
      await clicked("#note")
      await page.keyboard.type(words.tea)
      await clicked("#send")
    }
  },
  "clicks of two kinds": {
    pages: (words) =>
      main(
        `<button id=twice>${words.tea}</button><details><summary id=more>${words.terms}</summary><button id=hidden>${words.send}</button></details>`
      ),
    act: async (_page, _words, clicked) => {
      await clicked("#twice", { clickCount: 2 })
      await clicked("#more")
      await clicked("#hidden")
    }
  },
  download: {
    pages: (words) =>
      main(
        `<a id=get download=order.txt href="data:text/plain,order">${words.terms}</a><button id=after>${words.send}</button>`
      ),
    act: async (page, _words, clicked) => {
      const download = page.waitForEvent("download")
      await clicked("#get")
      await download
      await clicked("#after")
    }
  },
  "page that shows it later": {
    pages: (words) =>
      main(`<button id=load onclick="setTimeout(() => { document.querySelector('#list').innerHTML = '<li><a href=#x id=x>' + this.textContent + '</a></li>' }, 300)">${words.tea}</button><ul id=list></ul>
        <div role=tablist><button role=tab id=t1>${words.name}</button><button role=tab id=t2 aria-selected=true>${words.country}</button></div>`),
    act: async (page, _words, clicked) => {
      await clicked("#load")
      await page.waitForSelector("#x")
      await clicked("#x")
      await clicked("#t1")
    }
  }
}

/** The forms in which the recorder writes code. */
export const forms = ["playwright-test", "javascript", "jsonl"] as const

/** One recording: the code that the recorder wrote, with `http://shop.example` for the site, and what the pages told. */
export interface Recorded {
  readonly scene: string
  readonly wording: number
  readonly form: (typeof forms)[number]
  readonly code: string
  readonly told: ReadonlyArray<string>
}
