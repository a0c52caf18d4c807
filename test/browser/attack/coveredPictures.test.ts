/** Secrets that a page shows, in pictures of the viewport, of the whole page and of one element. */
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import * as CoveredSession from "../../../core/agent/vision/CoveredSession.ts"
import { Browser, type BrowserSession } from "../../../core/browser/Browser.ts"
import * as Session from "../../../core/browser/Session.ts"
import { Secrets } from "../../../core/redaction/Secrets.ts"
import * as CountedMessages from "../../support/countedMessages.ts"
import { at, body, open, pages } from "../../support/pages.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { html, serve } from "../../support/site.ts"

/** Secrets of one width: pictures of their pages are the same where they are covered. */
const secret = ["canary-AAAA", "canary-WXYZ"] as const

const style = "<style>* { font: 24px monospace } #inner { height: 60px; overflow: auto }</style>"
const shadow = (text: string) =>
  `<div id=host></div><script>host.attachShadow({ mode: "open" }).innerHTML = "<b>${text}</b>"</script>`
const framed = (text: string) => `<iframe width=500 height=80 src="{{other}}/framed-${text}"></iframe>`

/** Ways to show a text, each in a page that is otherwise the same. */
const shown: Readonly<Record<string, (text: string) => string>> = {
  "a text": (text) => `<p>Your password is ${text}</p>`,
  "a text beside an element that shows it as well": (text) => `<p>It is ${text}, again <b>${text}</b></p>`,
  "a text wider than its element": (text) => `<p style="width: 20px; white-space: nowrap">${text}</p>`,
  "an element without a box": (text) => `<p><span style="display: contents">${text}</span></p>`,
  "a field": (text) => `<input value="${text}" size=20>`,
  "fields of one character": (text) =>
    `<div>${[...text].map((one) => `<input value="${one}" size=1> `).join("")}</div>`,
  "a placeholder": (text) => `<input placeholder="${text}" size=20>`,
  "a list": (text) => `<select><option value=1>${text}</select>`,
  "an element that scrolls": (text) => `<div id=inner><p>.</p><p>.</p><p id=last>${text}</p></div>`,
  "a dialog of the page": (text) => `<dialog id=one>${text}</dialog><script>one.showModal()</script>`,
  "a drawing": (text) => `<svg width=500 height=60><text y=40>${text}</text></svg>`,
  "a shadow root": shadow,
  "a frame": (text) => `<iframe width=500 height=80 srcdoc="${style.replaceAll('"', "'")}<p>${text}</p>"></iframe>`,
  "a frame of another site": framed,
  "below the window": (text) => `<p style="margin-top: 3000px" id=low>Below: ${text}</p>`,
  "an element that stays in the window": (text) =>
    `<p style="position: fixed; bottom: 0">${text}</p><p style="height: 3000px">`
}

const ways = Object.entries(shown)
const addressOf = (way: number, text: string) => `/${way}-${encodeURIComponent(text)}`
const moving = (text: string) =>
  body(`${style}<p id=one>${text}</p><script>
    let margin = 0
    setInterval(() => { one.style.marginTop = (margin = (margin + 37) % 300) + "px" }, 1)</script>`)

/** The secret comes as the first cover of another one does. */
const late = (text: string) =>
  body(`${style}<h1>Late</h1><p>canary-AAAA</p><p id=late>.</p><script>
    new MutationObserver((seen) => {
      if (seen.some(({ addedNodes }) => [...addedNodes].some(({ id }) => id))) late.textContent = "${text}"
    }).observe(document.documentElement, { childList: true })</script>`)

const written = Object.fromEntries(
  secret
    .flatMap((text) => [
      ...ways.map(
        ([, write], way) =>
          [addressOf(way, text), body(`${style}<h1>Public</h1><div id=shown>Here: ${write(text)}</div>`)] as const
      ),
      [`/framed-${text}`, body(`${style}<p>${text}</p>`)] as const,
      [`/moving-${text}`, moving(text)] as const,
      [`/late-${text}`, late(text)] as const,
      [
        `/all-${text}`,
        body(
          `${style}<div id=shown>${["a text", "a field", "a frame of another site"].map((way) => shown[way]?.(text)).join("")}</div>`
        )
      ]
    ])
    .concat(["one", "two"].map((text) => [`/public-${text}`, body(`${style}<p>${text}</p><p>${secret[0]}</p>`)]))
)

