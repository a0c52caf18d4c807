import { assert, describe, it } from "@effect/vitest"
import { Effect, Random, Result } from "effect"
import * as FileNames from "../../../core/browser/file/FileNames.ts"
import { FileNotFetched, FileSource } from "../../../core/browser/file/FileSource.ts"
import * as Pointer from "../../../core/browser/vision/Pointer.ts"
import * as GraphCheck from "../../../core/workflow/language/graph/GraphCheck.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"

const shop = "https://shop.example/"
const other = "https://shop.example/other"

const site: ScriptedBrowser.ScriptedSite = {
  [shop]: [
    { selector: "//h1", text: "Shop" },
    { selector: "#late", text: "late", afterTicks: 4 },
    { selector: "#list" },
    { selector: "#pop", opens: other },
    { selector: "#one", saves: [["../../etc/report.csv", "a;b"]] },
    {
      selector: "#three",
      saves: [
        ["1.txt", "1"],
        ["2.txt", "2"],
        ["3.txt", "3"]
      ]
    },
    { selector: "#endless", saves: [["never.bin", null]] },
    { selector: "#choose", opensDialog: true },
    { selector: "#file" },
    { selector: "#warn", says: { kind: "alert", message: "The session is over" } }
  ],
  [other]: [
    { selector: "//h1", text: "Other" },
    { selector: "#done", closes: true }
  ]
}

const source = FileSource.of({
  get: (url) =>
    url.pathname === "/gone"
      ? Effect.fail(new FileNotFetched({ kind: "failed", reason: "the server answered with status 404" }))
      : Effect.succeed({ path: "/dev/null", fileName: "scan.pdf" })
})

const run = (steps: ReadonlyArray<Step>, inputs = {}) =>
  walk(graphOf(shop, steps), inputs).pipe(
    Effect.provideService(FileSource, source),
    Effect.provide(ScriptedBrowser.layer(site))
  )

const click = (selector: string): Step => ({ action: "CLICK", parameters: { selector, wait_time: 50 } })
const tab = (parameters: Record<string, unknown>): Step => ({ action: "TAB_MANAGEMENT", parameters })
const download = (parameters: Record<string, unknown> = {}): Step => ({
  action: "FILE_DOWNLOAD",
  parameters: { metadata: {}, timeout_seconds: 5, ...parameters }
})
const upload = (parameters: Record<string, unknown> = {}): Step => ({
  action: "FILE_UPLOAD",
  parameters: { signed_file_url: "https://files.example/scan.pdf?signature=abc", ...parameters }
})
const scroll = (parameters: Record<string, unknown>): Step => ({ action: "SCROLL", parameters })
const title: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: { extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } } }
}

const data = ({ outcome }: Effect.Success<ReturnType<typeof run>>) => outcome.data
const failure = ({ outcome }: Effect.Success<ReturnType<typeof run>>) =>
  outcome._tag === "Failed" ? outcome.failure : assert.fail(`Expected a failure, got ${JSON.stringify(outcome.data)}`)

const problems = (action: string, parameters: Record<string, unknown>) =>
  Result.match(GraphCheck.read(graphOf(shop, [{ action, parameters }]).nodes, graphOf(shop, [{ action }]).edges), {
    onFailure: (all) => all.map(({ path }) => path.replace("nodes[1].parameters.", "")),
    onSuccess: () => []
  })

