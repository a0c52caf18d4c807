import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Typing } from "../../../core/browser/vision/Typing.ts"
import { graphOf, walk } from "../../support/browser.ts"
import { at, body, open, pages } from "../../support/pages.ts"
import { withSite } from "../../support/realBrowser.ts"

const typing = (...strokes: Typing["strokes"]): Typing => ({
  strokes,
  existing: "replace",
  delayMillis: 0,
  paste: false
})
const key = (key: string) => ({ key })
const checked = (...strokes: Typing["strokes"]): Typing => ({ ...typing(...strokes), readBack: true })

const site = pages({
  "/fields": body(`<input id="plain" value="old"><input id="other"><textarea id="lines">one\ntwo</textarea>
    <div id="rich" contenteditable="true">rich</div><label id="around">Name <span><input id="inside"></span></label>
    <div id="box"><input id="boxed"></div>
    <input id="date" type="date"><input id="time" type="time"><input id="when" type="datetime-local"><input id="color" type="color">
    <input id="range" type="range" min="0" max="10"><input id="number" type="number"><output id="pasted"></output>
    <input id="secret" type="password">
    <script>plain.addEventListener("paste", (event) => { pasted.textContent += event.clipboardData.getData("text") + ";" })</script>`),
  "/html":
    body(`<div id="own" contenteditable="true"></div><div id="rich" contenteditable="true"></div><input><output></output>
    <button>Copy</button><button>Copy much</button><script>
    const [small, large] = document.querySelectorAll("button")
    own.addEventListener("paste", (event) => { event.preventDefault()
      document.querySelector("output").textContent = event.clipboardData.getData("text/html") })
    addEventListener("copy", (event) => { event.preventDefault(); event.clipboardData.setData("text/plain", "made by the page") }, true)
    small.onclick = () => document.execCommand("copy")
    large.onclick = () => navigator.clipboard.writeText("x".repeat(1e8))</script>`),
  "/masks": body(`<input id="keys"><input id="phone"><input id="upper"><output></output><script>
    // Takes keys only, and forgets what is set at once.
    let typed = ""
    keys.addEventListener("keydown", (event) => {
      if (event.key === "Backspace") typed = ""
      else if (/^\\d$/.test(event.key)) typed += event.key
      keys.value = typed.replace(/(\\d{3})(\\d)/, "$1-$2"); event.preventDefault() })
    keys.addEventListener("input", () => { keys.value = typed })
    let changes = 0
    phone.addEventListener("input", () => { changes++; document.querySelector("output").textContent = changes
      const digits = phone.value.replace(/\\D/g, ""); phone.value = "(" + digits.slice(0, 3) + ") " + digits.slice(3) })
    upper.addEventListener("input", () => { upper.value = upper.value.toUpperCase() })</script>`),
  "/keys":
    body(`<input id="search"><button id="go" disabled>Go</button><input id="short" maxlength="4"><input id="none">
    <textarea id="lines"></textarea><output></output><script>
    const heard = []
    const tell = (text) => { heard.push(text); document.querySelector("output").textContent = heard.join(" ") }
    search.addEventListener("keyup", (event) => { go.disabled = search.value === ""; tell(event.key + event.isTrusted) })
    none.addEventListener("input", () => { none.value = "" })
    lines.addEventListener("keydown", (event) => {
      if (event.key === "F2" || event.key === "Tab" || event.ctrlKey) {
        tell((event.ctrlKey ? "ctrl-" : "") + (event.shiftKey ? "shift-" : "") + event.key); event.preventDefault() } })
    </script>`),
  // Takes the focus to the first field once, when something happens at the second one.
  "/thief": body(`<input id="user"><input id="word" value="old"><script>
    let thefts = 0
    word.addEventListener(location.search.slice(1), () => { if (thefts++ === 0) { user.focus(); user.select() } })
    </script>`),
  // Boxes of a code: a text in one of them is spread over those that follow, and the focus moves on; `?first`: it is cut.
  "/boxes": body(`${"<input maxlength=1 size=1>".repeat(6)}<p>${"<input maxlength=4 size=4>".repeat(2)}</p><script>
    const groups = [[...document.querySelectorAll("body > input")], [...document.querySelectorAll("p > input")]]
    for (const boxes of groups) boxes.forEach((box, at) => { box.oninput = () => {
      const size = box.maxLength, text = box.value
      if (location.search === "?first") box.value = text.slice(0, size)
      else boxes.slice(at).forEach((one, index) => { if (text.length > index * size) one.value = text.slice(index * size, (index + 1) * size) })
      const on = location.search === "?first" ? box.value.length === size : Math.floor(text.length / size)
      boxes[Math.min(at + Number(on), boxes.length - 1)].focus()
    } })
    </script>`),
  // As Monaco: a field of its own for keys, lines drawn elsewhere, brackets closed by keys, and only some lines drawn.
  "/editors": body(`<div class="monaco-editor" id="code" style="width:300px;height:60px"><textarea class="inputarea"
      style="width:1px;height:1px"></textarea><div class="view-lines"></div></div>
    <div id="around"><div class="ql-editor" id="rich" contenteditable="true"><h1>Old</h1><p>text</p></div></div>
    <textarea id="replaced" style="display:none"></textarea><div class="tox-tinymce"><iframe id="mail"
      srcdoc="<body contenteditable>Old <b>mail</b></body>"></iframe></div>
    <div class="CodeMirror" id="stubborn"><textarea></textarea><pre class="CodeMirror-line">stays</pre></div>
    <div class="CodeMirror" id="measured"><textarea></textarea><div class="CodeMirror-measure"><pre
      class="CodeMirror-line-like">xxxxxxxxxx</pre></div><pre class="CodeMirror-line">old</pre></div>
    <div class="CodeMirror" id="late"><textarea></textarea><pre class="CodeMirror-line"></pre></div>
    <output style="white-space: pre"></output><script>
    const [line, area] = ["pre.CodeMirror-line", "textarea"].map((one) => measured.querySelector(one))
    area.addEventListener("paste", (event) => {
      line.textContent = event.clipboardData.getData("text/plain"); event.preventDefault() })
    const [lateLine, lateArea] = ["pre.CodeMirror-line", "textarea"].map((one) => late.querySelector(one))
    let loaded = false
    lateArea.addEventListener("keydown", (event) => { if (event.key === "Delete") lateLine.textContent = "" })
    lateArea.addEventListener("paste", (event) => {
      if (!loaded) lateLine.textContent = "return the old text"
      loaded = true
      lateLine.textContent = event.clipboardData.getData("text/plain") + lateLine.textContent; event.preventDefault() })
    const field = document.querySelector(".inputarea")
    let held = "old", all = false, at = 0
    const draw = () => {
      const lines = held.split("\\n").slice(at, at + 3)
      document.querySelector(".view-lines").innerHTML = lines.map((one) => '<div class="view-line"></div>').join("")
      document.querySelectorAll(".view-line").forEach((line, index) => { line.textContent = lines[index].replaceAll(" ", "\u00a0") })
      document.querySelector("output").textContent = held }
    const enter = (text) => { held = all ? text : held + text; all = false; at = Math.max(0, held.split("\\n").length - 3); draw() }
    field.addEventListener("keydown", (event) => {
      if (event.ctrlKey && event.key === "a") all = true
      else if (event.key === "Delete" && all) enter("")
      else if (event.key === "Home") { at = 0; draw() }
      else if (event.key === "(") { enter("()"); event.preventDefault() } })
    field.addEventListener("paste", (event) => { enter(event.clipboardData.getData("text/plain")); event.preventDefault() })
    field.addEventListener("input", () => { enter(field.value); field.value = "" })
    draw()</script>`)
})

