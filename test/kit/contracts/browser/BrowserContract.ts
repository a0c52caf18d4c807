/**
 * The promises of every browser, whatever it is made of.
 */
import { Context, Effect, Option, Queue, Random, Redacted, Schedule, type Scope } from "effect"
import { Browser, type BrowserSession } from "../../../../core/browser/Browser.ts"
import type { Exchange } from "../../../../core/browser/Exchange.ts"
import { unknown } from "../../../../core/browser/element/Appearance.ts"
import type { ClickKind, ElementQuery } from "../../../../core/browser/element/ElementQuery.ts"
import type { ExtractionPlan } from "../../../../core/browser/element/Extraction.ts"
import * as ReadValue from "../../../../core/browser/element/ReadValue.ts"
import type { LocalFile } from "../../../../core/browser/file/FileSource.ts"
import type { HttpCredential } from "../../../../core/browser/Navigation.ts"
import type { PageFailure } from "../../../../core/browser/PageFailure.ts"
import * as Session from "../../../../core/browser/Session.ts"
import * as Pointer from "../../../../core/browser/vision/Pointer.ts"
import type { Typing } from "../../../../core/browser/vision/Typing.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { id, member } from "./BrowserPages.ts"

/** The pages of the contract, as a browser reaches them. */
export class Site extends Context.Service<
  Site,
  {
    readonly origin: string
    /** Another origin of the same pages, at a host that passkeys can be for. */
    readonly elsewhere: string
    /** Addresses that cannot be loaded, by the cause for that. */
    readonly failing: Readonly<Record<"unreachable" | "unresolved" | "untrusted" | "timeout" | "auth", string>>
    readonly file: LocalFile
  }
>()("sluice/test/kit/BrowserSite") {}

/** Long enough for any machine. What is there is never waited for that long. */
const longest = 100_000

/** Nobody waits that long. */
const forever = 100 * longest

const at = (name: string, waitMillis = longest): ElementQuery => ({ selector: id(name), waitMillis })

/** For an element that is missing: the wait for it fails. */
const soon = (name: string) => at(name, 150)

const typing: Typing = { strokes: [], existing: "replace", delayMillis: 0, paste: false }

const sizeOf = (jpeg: Uint8Array): { readonly width: number; readonly height: number } => {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength)
  assert.strictEqual(view.getUint16(0), 0xffd8, "it begins as a JPEG does")
  assert.strictEqual(view.getUint16(jpeg.byteLength - 2), 0xffd9, "it ends as a JPEG does")
  let offset = 2
  while (![0xffc0, 0xffc1, 0xffc2].includes(view.getUint16(offset))) offset += 2 + view.getUint16(offset + 2)
  return { height: view.getUint16(offset + 5), width: view.getUint16(offset + 7) }
}

const text = (page: BrowserSession, name: string) => page.elements.read(at(name))

/** The ref of the one element of an outline with a name or a value. */
const refOf = Effect.fnUntraced(function* (page: BrowserSession, wanted: string) {
  const { elements } = yield* page.vision.outline({ maxElements: 100 })
  const found = elements.find(({ name, value }) => name === wanted || value === wanted)
  assert.isDefined(found, `${wanted} is among ${JSON.stringify(elements)}`)
  return { _tag: "Ref", ref: found?.ref ?? "" } as const
})

const kindOf = <A>(tried: Effect.Effect<A, PageFailure>) => Effect.map(Effect.flip(tried), ({ kind }) => kind)

/** The interval at which a page is checked for an effect. */
const often = { schedule: Schedule.spaced("20 millis") }

/** Waits until an element shows a text. */
const shows = (page: BrowserSession, name: string, wanted: string) =>
  Effect.repeat(text(page, name), { until: (shown) => shown === wanted, ...often })

/** Credentials for HTTP authentication at an origin. */
const signIn = (origin: string, password = member.password): HttpCredential => ({
  origin,
  userName: Redacted.make(member.userName),
  password: Redacted.make(password)
})

/** A promise about a page of the site that is tested in a separate session. */
const promise = <A, F>(
  title: string,
  path: string,
  test: (page: BrowserSession, site: Site["Service"]) => Effect.Effect<A, F, Scope.Scope>
) =>
  Contract.promise(
    title,
    Effect.gen(function* () {
      const site = yield* Site
      const page = yield* (yield* Browser).open(Session.empty)
      yield* page.navigation.goto(`${site.origin}${path}`)
      return yield* test(page, site)
    }).pipe(Effect.scoped)
  )