describe("what may be saved", () => {
  it.each([
    ["SCROLL", {}, []],
    ["SCROLL", { load_events_triggered_through_scroll: 0 }, []],
    ["SCROLL", { scroll_mode: "sideways" }, ["scroll_mode"]],
    ["SCROLL", { load_events_triggered_through_scroll: -1 }, ["load_events_triggered_through_scroll"]],
    ["SCROLL", { load_events_triggered_through_scroll: 1e9 }, ["load_events_triggered_through_scroll"]],
    ["SCROLL", { load_events_triggered_through_scroll: 1.5 }, ["load_events_triggered_through_scroll"]],
    ["SCROLL", { scroll_mode: "to-element" }, ["xpath"]],
    ["SCROLL", { scroll_mode: "to-element", xpath: "//a", position: "middle" }, ["position"]],
    ["SCROLL", { scroll_mode: "region", xpath: "//a" }, ["container_xpath"]],
    ["SCROLL", { scroll_mode: "region", container_xpath: "//a", goal: "find-element" }, ["xpath"]],
    ["SCROLL", { scroll_mode: "region", container_xpath: "//a", scroll_behavior: "find-element" }, ["xpath"]],
    ["SCROLL", { scroll_mode: "region", container_xpath: "//a", goal: "full-container" }, []],
    ["SCROLL", { scroll_mode: "wheel", xpath: "//canvas", modifier_keys: ["Ctrl"] }, []],
    ["SCROLL", { scroll_mode: "wheel" }, ["xpath"]],
    ["SCROLL", { modifier_keys: ["Ctrl"] }, ["modifier_keys"]],
    ["CLICK", { selector: "//a", modifier_keys: ["Ctrl", "Shift"], position: { x: -5, y: "{{context.y}}" } }, []],
    [
      "CLICK",
      { selector: "//a", modifier_keys: ["ctrl"], position: { x: "left", y: 1 } },
      ["position.x", "modifier_keys[0]"]
    ],
    ["CLICK", { selector: '{"x": 1, "y": 1}', execution: "COORDINATES", position: { x: 1, y: 1 } }, ["position"]],
    ["DRAG", { selector: "//a", to_selector: "//b", to_position: { x: 1, y: 1 } }, []],
    ["DRAG", { selector: "//a", path: "{{context.path}}" }, []],
    ["DRAG", { to_selector: "//b" }, ["selector"]],
    ["DRAG", { selector: "//a" }, ["to_selector"]],
    ["DRAG", { selector: "//a", to_selector: "", offset: null }, ["to_selector"]],
    ["DRAG", { selector: "//a", offset: { x: 1, y: 1 }, text: "b" }, ["text"]],
    ["DRAG", { selector: "//a", offset: { x: 1, y: 1 }, to_position: { x: 1, y: 1 } }, ["to_position"]],
    ["DRAG", { selector: "//a", path: [] }, ["path"]],
    ["DRAG", { selector: "//a", execution: "COORDINATES", offset: { x: 1, y: 1 } }, ["selector"]],
    ["TAB_MANAGEMENT", {}, ["tabAction"]],
    ["TAB_MANAGEMENT", { tabAction: "open" }, ["tabAction"]],
    ["TAB_MANAGEMENT", { tabAction: "SWITCH" }, ["tab_index"]],
    ["TAB_MANAGEMENT", { tabAction: "SWITCH", tab_index: -1 }, ["tab_index"]],
    ["TAB_MANAGEMENT", { tabAction: "CLOSE" }, []],
    ["FILE_DOWNLOAD", {}, []],
    ["FILE_DOWNLOAD", { metadata: {}, selector: "//body", timeout_seconds: 300 }, []],
    ["FILE_DOWNLOAD", { timeout_seconds: 4 }, ["timeout_seconds"]],
    ["FILE_DOWNLOAD", { timeout_seconds: 301 }, ["timeout_seconds"]],
    ["FILE_UPLOAD", {}, ["signed_file_url"]],
    ["FILE_UPLOAD", { signed_file_url: "https://a.example", paste: true }, ["selector"]],
    ["FILE_UPLOAD", { signed_file_url: "https://a.example", selector: "//a", paste: true, drop: true }, ["paste"]],
    ["CLICK", { selector: "//a", copied_as: "link" }, []],
    ["CLICK", { selector: '{"x": 1, "y": 1}', execution: "COORDINATES", copied_as: "link" }, ["copied_as"]],
    ["CLICK", { selector: "//a", copied_as: "" }, ["copied_as"]],
    ["CLICK", { selector: "//a", copied_as: "{{context.inputs.name}}" }, ["copied_as"]],
    ["INPUT_TEXT", { selector: "//a", text: "<b>a</b>", paste_via_clipboard: true, paste_as_html: true }, []],
    ["INPUT_TEXT", { selector: "//a", text: "<b>a</b>", paste_as_html: true }, ["paste_as_html"]],
    ["TFA", { tfa_type: "PASSKEY", credential: "A", selector: "//a", register: true }, []],
    ["TFA", { tfa_type: "PASSKEY", credential: "A" }, ["selector"]],
    ["TFA", { tfa_type: "SMS", credential: "A", selector: "//a", register: true }, ["register"]],
    ["SCREENSHOT", { margin: 10, max_scrolls: 3, wait_after_scroll: 100, selector: "//h1" }, []],
    ["SCREENSHOT", { margin: -1, max_scrolls: 1e9 }, ["margin", "max_scrolls"]]
  ] as const)("%s with %j has problems at %j", (action, parameters, paths) => {
    assert.deepStrictEqual(problems(action, parameters), [...paths])
  })

  it("a path of 100,000 points has a problem at path alone", () => {
    const path = Array.from({ length: 100_000 }, () => ({ x: 1, y: 1 }))
    assert.deepStrictEqual(problems("DRAG", { selector: "//a", path }), ["path"])
  })
})