describe("typing", () => {
  it.layer(site, { excludeTestServices: true })((it) => {
    it.effect("replaces, keeps and erases, in fields, areas and rich texts", () =>
      Effect.gen(function* () {
        const page = yield* open("/fields")
        const type = (selector: string, how: Typing) => page.elements.type(at(selector), how)
        yield* type("//input[@id='plain']", typing("new"))
        assert.strictEqual(yield* page.elements.read(at("//input[@id='plain']")), "new")
        yield* type("//input[@id='plain']", { ...typing("er"), existing: "keep" })
        assert.strictEqual(yield* page.elements.read(at("//input[@id='plain']")), "newer")
        yield* type("//input[@id='plain']", { ...typing("last"), existing: "erase" })
        assert.strictEqual(yield* page.elements.read(at("//input[@id='plain']")), "last")
        yield* type("//textarea", { ...typing("!"), existing: "keep" })
        assert.strictEqual(
          yield* page.elements.extract({ kind: "value", path: "//textarea", type: "string" }),
          "one\ntwo!"
        )
        yield* type("//div[@id='rich']", typing("bold"))
        assert.strictEqual(yield* page.elements.read(at("//div[@id='rich']")), "bold")
        yield* type("//div[@id='box']", typing("boxed"))
        assert.strictEqual(yield* page.elements.read(at("//input[@id='boxed']")), "boxed")
        yield* type("//label", typing("inside"))
        assert.strictEqual(yield* page.elements.read(at("//input[@id='inside']")), "inside")
      })
    )

    it.effect("fields for dates, times, colours and numbers take what people write", () =>
      Effect.gen(function* () {
        const page = yield* open("/fields")
        const typed = Effect.fnUntraced(function* (id: string, text: string, more: Partial<Typing> = {}) {
          yield* page.elements.type(at(`//input[@id='${id}']`), { ...typing(text), ...more })
          return yield* page.elements.read(at(`//input[@id='${id}']`))
        })
        assert.strictEqual(yield* typed("date", "2026-03-01"), "2026-03-01")
        assert.strictEqual(yield* typed("date", "4/30/2026"), "2026-04-30")
        assert.strictEqual(yield* typed("date", "5.3.2026", { delayMillis: 2 }), "2026-03-05")
        assert.strictEqual(yield* typed("time", "9:05 pm"), "21:05")
        assert.strictEqual(yield* typed("when", "2026-03-01 09:05"), "2026-03-01T09:05")
        assert.strictEqual(yield* typed("color", "#fa0"), "#ffaa00")
        assert.strictEqual(yield* typed("range", "7"), "7")
        assert.strictEqual(yield* typed("number", "1,234.5"), "1234.5")
      })
    )

    it.effect("a mask that takes keys gets keys, and one that regroups what is set is left alone", () =>
      Effect.gen(function* () {
        const page = yield* open("/masks")
        yield* page.elements.type(at("//input[@id='keys']"), typing("5551234"))
        assert.strictEqual(yield* page.elements.read(at("//input[@id='keys']")), "555-1234")
        yield* page.elements.type(at("//input[@id='phone']"), typing("5551234"))
        assert.strictEqual(yield* page.elements.read(at("//input[@id='phone']")), "(555) 1234")
        // Once when it is set, and once by its last key.
        assert.strictEqual(yield* page.elements.read(at("//output")), "2")
        yield* page.elements.type(at("//input[@id='upper']"), typing("abc"))
        assert.strictEqual(yield* page.elements.read(at("//input[@id='upper']")), "ABC")
      })
    )

    it.effect("keys copy and paste within the session, a paste is seen by the page, and passwords are not copied", () =>
      Effect.gen(function* () {
        const page = yield* open("/fields")
        const [all, copy, paste] = [key("ControlOrMeta+a"), key("ControlOrMeta+c"), key("ControlOrMeta+v")]
        yield* page.elements.type(at("//input[@id='plain']"), typing("copied", all, copy))
        yield* page.elements.type(at("//input[@id='other']"), typing("", paste, paste))
        assert.strictEqual(yield* page.elements.read(at("//input[@id='other']")), "copiedcopied")
        yield* page.elements.type(at("//input[@id='plain']"), { ...typing("by paste"), paste: true })
        assert.strictEqual(yield* page.elements.read(at("//input[@id='plain']")), "by paste")
        assert.strictEqual(yield* page.elements.read(at("//output[@id='pasted']")), "by paste;")
        yield* page.elements.type(at("//input[@id='secret']"), typing("hunter2", all, copy))
        yield* page.elements.type(at("//input[@id='other']"), typing("", paste))
        assert.strictEqual(yield* page.elements.read(at("//input[@id='other']")), "copied")
        const another = yield* open("/fields")
        yield* another.elements.type(at("//input[@id='other']"), typing("none", paste))
        assert.strictEqual(yield* another.elements.read(at("//input[@id='other']")), "none")
      })
    )

    it.effect("HTML is pasted as the page takes it, without what would run, and as text into plain fields", () =>
      Effect.gen(function* () {
        const page = yield* open("/html")
        const { read, type } = page.elements
        const html = `<b>Ada</b><img src="x" onerror="document.title='run'"><script>document.title='run'</script>`
        const pasting = (text: string): Typing => ({ ...typing(text), paste: true, html: true })
        yield* type(at("//div[@id='own']"), pasting(html))
        assert.strictEqual(yield* read(at("//output")), html)
        yield* type(at("//div[@id='rich']"), pasting(html))
        assert.strictEqual(yield* read(at("//div[@id='rich']/b")), "Ada")
        assert.strictEqual(yield* read(at("//div[@id='rich']//img/@onerror", 0)), null)
        yield* type(at("//input"), pasting("<i>one</i> two"))
        assert.strictEqual(yield* read(at("//input")), "one two")
        assert.strictEqual(yield* read(at("//title")), "Page")
      })
    )

    it.effect("what a page copies on a click is pasted by keys, and 100 MB are refused with the size", () =>
      Effect.gen(function* () {
        const page = yield* open("/html")
        assert.strictEqual(yield* page.elements.clickToCopy(at("//button[1]"), "click"), "made by the page")
        yield* page.elements.type(at("//input"), typing("", key("ControlOrMeta+v")))
        assert.strictEqual(yield* page.elements.read(at("//input")), "made by the page")
        const failure = yield* Effect.flip(page.elements.clickToCopy(at("//button[2]"), "click"))
        assert.include(failure.reason, "the page copied 100000000 characters: at most 5000000 are taken")
        assert.strictEqual(failure.acted, true)
      })
    )

    it.effect("a page that listens to keys alone hears one, also without a pause between keys", () =>
      Effect.gen(function* () {
        const page = yield* open("/keys")
        const elements = page.elements
        yield* elements.type(at("//input[@id='search']"), checked("lamp"))
        yield* elements.click(at("//button[@id='go']"), "hover")
        assert.strictEqual(yield* elements.read(at("//output")), "ptrue")
        yield* elements.type(at("//input[@id='search']"), checked("caf\u00e9"))
        assert.strictEqual(yield* elements.read(at("//input[@id='search']")), "caf\u00e9")
        assert.strictEqual(yield* elements.read(at("//output")), "ptrue Shifttrue")
      })
    )

    it.effect("a text that does not stand in its field afterwards is a failure", () =>
      Effect.gen(function* () {
        const { elements } = yield* open("/keys")
        const failed = (id: string, how: Typing) =>
          Effect.map(Effect.result(elements.type(at(`//input[@id='${id}']`), how)), (result) =>
            Result.isFailure(result) ? `${result.failure.kind}: ${result.failure.message}` : "typed"
          )
        assert.strictEqual(
          yield* failed("none", checked("abc")),
          "unusable: the field is empty after the text was typed; a field that follows each key may take it with typing_delay_ms, such as 50"
        )
        assert.include(yield* failed("short", checked("123456")), "only the first 4 of its 6 characters")
        assert.include(yield* failed("none", { ...checked("abc"), existing: "keep" }), "the field is empty")
        assert.strictEqual(yield* failed("short", checked("1234")), "typed")
      })
    )

    it.effect("a page that moves the focus while a field is typed into leaves no part of the text elsewhere", () =>
      Effect.gen(function* () {
        for (const event of ["focus", "select", "input"]) {
          const { elements } = yield* open(`/thief?${event}`)
          const values = Effect.all(["user", "word"].map((id) => elements.read(at(`//input[@id='${id}']`))))
          yield* elements.type(at("//input[@id='user']"), checked("ada"))
          yield* elements.type(at("//input[@id='word']"), checked("engine-1843"))
          assert.deepStrictEqual(yield* values, ["ada", "engine-1843"], event)
        }
      })
    )

    it.effect("a code that a page spreads over its boxes stays there, and one that it cuts is typed into them", () =>
      Effect.gen(function* () {
        for (const how of ["spread", "first"]) {
          const { elements } = yield* open(`/boxes?${how}`)
          const held = (group: string, count: number) =>
            Effect.map(
              Effect.forEach(Array.from({ length: count }), (_, box) =>
                elements.read(at(`(//${group}/input)[${box + 1}]`))
              ),
              (all) => all.join(" ")
            )
          yield* elements.type(at("(//body/input)[1]"), checked("271828"))
          assert.strictEqual(yield* held("body", 6), "2 7 1 8 2 8", how)
          yield* elements.type(at("(//p/input)[1]"), checked("31415926"))
          assert.strictEqual(yield* held("p", 2), "3141 5926", how)
        }
      })
    )

    it.effect("chords reach the page, and cutting leaves the clipboard of the browser alone", () =>
      Effect.gen(function* () {
        const { elements } = yield* open("/keys")
        const strokes = ["note", key("ControlOrMeta+s"), key("Shift+Tab"), key("F2")]
        yield* elements.type(at("//textarea"), checked(...strokes))
        assert.strictEqual(yield* elements.read(at("//output")), "ctrl-Control ctrl-s shift-Tab F2")
        yield* elements.type(
          at("//input[@id='search']"),
          checked("moved", key("ControlOrMeta+a"), key("ControlOrMeta+x"))
        )
        assert.strictEqual(yield* elements.read(at("//input[@id='search']")), "")
        yield* elements.type(at("//input[@id='none']"), { ...typing(), existing: "keep" })
        yield* elements.type(at("//input[@id='search']"), { ...typing(key("ControlOrMeta+v")), existing: "keep" })
        assert.strictEqual(yield* elements.read(at("//input[@id='search']")), "moved")
      })
    )

    it.effect("editors that pages build have their old text replaced, and show the one that was typed", () =>
      Effect.gen(function* () {
        const { elements } = yield* open("/editors")
        const text = "call(\n  one,\n  two\n)\nend("
        yield* elements.type(at("//div[@id='code']"), checked(text))
        assert.strictEqual(yield* elements.read(at("//output")), text)
        yield* elements.type(at("//textarea[@class='inputarea']"), checked("short"))
        assert.strictEqual(yield* elements.read(at("//output")), "short")
        yield* elements.type(at("//div[@id='around']"), checked("New text"))
        assert.strictEqual(yield* elements.read(at("//div[@id='rich']")), "New text")
        yield* elements.type(at("//textarea[@id='replaced']"), checked("New mail"))
        assert.strictEqual(yield* elements.read(at("//iframe[@id='mail']//body")), "New mail")
        const stubborn = yield* Effect.flip(elements.type(at("//div[@id='stubborn']"), checked("new")))
        assert.include(stubborn.message, "the editor does not show the text that was typed")
      })
    )

    it.effect("an editor that gets its old text while it is typed into is typed into once more", () =>
      Effect.gen(function* () {
        const { elements } = yield* open("/editors")
        yield* elements.type(at("//div[@id='late']"), checked("return 1"))
        assert.strictEqual(
          yield* elements.read(at("//pre[@class='CodeMirror-line'][ancestor::*[@id='late']]")),
          "return 1"
        )
      })
    )

    it.effect("an editor is not taken to show what it only measures its letters with", () =>
      Effect.gen(function* () {
        const { elements } = yield* open("/editors")
        yield* elements.type(at("//div[@id='measured']"), checked("select 1"))
        assert.strictEqual(
          yield* elements.read(at("//pre[@class='CodeMirror-line'][ancestor::*[@id='measured']]")),
          "select 1"
        )
      })
    )

    it.effect("pauses between keys are those that were given", () =>
      Effect.gen(function* () {
        const page = yield* open("/fields")
        yield* page.elements.type(at("//input[@id='plain']"), { ...typing("slow"), delayMillis: 60, pauses: [5, 1, 9] })
        assert.strictEqual(yield* page.elements.read(at("//input[@id='plain']")), "slow")
      })
    )
  })

  it.live("a text is typed by hand, with the keys that it names", () =>
    withSite((site) =>
      Effect.gen(function* () {
        const graph = graphOf(`${site}/login`, [
          {
            action: "INPUT_TEXT",
            parameters: { selector: "//input[@id='user']", text: "nobody{{tab}}wrong{{enter}}", human_mode: true }
          },
          { action: "CLICK", parameters: { selector: "//nothing", wait_time: 500 } }
        ])
        const { outcome } = yield* walk(graph)
        assert.strictEqual(outcome._tag, "Failed")
        if (outcome._tag === "Failed") assert.include(outcome.failure.message, "0 elements match")
      })
    )
  )
})