/** What every browser promises. Each has its own session: they can be kept concurrently. */
export const promises: ReadonlyArray<Contract.ContractPromise<Browser | Site>> = [
  ...(["timeout", "unreachable", "unresolved", "untrusted", "auth"] as const).map((cause) =>
    promise(`fails to load an address with its cause: ${cause}`, "/", ({ navigation }, { failing }) =>
      Effect.map(kindOf(navigation.goto(failing[cause])), (kind) => assert.strictEqual(kind, cause))
    )
  ),
  promise("goes to an address, tells where it is, and goes back", "/", ({ navigation, ...page }, { origin }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* navigation.address, `${origin}/`)
      yield* page.elements.click(at("orders"), "click")
      yield* page.elements.find({ selector: "//tr[@class='row']", waitMillis: longest, first: true })
      assert.strictEqual(yield* navigation.address, `${origin}/orders`)
      yield* navigation.back
      assert.strictEqual(yield* navigation.address, `${origin}/`)
      assert.deepStrictEqual([...(yield* navigation.visited)], [new URL(origin).host])
    })
  ),
  promise(
    "fails to click where that leads to an error of the server",
    "/leading",
    ({ elements, navigation }, { origin }) =>
      Effect.gen(function* () {
        for (const [name, status, kind] of [
          ["broken", 503, "unavailable"],
          ["missing", 404, "rejected"]
        ] as const) {
          const failure = yield* Effect.flip(elements.click(at(name), "click"))
          assert.deepInclude({ ...failure }, { kind, status, acted: true })
          yield* navigation.goto(`${origin}/leading`)
        }
      })
  ),
  promise("fails to load a page by the status that its server answers", "/", ({ navigation }, { origin }) =>
    Effect.gen(function* () {
      for (const [status, kind] of [
        [404, "rejected"],
        [410, "rejected"],
        [429, "unavailable"],
        [503, "unavailable"]
      ] as const) {
        const failure = yield* Effect.flip(navigation.goto(`${origin}/status/${status}`))
        assert.deepInclude({ ...failure }, { kind, status, reason: `the server answered with status ${status}` })
      }
    })
  ),
  promise("tells that the page that a click led to asks for HTTP authentication", "/", (page, { failing, origin }) =>
    Effect.gen(function* () {
      const { elements, navigation } = page
      yield* elements.click(at("members"), "click")
      const challenge = yield* Effect.repeat(navigation.challenge, { until: (asked) => asked !== null, ...often })
      assert.strictEqual(challenge, failing.auth)
      yield* navigation.goto(`${origin}/`)
      assert.isNull(yield* navigation.challenge)
    })
  ),
  promise("answers HTTP authentication with the credentials of the origin", "/", (page, { failing, origin }) =>
    Effect.gen(function* () {
      const { navigation } = page
      assert.isNull(yield* navigation.challenge)
      assert.strictEqual(yield* kindOf(navigation.goto(failing.auth)), "auth")
      assert.strictEqual(yield* navigation.challenge, failing.auth)
      yield* navigation.authenticate(signIn(origin, "wrong"))
      assert.strictEqual(yield* kindOf(navigation.goto(failing.auth)), "auth", "the site refuses the password")
      assert.strictEqual(yield* navigation.challenge, failing.auth)
      yield* navigation.authenticate(signIn(origin))
      yield* navigation.goto(failing.auth)
      assert.strictEqual(yield* text(page, "title"), "Members")
      assert.isNull(yield* navigation.challenge)
    })
  ),
  promise("sends no credentials of HTTP authentication to another origin", "/", (page, { elsewhere, failing }) =>
    Effect.gen(function* () {
      const { navigation } = page
      yield* navigation.authenticate(signIn(elsewhere))
      assert.strictEqual(yield* kindOf(navigation.goto(failing.auth)), "auth")
      yield* navigation.goto(`${elsewhere}/auth`)
      assert.strictEqual(yield* text(page, "title"), "Members")
      assert.strictEqual(yield* kindOf(navigation.goto(failing.auth)), "auth")
    })
  ),
  promise("makes a passkey, and offers it to its own site alone", "/", (page, { elsewhere }) =>
    Effect.gen(function* () {
      const { elements, navigation } = page
      yield* navigation.goto(`${elsewhere}/passkeys`)
      const passkey = yield* Effect.scoped(
        Effect.gen(function* () {
          const { made } = yield* navigation.authenticator(null)
          yield* elements.click(at("make"), "click")
          yield* shows(page, "outcome", "made")
          return yield* made
        })
      )
      assert.strictEqual(passkey.rpId, new URL(elsewhere).hostname)
      for (const [rpId, outcome] of [
        [passkey.rpId, "used"],
        ["other.example", "refused"]
      ] as const) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { signed } = yield* navigation.authenticator({ ...passkey, rpId })
            yield* elements.click(at("ask"), "click")
            yield* shows(page, "outcome", outcome)
            const isSigned = Option.isSome(yield* Effect.timeoutOption(signed, outcome === "used" ? longest : 20))
            assert.strictEqual(isSigned, outcome === "used")
          })
        )
      }
    })
  ),
  promise("refuses addresses that are not of the web", "/", ({ navigation }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* kindOf(navigation.goto("file:///etc/passwd")), "forbidden")
      assert.strictEqual(yield* kindOf(navigation.goto("data:text/html,x")), "forbidden")
    })
  ),
  promise("gives a whole document, without its scripts when sanitized", "/orders", ({ navigation }) =>
    Effect.gen(function* () {
      assert.include(yield* navigation.html({ sanitized: false }), "Orders")
      const sanitized = yield* navigation.html({ sanitized: true })
      assert.include(sanitized, "Orders")
      assert.notInclude(sanitized, "canary-script")
    })
  ),
  promise("looks at a window that the page opens, and renumbers windows when one closes", "/", (page) =>
    Effect.gen(function* () {
      const { elements, navigation } = page
      yield* elements.click(at("blank"), "click")
      assert.strictEqual(yield* text(page, "title"), "Orders")
      yield* navigation.openTab
      assert.deepStrictEqual(yield* navigation.tabs, { open: 3, current: 2 })
      assert.strictEqual(yield* navigation.address, "about:blank")
      yield* navigation.switchTab(1, longest)
      yield* navigation.closeTab(0)
      assert.deepStrictEqual(yield* navigation.tabs, { open: 2, current: 0 })
      assert.strictEqual(yield* text(page, "title"), "Orders")
      assert.strictEqual(yield* kindOf(navigation.switchTab(2, 150)), "tab")
      assert.strictEqual(yield* kindOf(navigation.closeTab(2)), "tab")
    })
  ),
  promise("looks at the opener again when a window closes itself", "/", (page) =>
    Effect.gen(function* () {
      yield* page.elements.click(at("closing"), "click")
      yield* page.elements.click(at("close"), "click")
      assert.strictEqual(yield* text(page, "title"), "Home")
      assert.deepStrictEqual(yield* page.navigation.tabs, { open: 1, current: 0 })
    })
  ),
  promise("opens an empty window in place of the last one", "/", ({ navigation }) =>
    Effect.gen(function* () {
      yield* navigation.closeTab(null)
      assert.deepStrictEqual(yield* navigation.tabs, { open: 1, current: 0 })
      assert.strictEqual(yield* navigation.address, "about:blank")
    })
  ),
  promise("accepts dialogs, a prompt with what it proposes, and tells of each once", "/", ({ elements, navigation }) =>
    Effect.gen(function* () {
      yield* elements.click(at("confirm"), "click")
      yield* elements.click(at("prompt"), "click")
      assert.deepStrictEqual(yield* navigation.dialogs, [
        { kind: "confirm", message: "Leave?", entered: null },
        { kind: "prompt", message: "Your name?", entered: "Ann" }
      ])
      assert.deepStrictEqual(yield* navigation.dialogs, [])
    })
  ),
  promise("has the cookies that a page sets, until they are cleared", "/", ({ elements, navigation, observation }) =>
    Effect.gen(function* () {
      yield* elements.click(at("cookie"), "click")
      const { cookies } = yield* observation.remembered(() => false)
      assert.deepStrictEqual(
        cookies.map((one) => [one.name, one.value, one.httpOnly]),
        [["seen", "yes", false]]
      )
      yield* navigation.clearCookies
      assert.deepStrictEqual((yield* observation.remembered(() => false)).cookies, [])
    })
  ),
  promise("takes a download once, with a safe name, and says when none has begun", "/", ({ elements, navigation }) =>
    Effect.gen(function* () {
      assert.isNull(yield* navigation.downloadable)
      yield* elements.click(at("save"), "click")
      const settling = { waitMillis: longest, isThere: (): "all" => "all" }
      assert.strictEqual((yield* navigation.settled(navigation.downloadable, settling)).found, "file")
      const { failure, files } = yield* navigation.download(longest)
      assert.isNull(failure)
      assert.deepStrictEqual(
        files.map(({ fileName, mediaType }) => [fileName, mediaType]),
        [["orders.csv", "text/csv"]]
      )
      for (const { bytes, discard } of files) {
        assert.strictEqual(new TextDecoder().decode(yield* bytes), "id,total\n")
        yield* discard
      }
      yield* navigation.forgetDownloads
      const none = yield* navigation.download(150)
      assert.deepStrictEqual([none.files.length, none.failure?.kind], [0, "download"])
    })
  ),
  promise("prints a page as a PDF", "/orders", ({ navigation }) =>
    Effect.gen(function* () {
      const { bytes, mediaType } = yield* navigation.print
      assert.strictEqual(mediaType, "application/pdf")
      assert.strictEqual(new TextDecoder().decode((yield* bytes).slice(0, 5)), "%PDF-")
    })
  ),
  promise("makes requests in its session, which a guard may refuse", "/", ({ navigation }, { origin }) =>
    Effect.gen(function* () {
      const asked = {
        method: "GET",
        url: `${origin}/data`,
        headers: [],
        body: null,
        credentials: "include",
        redirects: "follow",
        maxBytes: 1_000,
        timeoutMillis: longest
      } as const
      const { body, status } = yield* navigation.request(asked)
      assert.deepStrictEqual([status, new TextDecoder().decode(body)], [200, '{"ok":true}'])
      const refused = yield* Effect.flip(navigation.request({ ...asked, guard: () => "not there" }))
      assert.strictEqual(refused.kind, "foreign")
      const tooLarge = yield* Effect.flip(navigation.request({ ...asked, maxBytes: 5 }))
      assert.strictEqual(tooLarge.kind, "too_large")
    })
  ),
  promise("acts on exactly one element, and says how many match", "/elements", ({ elements }) =>
    Effect.gen(function* () {
      const two = { selector: "//p[@class='two']", waitMillis: 150 }
      for (const verb of [elements.find, elements.describe, (query: ElementQuery) => elements.click(query, "click")]) {
        const none = yield* Effect.flip(verb(soon("nobody")))
        assert.deepInclude({ ...none }, { kind: "mismatch", matched: 0, selector: id("nobody") })
        assert.include(none.reason, "0 elements match after 150 ms, expected exactly 1")
        const many = yield* Effect.flip(verb(two))
        assert.deepInclude({ ...many }, { kind: "mismatch", matched: 2 })
      }
      const atRest = kindOf(elements.find({ ...two, waitMillis: forever }))
      assert.strictEqual(yield* Contract.ends("a wait on a page that has come to rest", atRest), "mismatch")
      const any = { ...two, waitMillis: longest }
      assert.deepStrictEqual(yield* elements.readEach(any), ["one", "two"])
      yield* elements.find({ ...any, first: true })
      yield* elements.click({ ...any, first: true }, "click")
    })
  ),
  promise("waits for an element that comes, and no longer than its limit", "/elements", (page, { origin }) =>
    Effect.gen(function* () {
      yield* page.elements.click(at("late"), "click")
      assert.strictEqual(yield* text(page, "late"), "Done")
      yield* page.navigation.goto(`${origin}/elements`)
      assert.strictEqual(yield* page.elements.read(at("late")), "Late")
      assert.isNull(yield* page.elements.read(soon("nobody")))
    })
  ),
  promise("does not use what is hidden, disabled or covered, and finds it", "/elements", (page) =>
    Effect.gen(function* () {
      yield* Effect.forEach(
        ["hidden", "disabled", "covered"],
        (name) =>
          Effect.gen(function* () {
            yield* page.elements.find(at(name))
            const failure = yield* Effect.flip(page.elements.click(at(name, 1_200), "click"))
            assert.strictEqual(failure.kind, "unusable", name)
            assert.isUndefined(failure.acted)
          }),
        { concurrency: 3 }
      )
      assert.deepStrictEqual(yield* page.elements.seen(["nobody", "hidden", "pay"].map(id)), [2])
      yield* page.elements.click(at("away"), "click")
      yield* page.elements.click(at("covered"), "click")
    })
  ),
  promise("tells what lies over an element, and how that goes away", "/elements", ({ elements }) =>
    Effect.gen(function* () {
      const { matched, overlays } = yield* elements.survey({ target: id("covered"), fields: [] })
      assert.strictEqual(matched, 1)
      const over = overlays.filter(({ coversTarget }) => coversTarget)
      assert.strictEqual(over.length, 1)
      const away = over[0]?.buttons.find(({ label }) => label === "Away")
      yield* elements.click({ selector: away?.selector ?? "", waitMillis: longest }, "click")
      const after = yield* elements.survey({ target: id("covered"), fields: [] })
      assert.deepStrictEqual(
        after.overlays.filter(({ coversTarget }) => coversTarget),
        []
      )
    })
  ),
  promise("describes an element, and offers those that may be the wanted one", "/elements", (page) =>
    Effect.gen(function* () {
      const looks = yield* page.elements.describe(at("pay"))
      assert.deepInclude(looks, { tag: "button", id: "pay", text: "Pay now" })
      const found = yield* page.observation.candidates({ ...unknown, tag: "button", text: "Pay now" })
      const pay = found.find(({ appearance }) => appearance.text === "Pay now")
      const shown = yield* page.elements.read({ selector: pay?.selector ?? "", waitMillis: longest })
      assert.strictEqual(shown, "Pay now", "the selector leads to it")
      assert.isFalse(found.some(({ appearance }) => appearance.text === "Hidden"))
    })
  ),
  promise("refuses a selector that is too long to be one", "/elements", ({ elements }) =>
    Effect.gen(function* () {
      const endless = { selector: `//p[.='${"x".repeat(100_000)}']`, waitMillis: 150 }
      assert.strictEqual(yield* kindOf(elements.find(endless)), "selector")
      assert.strictEqual(yield* kindOf(elements.click(endless, "click")), "selector")
      assert.strictEqual(yield* kindOf(elements.states([id("pay"), endless.selector])), "selector")
    })
  ),
  ...(
    [
      ["click", "mouseenter click"],
      ["double_click", "mouseenter click click dblclick"],
      ["right_click", "mouseenter contextmenu"],
      ["hover", "mouseenter"]
    ] as ReadonlyArray<[ClickKind, string]>
  ).map(([kind, heard]) =>
    promise(`makes the pointer gesture: ${kind}`, "/events", (page) =>
      Effect.gen(function* () {
        yield* page.elements.click(at("target"), kind)
        assert.strictEqual(yield* text(page, "log"), heard)
        assert.strictEqual(yield* text(page, "hand"), "none", "the mouse did not travel")
      })
    )
  ),
  promise("follows no link that is hovered or clicked with the right button", "/elements", ({ elements, ...page }) =>
    Effect.gen(function* () {
      const before = yield* page.navigation.address
      yield* elements.click(at("link"), "hover")
      yield* elements.click(at("link"), "right_click")
      yield* elements.find(at("pay"))
      assert.strictEqual(yield* page.navigation.address, before)
    })
  ),
  promise("moves the mouse as a gesture says, and clicks then", "/events", (page) =>
    Effect.gen(function* () {
      const gesture = yield* Random.withSeed(Pointer.draw, "a hand")
      yield* page.elements.click(at("target"), "click", gesture)
      assert.strictEqual(yield* text(page, "hand"), "moved")
      assert.match((yield* text(page, "log")) ?? "", / click$/)
    })
  ),
  promise("types in place of what is there, or after it, and where the focus is", "/form", (page) =>
    Effect.gen(function* () {
      const { type } = page.elements
      yield* type(at("name"), { ...typing, strokes: ["Bob"] })
      assert.strictEqual(yield* text(page, "name"), "Bob")
      yield* type(at("name"), { ...typing, strokes: [" and Ann"], existing: "keep" })
      assert.strictEqual(yield* text(page, "name"), "Bob and Ann")
      yield* type(at("name"), { ...typing, strokes: ["Eve"], existing: "erase" })
      yield* type(null, { ...typing, strokes: ["lyn"], existing: "keep" })
      assert.strictEqual(yield* text(page, "name"), "Evelyn")
    })
  ),
  promise("presses keys by their names, in their order", "/events", (page) =>
    Effect.gen(function* () {
      yield* page.elements.type(at("field"), { ...typing, strokes: ["a", { key: "Enter" }, "b", { key: "Tab" }] })
      assert.strictEqual(yield* text(page, "key"), "Tab")
      assert.strictEqual(yield* text(page, "field"), "ab")
    })
  ),
  promise("asks a guard before anything is done, in a frame with the address of that", "/framed", (page, { origin }) =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const guard = (address: string) => {
        asked.push(address)
        return "not here"
      }
      assert.strictEqual(yield* kindOf(page.elements.click({ ...at("inside"), guard }, "click")), "foreign")
      assert.strictEqual(yield* kindOf(page.elements.find({ ...at("inside"), guard })), "foreign")
      assert.strictEqual(yield* kindOf(page.elements.find({ ...at("title"), guard })), "foreign")
      assert.strictEqual(yield* text(page, "said"), "none")
      assert.deepStrictEqual(asked, [`${origin}/inner`, `${origin}/inner`, `${origin}/framed`])
    })
  ),
  promise("types nothing where a guard does not let it", "/form", ({ elements, ...page }) =>
    Effect.gen(function* () {
      const guard = () => "not here"
      const filled = elements.type({ ...at("name"), guard }, { ...typing, strokes: ["secret"], guard })
      assert.strictEqual(yield* kindOf(filled), "foreign")
      assert.strictEqual(yield* kindOf(elements.select({ ...at("status"), guard }, "sent", false)), "foreign")
      assert.strictEqual(yield* text({ elements, ...page }, "name"), "Ann")
      assert.strictEqual(yield* text({ elements, ...page }, "status"), "open")
    })
  ),
  promise("finds elements in frames", "/framed", (page) =>
    Effect.gen(function* () {
      yield* page.elements.click(at("inside"), "click")
      assert.strictEqual(yield* text(page, "said"), "clicked")
    })
  ),
  promise("chooses an option by its value, or else by its text, and none that is disabled", "/form", (page) =>
    Effect.gen(function* () {
      yield* page.elements.select(at("status"), "sent", false)
      assert.strictEqual(yield* text(page, "status"), "sent")
      yield* page.elements.select(at("status"), "Open", false)
      assert.strictEqual(yield* text(page, "status"), "open")
      for (const value of ["void", "nothing like it"]) {
        const failure = yield* Effect.flip(page.elements.select(at("status", 1_200), value, false))
        assert.strictEqual(failure.kind, "option", value)
        assert.include(failure.reason, value === "void" ? '"Void" is disabled' : '"Shipped"')
      }
      assert.strictEqual(yield* text(page, "status"), "open")
    })
  ),
  promise("chooses the option that is most like a value, where one clearly is", "/form", (page) =>
    Effect.gen(function* () {
      const exact = yield* kindOf(page.elements.select(at("city", 1_200), "winterthur", false))
      assert.strictEqual(exact, "option")
      yield* page.elements.select(at("city"), "winterthur", true)
      assert.strictEqual(yield* text(page, "city"), "Winterthur Nord")
      const unclear = yield* Effect.flip(page.elements.select(at("visit", 1_200), "Visit of 3", true))
      assert.deepInclude({ ...unclear }, { kind: "option", alike: 2 })
    })
  ),
  promise(
    "puts a file into a field, hidden ones included, into a dialog that is open, and on a zone",
    "/form",
    (page, { file }) =>
      Effect.gen(function* () {
        yield* page.elements.upload(at("file"), file)
        assert.strictEqual(yield* text(page, "got"), file.fileName)
        yield* page.navigation.goto(yield* page.navigation.address)
        yield* page.elements.click(at("choose"), "click")
        yield* page.elements.upload(null, file)
        assert.strictEqual(yield* text(page, "got"), file.fileName)
        assert.strictEqual(yield* kindOf(page.elements.upload(null, file)), "upload", "each dialog takes one")
        yield* page.navigation.goto(yield* page.navigation.address)
        yield* page.elements.dropFile(at("drop"), file)
        assert.strictEqual(yield* text(page, "got"), file.fileName)
        assert.strictEqual(yield* kindOf(page.elements.dropFile(at("got"), file)), "upload")
        yield* page.navigation.goto(yield* page.navigation.address)
        yield* page.elements.dropFile(at("drop"), file, "paste")
        assert.strictEqual(yield* text(page, "got"), file.fileName)
        assert.strictEqual(yield* kindOf(page.elements.dropFile(at("got"), file, "paste")), "upload")
      })
  ),
  promise("answers what a page copies on a click, and fails as done where it copies nothing", "/form", (page) =>
    Effect.gen(function* () {
      const { clickToCopy } = page.elements
      assert.strictEqual(yield* clickToCopy(at("copies"), "click"), "a link")
      assert.strictEqual(yield* clickToCopy(at("copieschoice"), "click"), "the choice")
      const failure = yield* Effect.flip(clickToCopy(soon("drop"), "click"))
      assert.strictEqual(failure.kind, "unusable")
      assert.strictEqual(failure.acted, true)
    })
  ),
  promise("tells the complaints about a field", "/form", (page) =>
    Effect.gen(function* () {
      const { inspect, type } = page.elements
      const before = yield* inspect(id("code"))
      assert.deepInclude(before, { matched: 1, shown: true, empty: true, complaint: "" })
      assert.deepInclude(yield* inspect(id("name")), { matched: 1, empty: false })
      assert.deepInclude(yield* inspect(id("nobody")), { matched: 0, shown: false, empty: true })
      assert.deepInclude(yield* inspect(id("file")), { matched: 1, shown: false })
      yield* type(at("code"), { ...typing, strokes: ["99", { key: "Enter" }] })
      const refused = yield* inspect(id("code"))
      assert.deepInclude(refused, { empty: true, complaint: "Wrong code 1", document: before.document })
      yield* type(at("code"), { ...typing, strokes: ["1234", { key: "Enter" }] })
      yield* page.elements.find({ selector: "//tr[@class='row']", waitMillis: longest, first: true })
      assert.notStrictEqual((yield* inspect(id("code"))).document, before.document)
    })
  ),
  promise("tells what selectors match now", "/elements", ({ elements }) =>
    Effect.gen(function* () {
      const [two, hidden, none, whole] = yield* elements.states([
        "//p[@class='two']",
        id("hidden"),
        id("nobody"),
        "//body"
      ])
      assert.deepInclude({ ...two }, { matched: 2, visible: 2, text: "one", otherTexts: ["two"], isSecret: false })
      assert.deepStrictEqual(two?.values.length, 0)
      assert.deepInclude({ ...hidden }, { matched: 1, visible: 0 })
      assert.deepStrictEqual(none, { matched: 0, visible: 0, text: null, otherTexts: [], values: [], isSecret: false })
      assert.include(whole?.text ?? "", "Pay now")
      assert.notInclude(whole?.text ?? "", "Hidden")
    })
  ),
  promise("tells what fields hold, as a person says it", "/form", ({ elements }) =>
    Effect.gen(function* () {
      yield* elements.type(at("name"), { ...typing, strokes: ["Bob"] })
      yield* elements.select(at("status"), "sent", false)
      const [name, status, secret] = yield* elements.states([id("name"), id("status"), id("secret")])
      assert.deepStrictEqual(name, {
        matched: 1,
        visible: 1,
        text: "",
        otherTexts: [],
        values: ["Bob"],
        isSecret: false
      })
      assert.deepStrictEqual(status?.values, ["Shipped", "sent"])
      assert.isTrue(secret?.isSecret)
    })
  ),
  promise("tells what an act on an element would do", "/transfer", ({ elements }, { origin }) =>
    Effect.gen(function* () {
      const { box, facts } = yield* elements.facts(at("send"))
      const { form, ...own } = facts
      assert.deepStrictEqual(own, {
        address: `${origin}/transfer`,
        tag: "button",
        text: "Send",
        attributes: [
          { name: "id", value: "send" },
          { name: "name", value: "send" },
          { name: "value", value: "now" }
        ],
        link: null
      })
      assert.deepInclude({ ...form }, { address: `${origin}/orders`, method: "post" })
      assert.deepStrictEqual(
        form?.fields.map(({ kind, value }) => [kind, value]),
        [
          ["shown", "Ann"],
          ["hidden", "t1"],
          ["secret", "canary-pin"]
        ]
      )
      assert.isTrue(box !== null && box.width > 0 && box.x + box.width <= 1 && box.y + box.height <= 1)
    })
  ),
  promise("acts on an element only while it is what it was", "/transfer", (page) =>
    Effect.gen(function* () {
      const { elements } = page
      const { facts } = yield* elements.facts(at("send"))
      yield* elements.type(at("payee"), { ...typing, strokes: ["Eve"] })
      for (const act of [
        (query: ElementQuery) => elements.click(query, "click"),
        (query: ElementQuery) => elements.click(query, "double_click")
      ]) {
        const failure = yield* Effect.flip(act({ ...at("send"), unchanged: facts }))
        assert.deepInclude({ ...failure }, { kind: "changed" })
        assert.notStrictEqual(failure.acted, true)
      }
      const field = (yield* elements.facts(at("payee"))).facts
      yield* elements.type(at("pin"), { ...typing, strokes: ["other"] })
      const typed = elements.type({ ...at("payee"), unchanged: field }, { ...typing, strokes: ["Mallory"] })
      assert.strictEqual(yield* kindOf(typed), "changed")
      assert.deepStrictEqual((yield* elements.states([id("payee")]))[0]?.values, ["Eve"])
      assert.strictEqual(yield* text(page, "told"), "none")
      const now = yield* elements.facts(at("send"))
      yield* elements.click({ ...at("send"), unchanged: now.facts }, "click")
      yield* shows(page, "told", "sent")
    })
  ),
  promise("extracts values, lists and objects, and nothing for what is missing", "/orders", ({ elements }) =>
    Effect.gen(function* () {
      const value = (path: string, type: "string" | "number" = "string") => ({ kind: "value", path, type }) as const
      const plan: ExtractionPlan = {
        kind: "object",
        fields: {
          title: value(id("title")),
          known: { kind: "known", value: 7 },
          missing: value(id("nobody")),
          rows: {
            kind: "list",
            path: "//tr[@class='row']",
            item: { kind: "object", fields: { id: value("/td[1]"), total: value("/td[2]", "number") } }
          },
          none: { kind: "list", path: id("nobody"), item: value(".") }
        }
      }
      const { data, doubts } = ReadValue.settled(plan, yield* elements.extract(plan))
      assert.deepStrictEqual(doubts, [])
      assert.deepStrictEqual(data, {
        title: "Orders",
        known: 7,
        missing: null,
        rows: [
          { id: "A-1", total: 12.5 },
          { id: "A-2", total: 7 }
        ],
        none: []
      })
    })
  ),
  promise("reads what a page has asked for once it is there", "/arriving", ({ elements, navigation }) =>
    Effect.gen(function* () {
      const rows = {
        kind: "list",
        path: "//tr[@class='row']",
        item: { kind: "value", path: ".", type: "string" }
      } as const
      const settled = yield* navigation.settled(elements.extract(rows), {
        waitMillis: longest,
        isThere: (found) => (Array.isArray(found) && found.length > 0 ? "all" : "none")
      })
      assert.deepStrictEqual(settled, { found: ["A-1"], unsure: false, declared: null })
    })
  ),
  promise("is unsure of what it did not find while a page was loading", "/waiting", ({ elements, navigation }) =>
    Effect.gen(function* () {
      const read = elements.read({ selector: id("nobody"), waitMillis: 0 })
      const settled = yield* navigation.settled(read, { waitMillis: 0, isThere: () => "none" })
      assert.deepStrictEqual(settled, { found: null, unsure: true, declared: null })
    })
  ),
  promise("scrolls until an element is there that comes with it", "/tall", (page) =>
    Effect.gen(function* () {
      yield* page.elements.scroll({ kind: "element", selector: id("far"), position: "start" }, longest)
      assert.strictEqual(yield* text(page, "far"), "Far")
    })
  ),
  promise("says whether a page scrolls on", "/tall", ({ elements, navigation }, { origin }) =>
    Effect.gen(function* () {
      assert.isFalse(yield* elements.turn("up", null))
      assert.isTrue(yield* elements.turn("down", null))
      assert.isTrue(yield* elements.turn("up", null))
      yield* navigation.goto(`${origin}/orders`)
      assert.isFalse(yield* elements.turn("down", null))
    })
  ),
  promise("outlines what can be acted on, and acts by ref until the next outline", "/form", (page) =>
    Effect.gen(function* () {
      const name = yield* refOf(page, "Ann")
      yield* page.vision.typeAt(name, { ...typing, strokes: ["Bob"] }, longest)
      assert.strictEqual(yield* text(page, "name"), "Bob")
      const { selector } = yield* page.vision.spot(name)
      assert.strictEqual(yield* page.elements.read({ selector: selector ?? "", waitMillis: longest }), "Bob")
      const focus = yield* page.vision.spot(null)
      assert.strictEqual(yield* page.elements.read({ selector: focus.selector ?? "", waitMillis: longest }), "Bob")
      assert.strictEqual(focus.address, yield* page.navigation.address)
      yield* page.vision.show(name, "center")
      const gone = { _tag: "Ref", ref: "e999" } as const
      assert.strictEqual(yield* kindOf(page.vision.clickAt(gone, "click", 150)), "mismatch")
      assert.strictEqual(yield* kindOf(page.vision.show(gone, "start")), "mismatch")
      const few = yield* page.vision.outline({ maxElements: 2 })
      assert.strictEqual(few.elements.length, 2)
      assert.isAbove(few.more, 0)
    })
  ),
  promise("says what can be pointed at, with selectors that lead there", "/form", ({ elements, vision }) =>
    Effect.gen(function* () {
      const { elements: all, height, width } = yield* vision.targets({ maxElements: 100 })
      const typed = all.filter(({ kind }) => kind === "type")
      assert.deepStrictEqual(
        typed.map(({ secret }) => secret),
        [false, true, false]
      )
      const [name] = typed
      const [best] = name?.selectors ?? []
      assert.strictEqual(best?.matches, 1)
      yield* elements.type({ selector: best?.selector ?? "", waitMillis: longest }, { ...typing, strokes: ["Bob"] })
      assert.strictEqual(yield* elements.read(at("name")), "Bob")
      const status = all.find(({ kind }) => kind === "choose")
      assert.deepStrictEqual(status?.options, ["Open", "Shipped", "Void"])
      for (const { box } of all) assert.isTrue(box.x + box.width <= width && box.y + box.height <= height)
      assert.strictEqual((yield* vision.targets({ maxElements: 2 })).elements.length, 2)
    })
  ),
  promise("clicks the point where a text is seen", "/events", (page) =>
    Effect.gen(function* () {
      const seen = (yield* page.vision.texts).find((one) => one.text === "Target")
      const { height, width, x, y } = seen?.box ?? { height: 0, width: 0, x: 0, y: 0 }
      yield* page.vision.clickAt({ _tag: "Point", x: x + width / 2, y: y + height / 2 }, "double_click", longest)
      assert.match((yield* text(page, "log")) ?? "", /dblclick$/)
      const outside = { _tag: "Point", x: 100, y: 100_000 } as const
      assert.strictEqual(yield* kindOf(page.vision.clickAt(outside, "click", 150)), "mismatch")
    })
  ),
  promise("drags an element to another one, by a distance, along a path, and over a text", "/drag", (page) =>
    Effect.gen(function* () {
      const { elements, vision } = page
      yield* elements.drag(at("card"), { to: { kind: "element", query: at("zone") }, keys: [] })
      assert.strictEqual(yield* text(page, "dropped"), "card")
      const points = Array.from({ length: 20 }, (_, index) => ({ x: index, y: index % 7 }))
      yield* elements.drag(at("handle"), { to: { kind: "path", points }, keys: ["Shift"], at: { x: 5, y: -5 } })
      assert.strictEqual(yield* text(page, "moved"), "19 5 Shift")
      yield* elements.drag(at("words"), { to: { kind: "text", text: "thirty days" }, keys: [] })
      assert.strictEqual(yield* text(page, "chosen"), "thirty days")
      const seen = (yield* vision.texts).find((one) => one.text === "Handle")?.box ?? { x: 0, y: 0 }
      yield* vision.dragAt({ x: seen.x + 2, y: seen.y + 2 }, [{ x: 30, y: 0 }], [])
      assert.strictEqual(yield* text(page, "moved"), "30 0")
    })
  ),
  promise("picks nothing up that it cannot drop, and nothing that is not there", "/drag", ({ elements, vision }) =>
    Effect.gen(function* () {
      const to = { kind: "element", query: soon("nothing") } as const
      const lost = yield* Effect.flip(elements.drag(at("card"), { to, keys: [] }))
      assert.deepInclude({ ...lost }, { kind: "mismatch", matched: 0, selector: id("nothing") })
      const path = { kind: "path", points: [{ x: 1, y: 1 }] } as const
      assert.strictEqual(yield* kindOf(elements.drag(soon("nothing"), { to: path, keys: [] })), "mismatch")
      const missing = { kind: "text", text: "sixty days" } as const
      const failure = yield* Effect.flip(elements.drag(at("words"), { to: missing, keys: [] }))
      assert.strictEqual(failure.kind, "unusable")
      assert.isUndefined(failure.acted)
      assert.strictEqual(yield* kindOf(vision.dragAt({ x: 5, y: 5 }, [{ x: 0, y: 90_000 }], [])), "mismatch")
    })
  ),
  promise("presses, releases, turns the wheel, and clicks with the other buttons and keys", "/drag", (page) =>
    Effect.gen(function* () {
      yield* page.elements.click(at("wheel"), "middle_click")
      yield* page.elements.click(at("wheel"), "press", undefined, { keys: ["ControlOrMeta"] })
      yield* page.elements.click(at("wheel"), "release", undefined, { at: { x: 1, y: 1 }, keys: [] })
      assert.strictEqual(yield* text(page, "log"), "mousedown mouseup auxclick mousedown+Ctrl mouseup")
      const wheel = { kind: "wheel", selector: id("wheel"), direction: "down", ticks: 3, keys: [] } as const
      yield* page.elements.scroll(wheel, longest)
      yield* page.elements.find(at("turned"))
      assert.strictEqual(yield* text(page, "turned"), "300")
    })
  ),
  promise("never reads a password that is typed in", "/form", ({ elements, navigation: _, observation, vision }) =>
    Effect.gen(function* () {
      yield* elements.type(at("secret"), { ...typing, strokes: ["canary-typed"] })
      const told = [
        yield* vision.outline({ maxElements: 100 }),
        yield* vision.texts,
        yield* vision.targets({ maxElements: 100 }),
        yield* elements.readable(null, { metadata: true, maxCharacters: 100_000 }),
        yield* elements.readable(id("secret"), { metadata: true, maxCharacters: 100_000 }),
        yield* elements.survey({ target: id("secret"), fields: [id("secret")] }),
        yield* elements.describe(at("secret")),
        yield* observation.candidates(unknown),
        yield* observation.snapshot({ maxBytes: 100_000 })
      ]
      assert.include(JSON.stringify(told[0]), "Ann", "other fields are read")
      for (const one of told) assert.notMatch(JSON.stringify(one), /canary/)
    })
  ),
  promise("gives what can be read, cut where it is too long", "/orders", ({ elements }) =>
    Effect.gen(function* () {
      const whole = yield* elements.readable(null, { metadata: false, maxCharacters: 100_000 })
      assert.isFalse(whole.cut)
      assert.include(whole.html, "Orders")
      assert.notInclude(whole.html, "canary-script")
      const title = yield* elements.readable(id("title"), { metadata: false, maxCharacters: 100_000 })
      assert.include(title.html, "Orders")
      assert.notInclude(title.html, "A-1")
      const cut = yield* elements.readable(null, { metadata: false, maxCharacters: 5 })
      assert.isTrue(cut.cut)
      assert.isAtMost(cut.html.length, 5)
    })
  ),
  promise("takes real pictures: of the window, of the whole page, and of an element", "/tall", (page) =>
    Effect.gen(function* () {
      const { window } = yield* page.vision.outline({ maxElements: 10 })
      assert.deepStrictEqual(sizeOf((yield* page.vision.look([])).bytes), window)
      assert.deepStrictEqual(sizeOf((yield* page.observation.glimpse()).bytes), window)
      assert.deepStrictEqual(sizeOf((yield* page.elements.screenshot(null, { fullPage: false })).bytes), window)
      const whole = sizeOf((yield* page.elements.screenshot(null, { fullPage: true })).bytes)
      assert.strictEqual(whole.width, window.width)
      assert.isAbove(whole.height, window.height)
      const title = sizeOf((yield* page.elements.screenshot(at("title"), { fullPage: false })).bytes)
      assert.isBelow(title.height, window.height)
      assert.strictEqual(yield* kindOf(page.elements.screenshot(soon("nobody"), { fullPage: false })), "mismatch")
    })
  ),
  promise("keeps a page as a document that does nothing", "/orders", ({ observation }) =>
    Effect.gen(function* () {
      const snapshot = yield* observation.snapshot({ maxBytes: 100_000 })
      assert.include(snapshot, "Orders")
      assert.notInclude(snapshot, "canary-script")
      assert.notMatch(snapshot, /<script/i)
    })
  ),
  promise("reports the requests of its session while it is watched", "/", ({ navigation, observation }, { origin }) =>
    Effect.gen(function* () {
      const [ended, begun]: [Array<Exchange>, Array<string>] = [[], []]
      yield* Effect.scoped(
        Effect.andThen(
          observation.watchNetwork((exchange) => void ended.push(exchange), {
            begun: ({ url }) => void begun.push(url)
          }),
          navigation.goto(`${origin}/orders`)
        )
      )
      yield* navigation.goto(`${origin}/events`)
      const page = ended.filter(({ resourceType }) => resourceType === "document")
      assert.deepStrictEqual(
        page.map(({ method, status, url }) => [method, url, status]),
        [["GET", `${origin}/orders`, 200]]
      )
      assert.include(begun, `${origin}/orders`)
      const whole: Array<Exchange> = []
      yield* Effect.scoped(
        Effect.andThen(
          observation.watchNetwork((exchange) => void whole.push(exchange), { bytes: true }),
          navigation.goto(`${origin}/orders`)
        )
      )
      const [document] = whole.filter(({ resourceType }) => resourceType === "document")
      assert.deepInclude(document, { status: 200, body: null })
      assert.isTrue(document !== undefined && "bytes" in document)
    })
  ),
  promise("lets a person use the mouse and the keyboard", "/events", (page) =>
    Effect.gen(function* () {
      const { gesture, letGo } = page.observation
      const { window } = yield* page.vision.outline({ maxElements: 10 })
      const placeOf = (name: string) =>
        Effect.gen(function* () {
          const { elements } = yield* page.vision.outline({ maxElements: 10 })
          const box = elements.find((one) => one.role === name || one.name === name)?.box
          const { height, width, x, y } = box ?? { height: 0, width: 0, x: 0, y: 0 }
          return { x: (x + width / 2) / window.width, y: (y + height / 2) / window.height }
        })
      const target = { ...(yield* placeOf("Target")), button: "left", clicks: 1 } as const
      yield* gesture({ kind: "press", ...target })
      yield* gesture({ kind: "release", ...target })
      assert.match((yield* text(page, "log")) ?? "", / click$/)
      const field = { ...(yield* placeOf("textbox")), button: "left", clicks: 1 } as const
      yield* gesture({ kind: "press", ...field })
      yield* gesture({ kind: "release", ...field })
      yield* gesture({ kind: "text", text: "typed" })
      yield* gesture({ kind: "key_down", key: "Shift" })
      yield* letGo
      assert.strictEqual(yield* text(page, "field"), "typed")
      assert.strictEqual(yield* text(page, "key"), "Shift")
      const nowhere = { x: 1, y: 1, button: "left", clicks: 1 } as const
      yield* gesture({ kind: "press", ...nowhere })
      yield* gesture({ kind: "release", ...nowhere })
    })
  ),
  promise("shows itself in pictures as soon as it is watched", "/orders", ({ observation }) =>
    Effect.gen(function* () {
      const shown = yield* Queue.unbounded<Uint8Array>()
      const how = { maxWidth: 800, maxHeight: 600, quality: 50, intervalMillis: 100 }
      yield* observation.screencast(how, (jpeg) => Effect.asVoid(Queue.offer(shown, jpeg)))
      const { height, width } = sizeOf(yield* Queue.take(shown))
      assert.isTrue(width > 0 && width <= 800 && height > 0 && height <= 600, `${width} × ${height}`)
    })
  ),
  Contract.promise(
    "keeps sessions apart",
    Effect.gen(function* () {
      const { origin } = yield* Site
      const browser = yield* Browser
      const [one, other] = [yield* browser.open(Session.empty), yield* browser.open(Session.empty)]
      yield* one.navigation.goto(`${origin}/`)
      yield* one.elements.click(at("cookie"), "click")
      assert.strictEqual(yield* other.navigation.address, "about:blank")
      assert.deepStrictEqual((yield* other.observation.remembered(() => true)).cookies, [])
    }).pipe(Effect.scoped)
  )
]