describe("drags", () => {
  const drag: Step = { action: "DRAG", parameters: { selector: "#list", path: "{{context.inputs.points}}" } }

  it.effect("follow a path that an input gives, and evaluate no text in it as an expression", () =>
    Effect.gen(function* () {
      const { outcome } = yield* run([drag], { points: [{ x: "3", y: -4.5 }] })
      assert.strictEqual(outcome._tag, "Success")
      const { code, message } = failure(yield* run([drag], { points: [{ x: "{{1 + 1}}", y: 0 }] }))
      assert.strictEqual(code, "TEMPLATE-E0001")
      assert.include(message, "Cannot use {{1 + 1}} as path[0].x: expected a number of pixels")
    })
  )
})

describe("windows", () => {
  it.effect("one that the page opens is looked at, and the one before it when it closes", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(data(yield* run([click("#pop"), title])), { title: "Other" })
      assert.deepStrictEqual(data(yield* run([click("#pop"), click("#done"), title])), { title: "Shop" })
    })
  )

  it.effect("they are opened, turned to by their number, and closed", () =>
    Effect.gen(function* () {
      const opened = yield* run([tab({ tabAction: "OPEN", url: "/other" }), title])
      assert.deepStrictEqual(data(opened), { title: "Other" })
      const back = [tab({ tabAction: "OPEN", url: other }), tab({ tabAction: "SWITCH", tab_index: 0 }), title]
      assert.deepStrictEqual(data(yield* run(back)), { title: "Shop" })
      const closed = [tab({ tabAction: "OPEN", url: other }), tab({ tabAction: "CLOSE", tab_index: 0 }), title]
      assert.deepStrictEqual(data(yield* run(closed)), { title: "Other" })
      const last = yield* run([tab({ tabAction: "CLOSE" }), { action: "NAVIGATE", parameters: { url: other } }, title])
      assert.deepStrictEqual(data(last), { title: "Other" })
    })
  )

  it.effect("a number that no window has is refused with how many there are", () =>
    Effect.gen(function* () {
      const { category, code, message } = failure(
        yield* run([click("#pop"), tab({ tabAction: "SWITCH", tab_index: 99 })])
      )
      assert.deepStrictEqual([code, category], ["WINDOW-E0001", "UNEXPECTED_UI_STATE"])
      assert.include(message, "Cannot switch to tab 99: 2 tabs are open, numbers 0 to 1")
    })
  )

  it.effect("more than may be open end the run", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 25 }, () => tab({ tabAction: "OPEN" }))
      const { code, message } = failure(yield* run(many))
      assert.strictEqual(code, "LIMIT-E0003")
      assert.include(message, "more than 20 tabs were open, the most that a session may have")
    })
  )

  it.effect("the text of a dialog is part of the failure after it", () =>
    Effect.gen(function* () {
      const told = failure(yield* run([click("#warn"), click("#nothing")]))
      assert.notInclude(told.message, "The session is over")
      const both = yield* walk(graphOf(shop, [click("#warn")])).pipe(
        Effect.provide(
          ScriptedBrowser.layer({
            [shop]: [
              { selector: "#warn", says: { kind: "alert", message: "No\n such   page" }, leadsTo: `${shop}none` }
            ]
          })
        )
      )
      assert.include(failure(both).message, 'The page had shown "No such page" (alert)')
    })
  )
})

