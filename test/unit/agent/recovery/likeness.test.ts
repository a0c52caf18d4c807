import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import * as SelectorHints from "../../../../core/agent/recovery/SelectorHints.ts"
import { Appearance, scrubbed, unknown } from "../../../../core/browser/element/Appearance.ts"
import { type Candidate, theOne } from "../../../../core/browser/element/Likeness.ts"
import { Secrets } from "../../../../core/redaction/Secrets.ts"

const looks = (traits: Partial<Appearance>): Appearance => ({ ...unknown, tag: "button", role: "button", ...traits })

const among = (...all: ReadonlyArray<Partial<Appearance>>): ReadonlyArray<Candidate> =>
  all.map((traits, index) => ({ selector: String(index), appearance: looks(traits), frame: null }))

const submit: Partial<Appearance> = {
  id: "submit",
  type: "submit",
  text: "Place order",
  section: "Your order",
  before: "Total 12.50",
  path: "html>body>form>button"
}

const login: Partial<Appearance> = {
  type: "submit",
  text: "Log in",
  signIn: "user pass",
  path: "html>body>form>button"
}

const field: Partial<Appearance> = { tag: "input", role: "textbox", type: "text", name: "email", label: "E-mail" }

/** A link of a site whose pages differ by their queries alone. */
const edit: Partial<Appearance> = {
  tag: "a",
  role: "link",
  hrefPath: "/doku.php",
  text: "Edit this page",
  section: "Page tools",
  path: "html>body>nav>ul>li>a"
}

const icon: Partial<Appearance> = { ...edit, text: null, title: "Edit this page [E]" }

/** The wanted element, the elements of the page, and the chosen one. */
const table: ReadonlyArray<readonly [string, Partial<Appearance>, ReadonlyArray<Partial<Appearance>>, string | null]> =
  [
    ["the same element under another id", submit, [{ ...submit, id: "btn-order" }], "0"],
    ["an element that was moved", submit, [{ text: "Help" }, { ...submit, path: "html>body>div>div[2]>button" }], "1"],
    ["an element with another text, known by its id and place", submit, [{ ...submit, text: "Buy now" }], "0"],
    ["nothing among others of its kind", submit, [{ text: "Cancel", type: "button" }, { text: "Help" }], null],
    ["nothing where all that is left is a button in its place", submit, [{ path: "html>body>form>button" }], null],
    [
      "the one that stands in the same section",
      { ...submit, id: null },
      [
        { text: "Place order", section: "Advertisement", path: "html>body>div>button" },
        { ...submit, id: null, type: "submit" }
      ],
      "1"
    ],
    ["none of two that are alike", { text: "Delete", id: "d" }, [{ text: "Delete" }, { text: "Delete" }], null],
    [
      "none of the rows of a list that have other numbers",
      { id: "row-4", text: "Open order 1004", name: "o4" },
      [{ id: "row-5", text: "Open order 1005", name: "o5" }],
      null
    ],
    ["no contrary", { text: "Subscribe", id: "subscribe" }, [{ text: "Unsubscribe", id: "unsubscribe" }], null],
    ["no longer text that commits to more", { text: "Delete", id: "x" }, [{ text: "Delete account", id: "y" }], null],
    [
      "the only button of a sign-in form, under another id and a longer text",
      { ...login, id: "in" },
      [
        { text: "Register", type: "button" },
        { ...login, text: "Log in now" }
      ],
      "1"
    ],
    ["none of another sign-in form", login, [{ ...login, text: "Log in now", signIn: "client code" }], null],
    ["nothing else in a sign-in form", login, [{ ...login, text: "Delete account" }], null],
    [
      "a field by its name and label",
      field,
      [
        { ...field, id: "new" },
        { ...field, name: "email2", label: "Repeat e-mail" }
      ],
      "0"
    ],
    ["no button in place of a field", field, [{ name: "email", ariaLabel: "E-mail", label: "E-mail" }], null],
    [
      "a link by where it leads",
      { tag: "a", role: "link", hrefPath: "/invoices", text: "Invoices" },
      [
        { tag: "a", role: "link", hrefPath: "/invoices", text: "My invoices" },
        { tag: "a", role: "link", hrefPath: "/orders", text: "Orders" }
      ],
      "0"
    ],
    ["no other link of the same address", edit, [{ ...edit, text: "Delete" }], null],
    ["no other link of the same address that has no text", icon, [{ ...icon, title: "Delete this page [D]" }], null],
    [
      "a link without text by its title",
      icon,
      [
        { ...icon, title: "Old revisions [O]" },
        { ...icon, path: "" }
      ],
      "1"
    ],
    ["no decoy that has the title and says something else", icon, [{ ...icon, text: "Discard everything" }], null],
    ["nothing where too little is known", { placeholder: "Search" }, [{ placeholder: "Search" }], null]
  ]

