import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { type DemoUser, demoUsers } from "../../../apps/demo/DemoUsers.ts"
import type { Message } from "../../../apps/demo/SignIn.ts"
import * as Site from "../../../apps/demo/Site.ts"
import type { Failure, Outcome } from "../../../core/agent/Outcome.ts"
import type { Person } from "../../../core/agent/Person.ts"
import type { LoginCodes } from "../../../core/vault/otp/LoginCodes.ts"
import * as Otp from "../../../core/vault/otp/Otp.ts"
import { account } from "../../support/accounts.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { entryOf } from "../../support/entries.ts"
import { inBrowser } from "../../support/realBrowser.ts"
import { until } from "../../support/waiting.ts"

const codeField = "css=#code"
const tfa = (tfa_type: string, selector: string | null = codeField): Step => ({
  action: "TFA",
  parameters: { tfa_type, credential: "SHOP", selector, wait_time: 5_000 }
})
const type = (selector: string, name: string, more: object = {}): Step => ({
  action: "INPUT_TEXT",
  parameters: { selector, text: `{{context.inputs.SHOP.${name}}}`, ...more }
})
const there = (selector: string): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: { selector, wait_time: 20_000, extract_data_model: { type: "object", properties: {} } }
})

/** Codes that are given out in this order, each also as what arrived. */
const these = (...codes: ReadonlyArray<() => string>): LoginCodes["Service"] => {
  let given = 0
  const next = Effect.gen(function* () {
    const code = codes[given++]
    if (code === undefined) return Option.none()
    // The message of the site may not have arrived yet.
    return Option.some(Redacted.make(yield* until("the message of the site", Effect.sync(code), (it) => it !== "")))
  })
  return {
    generated: () => next,
    passkey: () => Effect.succeed(null),
    keepPasskey: () => Effect.void,
    addressOf: () => Effect.succeed("robot@inbox.example"),
    received: () =>
      Effect.map(
        next,
        Option.map((one) => [one])
      )
  }
}

const failureOf = (outcome: Outcome): Failure => {
  if (outcome._tag === "Failed") return outcome.failure
  throw new Error(`Expected a failure, got ${JSON.stringify(outcome.data)}`)
}

const now = (secret: string) => () => {
  const otp = Otp.parse(Redacted.make(secret))
  if (otp._tag === "Failure" || otp.success._tag !== "Totp") throw new Error("Expected a secret")
  return Redacted.value(Otp.timed(otp.success, Date.now()).code)
}

/** Signs in to the demo site, whose messages go to the inbox. */
const signIn = (
  demoUser: DemoUser,
  step: Step,
  codesOf: (sent: ReadonlyArray<Message>) => LoginCodes["Service"],
  personOf?: (sent: ReadonlyArray<Message>) => Person
) =>
  Effect.gen(function* () {
    const sent: Array<Message> = []
    const site = yield* Site.serve(0, { post: async (message) => void sent.push(message) })
    const secrets = demoUser.second?._tag === "app" ? { tfaSecret: demoUser.second.secret } : {}
    return yield* walk(
      graphOf(`${site}/login`, [
        type("css=#user", "USER_NAME"),
        type("css=#password", "PASSWORD", { submit_after_input: true }),
        step,
        there("css=#orders")
      ]),
      { SHOP: "robot" },
      {
        accounts: [
          account(
            "SHOP",
            { userName: demoUser.user, password: demoUser.password, ...secrets },
            entryOf({}, { domain: site })
          )
        ],
        codes: codesOf(sent),
        ...(personOf === undefined ? {} : { person: personOf(sent) })
      }
    ).pipe(inBrowser)
  }).pipe(Effect.scoped)

const lastOf = (sent: ReadonlyArray<Message>) => () => sent.at(-1)?.secret ?? ""
const wrong = () => "00000x"

describe.concurrent("on a site that loads a page for each step", () => {
  it.live("a code is taken, and another one is tried when it was not", () =>
    Effect.gen(function* () {
      const { controller } = demoUsers
      const { outcome } = yield* signIn(controller, tfa("AUTHENTICATOR"), () =>
        these(wrong, now(controller.second.secret))
      )
      assert.deepEqual(outcome, { _tag: "Success", data: {} })
    })
  )

  it.live("two refused codes end the run with what the site says", () =>
    Effect.gen(function* () {
      const { outcome } = yield* signIn(demoUsers.controller, tfa("AUTHENTICATOR"), () => these(wrong, wrong, wrong))
      const failure = failureOf(outcome)
      assert.deepInclude(failure, { code: "TFA-E0001", category: "AUTHENTICATION_ERROR", failedLogin: "SHOP" })
      assert.include(failure.message, "This code is not right, or was used before")
    })
  )

  it.live("a code comes by mail or by text, or a person knows it", () =>
    Effect.gen(function* () {
      const mailed = yield* signIn(demoUsers.buyer, tfa("EMAIL"), (sent) => these(lastOf(sent)))
      assert.deepEqual(mailed.outcome, { _tag: "Success", data: {} })
      const texted = yield* signIn(demoUsers.driver, tfa("SMS"), (sent) => these(lastOf(sent)))
      assert.deepEqual(texted.outcome, { _tag: "Success", data: {} })
      const told = yield* signIn(
        demoUsers.owner,
        tfa("AUTHENTICATOR"),
        () => these(),
        (sent) => ({
          ask: () => Effect.sync(() => ({ code: lastOf(sent)() })),
          correct: () => Effect.succeed(null)
        })
      )
      assert.deepEqual(told.outcome, { _tag: "Success", data: {} })
    })
  )

  it.live("a link is opened in the session that asked for it", () =>
    Effect.gen(function* () {
      const { outcome } = yield* signIn(demoUsers.partner, tfa("MAGIC_LINK", null), (sent) => these(lastOf(sent)))
      assert.deepEqual(outcome, { _tag: "Success", data: {} })
    })
  )
})