describe("downloads", () => {
  it.effect("what the action before began is kept, under a name that is safe", () =>
    Effect.gen(function* () {
      const { files, outcome } = yield* run([click("#one"), download({ metadata: { kind: "report" } })])
      assert.strictEqual(outcome._tag, "Success")
      assert.deepStrictEqual(files, [
        {
          node: "FILE_DOWNLOAD 2",
          fileName: "report.csv",
          mediaType: "text/csv",
          metadata: { kind: "report" },
          text: "a;b"
        }
      ])
    })
  )

  it.effect("steps that begin none may stand between, and what an earlier action began is not taken", () =>
    Effect.gen(function* () {
      const between = [click("#one"), { action: "DELAY", parameters: { delay_time: 0 } }, title, download()]
      assert.strictEqual((yield* run(between)).files.length, 1)
      const { code, message } = failure(yield* run([click("#one"), click("//h1"), download()]))
      assert.strictEqual(code, "DOWNLOAD-E0001")
      assert.include(message, "no download has begun since the preceding action, 5 s long (timeout_seconds)")
    })
  )

  it.effect("several at once are taken together, and as many steps are satisfied by them", () =>
    Effect.gen(function* () {
      const { files, outcome } = yield* run([click("#three"), download(), download(), download()])
      assert.strictEqual(outcome._tag, "Success")
      assert.deepStrictEqual(
        files.map(({ fileName }) => fileName),
        ["1.txt", "2.txt", "3.txt"]
      )
      assert.strictEqual(
        failure(yield* run([click("#three"), download(), download(), download(), download()])).code,
        "DOWNLOAD-E0001"
      )
    })
  )

  it.effect("one that never ends fails by its time, or is passed over where the node says so", () =>
    Effect.gen(function* () {
      const { message } = failure(yield* run([click("#endless"), download()]))
      assert.include(message, "the download of never.bin is not complete after 5 s (timeout_seconds)")
      const passed = yield* run([click("#endless"), download({ continue_on_failed_download: true }), title])
      assert.deepStrictEqual(data(passed), { title: "Shop" })
    })
  )

  it.effect("the page is printed without a download", () =>
    Effect.gen(function* () {
      const { files } = yield* run([download({ trigger_print: true, selector: "//h1" })])
      assert.deepStrictEqual(
        files.map(({ fileName, mediaType }) => [fileName, mediaType]),
        [["page.pdf", "application/pdf"]]
      )
    })
  )

  it.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\Temp\\a.txt", "a.txt"],
    ["..", "download"],
    ["", "download"],
    [".htaccess", "htaccess"],
    ["a\u0000b\r\n.csv", "ab.csv"],
    ["invoice\u202Efdp.exe", "invoicefdp.exe"],
    ["CON.txt", "_CON.txt"],
    ['a<b>:"|?*.pdf', "ab.pdf"],
    ["Rechnung März.pdf ", "Rechnung März.pdf"],
    [`${"x".repeat(300)}.pdf`, `${"x".repeat(146)}.pdf`]
  ])("the name %j becomes %j", (given, safe) => {
    assert.strictEqual(FileNames.safe(given), safe)
  })

  it.each([
    ["a.PDF", "application/pdf"],
    ["a.html", "application/octet-stream"],
    ["a.svg", "application/octet-stream"],
    ["constructor", "application/octet-stream"],
    ["a.constructor", "application/octet-stream"]
  ])("%s is of the type %s: nothing that a browser would run", (name, type) => {
    assert.strictEqual(FileNames.mediaType(name), type)
  })
})