it.each(table)("%s", (_name, wanted, page, expected) => {
  assert.strictEqual(theOne(looks(wanted), among(...page))?.selector ?? null, expected)
})

it("an appearance that was stored before sign-in forms were noted is read as one that knows of none", () => {
  const { signIn: _, ...stored } = looks(submit)
  assert.deepStrictEqual(Schema.decodeUnknownSync(Appearance)(stored), looks(submit))
})

const word = Schema.String.check(Schema.isPattern(/^[a-z]{4,12}$/))

it.prop(
  "an element that agrees in nothing that names it is never taken, whatever else it shares",
  [word, word, word, word],
  ([id, text, otherId, otherText]) => {
    if (id.charAt(0) === otherId.charAt(0) || text.charAt(0) === otherText.charAt(0)) return
    const wanted = looks({ ...submit, id, text })
    assert.isNull(theOne(wanted, among({ ...submit, id: otherId, text: otherText })))
  }
)

it.prop("two equal elements are never distinguished, and one alone is always found", [word, word], ([id, text]) => {
  const one = looks({ id, text, type: "submit", section: "Order" })
  assert.strictEqual(theOne(one, [{ selector: "a", appearance: one, frame: null }])?.selector, "a")
  assert.isNull(
    theOne(one, [
      { selector: "a", appearance: one, frame: null },
      { selector: "b", appearance: one, frame: null }
    ])
  )
  const ad = { selector: "ad", appearance: one, frame: "https://ads.example/" }
  assert.strictEqual(theOne(one, [ad, { selector: "a", appearance: one, frame: null }])?.selector, "a")
  assert.strictEqual(theOne(one, [ad])?.selector, "ad")
  assert.isNull(theOne(one, [ad, ad]))
})

it.each([
  ["//button[@id='go']", { tag: "button", id: "go" }],
  [`//form[@name="login"]//input[@name="user" and @type='text']`, { tag: "input", name: "user", type: "text" }],
  ["//a[normalize-space()='Sign in']", { tag: "a", text: "Sign in" }],
  ["//button[contains(., 'Next')]", { tag: "button", text: "Next" }],
  ["//div[@class='a/b']/*[@data-testid='pay']", { tag: "", testId: "pay" }],
  ["//a[@href='https://x.example/in?a=1']", { tag: "a", hrefPath: "/in" }],
  ["//button[lower-case(.) = 'save']", { tag: "button", text: "save" }],
  ["css=form > input#mail[placeholder='E-mail']", { tag: "input", id: "mail", placeholder: "E-mail" }],
  ['css=[aria-label="Close it"]', { tag: "", ariaLabel: "Close it" }],
  ['role=button[name="Send"]', { role: "button", text: "Send" }],
  ["text='Sign out'", { text: "Sign out" }],
  [`//button[not(@id='x' or contains(., ")")) and @name='go']`, { tag: "button", name: "go" }],
  ["css=a:not([title='Off']):not(#x)[name='on']", { tag: "a", name: "on" }]
])("%s says what it means", (selector, expected) => {
  assert.deepStrictEqual(SelectorHints.of(selector), { ...unknown, ...expected })
})

it("what is kept of an element has no secret and no input in it", () => {
  const secrets = new Secrets()
  secrets.add("hunter-42-secret", "secret")
  const seen = looks({ text: "Hello Alice Smith", label: "hunter-42-secret", title: "Greeting", id: "alice smith-7" })
  const kept = scrubbed(seen, secrets, { name: "Alice Smith", nested: { n: 12 } })
  assert.deepStrictEqual(kept, looks({ title: "Greeting" }))
})