type Taking = (page: BrowserSession) => ReturnType<BrowserSession["elements"]["screenshot"]>

const kinds = {
  "a glimpse": (page) => page.observation.glimpse(),
  "the viewport": (page) => page.elements.screenshot(null, { fullPage: false }),
  "the whole page": (page) => page.elements.screenshot(null, { fullPage: true, maxScrolls: 1 }),
  "one element": (page) => page.elements.screenshot(at("//div[@id='shown']"), { fullPage: false, margin: 10 })
} satisfies Readonly<Record<string, Taking>>

const known = Effect.gen(function* () {
  const secrets = new Secrets()
  secrets.add([...secret], "secret")
  yield* secrets.prepared
  return secrets
})

/** The pictures of two pages that show different secrets: covered, and that of the first as it is afterwards. */
const pictures = Effect.fnUntraced(function* ([one, other]: readonly [string, string], take: Taking) {
  const bare = yield* open(one)
  const covered = CoveredSession.make(bare, yield* known)
  const of = (page: BrowserSession) => Effect.map(take(page), ({ bytes }) => Buffer.from(bytes).toString("base64"))
  const taken = { first: yield* of(covered), bare: yield* of(bare) }
  yield* bare.navigation.goto(new URL(other, yield* bare.navigation.address).href)
  return { ...taken, second: yield* of(covered) }
}, Effect.scoped)

const isCovered = (paths: readonly [string, string], take: Taking) =>
  Effect.map(pictures(paths, take), ({ bare, first, second }) => {
    assert.isTrue(first === second, "the picture shows the secret")
    assert.isTrue(first !== bare, "the picture covers nothing")
  })

layer(pages(written), { excludeTestServices: true })("a picture", (it) => {
  for (const [way, [name]] of ways.entries()) {
    it.effect(`of the whole page covers ${name}`, () =>
      isCovered([addressOf(way, secret[0]), addressOf(way, secret[1])], kinds["the whole page"])
    )
  }

  for (const [kind, take] of Object.entries(kinds)) {
    it.effect(`of ${kind} covers what it shows`, () => isCovered([`/all-${secret[0]}`, `/all-${secret[1]}`], take))
  }

  it.effect("is taken again until what it shows was covered where it was", () =>
    isCovered([`/late-${secret[0]}`, `/late-${secret[1]}`], kinds["a glimpse"])
  )

  it.effect("is not there while what has to be covered moves all the time", () =>
    Effect.gen(function* () {
      const page = CoveredSession.make(yield* open(`/moving-${secret[0]}`), yield* known)
      const failure = yield* Effect.flip(page.observation.glimpse())
      assert.include(failure.reason, "did not stay where it was")
    })
  )

  it.effect("shows what is public beside a secret", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all(
        ["one", "two"].map((text) => pictures([`/public-${text}`, `/public-${text}`], kinds["the viewport"]))
      )
      assert.isTrue(one !== undefined && other !== undefined && one.first !== other.first)
    })
  )
})

it.live("a picture reads a page twice where secrets are known, and no more than before where none is", () =>
  Effect.gen(function* () {
    const { asked, stop } = CountedMessages.install()
    yield* Effect.addFinalizer(() => Effect.sync(stop))
    const options = { ...PlaywrightBrowser.defaults, executablePath, allowPrivateNetworks: true }
    const browser = Context.get(yield* Layer.build(Layer.fresh(PlaywrightBrowser.layer(options))), Browser)
    const site = yield* serve({ "/": html(body("<p>Public</p>")) })
    const page = yield* browser.open(Session.empty)
    yield* page.navigation.goto(`${site}/`)
    const count = Effect.fnUntraced(function* (one: BrowserSession) {
      const before = asked.length
      yield* one.observation.glimpse()
      return asked.slice(before)
    })
    yield* count(CoveredSession.make(page, yield* known))
    const alone = yield* count(page)
    assert.deepStrictEqual(yield* count(CoveredSession.make(page, new Secrets())), alone)
    const read = yield* count(CoveredSession.make(page, yield* known))
    assert.deepStrictEqual(
      read.filter((one) => !alone.includes(one)),
      ["Runtime.callFunctionOn", "Runtime.callFunctionOn"]
    )
  }).pipe(Effect.scoped)
)