describe("uploads", () => {
  it.effect("a file goes into the dialog that is open, or the field that is named", () =>
    Effect.gen(function* () {
      const dialog = yield* run([click("#choose"), upload()])
      assert.strictEqual(dialog.outcome._tag, "Success")
      assert.deepStrictEqual(dialog.marks, ["acting"])
      const read: Step = {
        action: "EXTRACT_DATAMODEL",
        parameters: { extract_data_model: { type: "object", properties: { name: { type: "string", path: "#file" } } } }
      }
      const named = yield* run([upload({ selector: "#file", file_name: "{{context.inputs.name}}.pdf" }), read], {
        name: "../Ann"
      })
      assert.deepStrictEqual(data(named), { name: "Ann.pdf" })
    })
  )

  it.effect.each([
    [{}, "UPLOAD-E0001", "no file dialog is open"],
    [{ signed_file_url: "file:///etc/passwd" }, "UPLOAD-E0002", "expected an address with http: or https:, got file:"],
    [{ signed_file_url: "nowhere" }, "UPLOAD-E0002", "no address"],
    [
      { signed_file_url: "https://files.example/gone?signature=abc" },
      "UPLOAD-E0002",
      "from https://files.example/gone: the server answered with status 404"
    ],
    [
      { selector: "#file", taken_selector: "#taken", wait_time: 100 },
      "SELECTOR-E0001",
      "Cannot see that the page has taken the file, by #taken"
    ]
  ] as const)("%j fails with %s", ([parameters, code, words]) =>
    Effect.gen(function* () {
      const told = failure(yield* run([upload(parameters)]))
      assert.strictEqual(told.code, code)
      assert.include(told.message, words)
      assert.notInclude(told.message, "signature")
    })
  )
})

describe("scrolling", () => {
  it.effect.each([
    [{ load_events_triggered_through_scroll: 4 }, true],
    [{ load_events_triggered_through_scroll: 3 }, false],
    [{ load_events_triggered_through_scroll: 4, scroll_down: false }, false],
    [{ scroll_mode: "to-element", xpath: "#late" }, true],
    [{ scroll_mode: "region", container_xpath: "#list", xpath: "#late", goal: "find-element" }, true],
    [{ scroll_mode: "region", container_xpath: "#list", goal: "full-container" }, true]
  ] as const)("%j brings what comes after 4 ticks: %s", ([parameters, comes]) =>
    Effect.gen(function* () {
      const { outcome } = yield* run([scroll(parameters), click("#late")])
      assert.strictEqual(outcome._tag === "Success", comes)
    })
  )

  it.effect("an element that never comes fails with its selector", () =>
    Effect.gen(function* () {
      const told = failure(yield* run([scroll({ scroll_mode: "to-element", xpath: "#never", wait_time: 100 })]))
      assert.strictEqual(told.code, "SELECTOR-E0001")
      assert.include(told.message, "Cannot scroll to #never")
    })
  )
})

describe("the gesture of a click", () => {
  it.effect("is the same for the same random numbers, and ends within the element", () =>
    Effect.gen(function* () {
      const draw = Pointer.draw.pipe(Random.withSeed("a"))
      const gesture = yield* draw
      assert.deepStrictEqual(yield* draw, gesture)
      assert.notDeepEqual(yield* Pointer.draw.pipe(Random.withSeed("b")), gesture)
      assert.deepInclude(gesture.moves.at(-1), { along: 1, aside: 0 })
      for (const [index, { along }] of gesture.moves.entries()) {
        assert.isAbove(along, gesture.moves[index - 1]?.along ?? 0)
      }
      const millis = gesture.moves.reduce((sum, move) => sum + move.millis, 0)
      assert.isTrue(millis > 150 && millis < 800)
    })
  )
})

it.effect("what a page copies becomes a variable, and a text that is too long is not pasted", () =>
  Effect.gen(function* () {
    const clicking: Step = { action: "CLICK", parameters: { selector: "//copy", copied_as: "link" } }
    const site = ScriptedBrowser.layer({
      [shop]: [
        { selector: "//copy", copies: "a link" },
        { selector: "//field", value: "" }
      ]
    })
    const copied = yield* walk(graphOf(shop, [clicking])).pipe(Effect.provide(site))
    assert.deepStrictEqual(copied.outcome, { _tag: "Success", data: { link: "a link" } })
    const parameters = { selector: "//field", text: "{{context.inputs.text}}", paste_via_clipboard: true }
    const large = { text: "x".repeat(6_000_000) }
    const pasted = yield* walk(graphOf(shop, [{ action: "INPUT_TEXT", parameters }]), large).pipe(Effect.provide(site))
    const refused = failure(pasted)
    assert.strictEqual(refused.code, "TEMPLATE-E0001")
    assert.include(refused.message, "it has 6000000 characters, and at most 5000000 are pasted")
  })
)