/** A page whose field is a script's: it sends each whole code at once, hides the form meanwhile, and complains in the page. */
const scripted = (boxes: number) => `<!doctype html><title>Code</title>
  <form onsubmit="check(); return false">${Array.from(
    { length: boxes },
    (_, index) => `<input class="digit" name="d${index + 1}" ${boxes > 1 ? 'maxlength="1"' : ""} oninput="move(this)">`
  ).join("")}<p role="alert"></p></form><p id="busy" hidden>One moment</p>
  <script>
    const form = document.querySelector("form"), all = [...document.querySelectorAll("input")], busy = document.querySelector("#busy")
    let checking = false
    const move = (field) => {
      if (all.length > 1 && field.value !== "") (all[all.indexOf(field) + 1] ?? field).focus()
      if (all.map((one) => one.value).join("").length === 6 && all.length > 1) check()
    }
    const check = async () => {
      if (checking) return
      checking = true
      const code = all.map((one) => one.value).join("")
      form.hidden = true
      busy.hidden = false
      const answer = await fetch("/check?code=" + code)
      if (answer.ok) document.body.innerHTML = '<h1 id="inside">Welcome</h1>'
      else {
        for (const one of all) one.value = ""
        form.hidden = busy.hidden = false
        busy.hidden = true
        document.querySelector("[role=alert]").textContent = "Wrong code"
        all[0].focus()
      }
      checking = false
    }
  </script>`

/** Serves the page; the right code is 123456. Answers the codes that were sent. */
const withPage = <A, E, R>(
  boxes: number,
  test: (site: string, codes: ReadonlyArray<string>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const codes: Array<string> = []
    const server = createServer((request, response) => {
      const code = new URL(request.url ?? "/", "http://x").searchParams.get("code")
      if (code === null) return response.setHeader("content-type", "text/html").end(scripted(boxes))
      codes.push(code)
      return setTimeout(() => response.writeHead(code === "123456" ? 200 : 401).end(), 400)
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => server.close())
    )
    const address = server.address()
    const site = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    return yield* test(site, codes)
  }).pipe(Effect.scoped)

describe.concurrent("on a site that stays on its page", () => {
  const attempt = (boxes: number, selector: string, ...codes: ReadonlyArray<() => string>) =>
    withPage(boxes, (site, sent) =>
      Effect.map(
        walk(
          graphOf(site, [tfa("AUTHENTICATOR", selector), there("css=#inside")]),
          { SHOP: "robot" },
          {
            accounts: [account("SHOP", { tfaSecret: "GEZDGNBVGY3TQOJQ" }, entryOf({}, { domain: site }))],
            codes: these(...codes)
          }
        ).pipe(inBrowser),
        ({ outcome }) => ({ outcome, sent: [...sent] })
      )
    )
  const right = () => "123456"
  const other = () => "654321"

  it.live("a refused code differs from a page that is only busy", () =>
    Effect.gen(function* () {
      const { outcome, sent } = yield* attempt(1, "css=input", other, right)
      assert.deepEqual(outcome, { _tag: "Success", data: {} })
      assert.deepStrictEqual(sent, ["654321", "123456"])
    })
  )

  it.live.each(["//input[@name='d1']", "css=.digit"])("a code is typed over six boxes, found by %s", (selector) =>
    Effect.gen(function* () {
      const { outcome, sent } = yield* attempt(6, selector, other, right)
      assert.deepEqual(outcome, { _tag: "Success", data: {} })
      assert.deepStrictEqual(sent, ["654321", "123456"])
    })
  )

  it.live("two fields that are no boxes are one too many", () =>
    Effect.gen(function* () {
      const { outcome, sent } = yield* attempt(1, "//form | //input", right)
      assert.strictEqual(failureOf(outcome).code, "SELECTOR-E0001")
      assert.deepStrictEqual(sent, [])
    })
  )
})
