/** Steps that need a person, or what only a person would have. */
import { Effect, Option, Redacted } from "effect"
import * as Otp from "../../../core/vault/otp/Otp.ts"
import { account } from "../../support/accounts.ts"
import { entryOf } from "../../support/entries.ts"
import { challenge } from "../Challenge.ts"
import { page, redirect } from "../Html.ts"
import { click, read, step, text, type } from "../Workflow.ts"

const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

const codeAt = (millis: number): string => {
  const otp = Otp.parse(Redacted.make(secret))
  if (otp._tag === "Failure" || otp.success._tag !== "Totp") throw new Error("Expected a secret")
  return Redacted.value(Otp.timed(otp.success, millis).code)
}

export const challenges = [
  challenge({
    name: "code that a person has",
    difficulty: "The bank calls its customer with a code, which only the customer knows.",
    state: () => ({ code: String(100_000 + Math.floor(Math.random() * 900_000)) }),
    given: ({ code }) => ({
      person: { ask: () => Effect.succeed({ code }), correct: () => Effect.succeed(null) }
    }),
    routes: {
      "": page(`<form method="post" action="check"><input name="code"><button>Go on</button></form>`),
      check: ({ form, state }) => page(`<h1>${form.get("code") === state.code ? "Welcome" : "Wrong code"}</h1>`)
    },
    workflow: [
      step("USER_INTERACTION", {
        expected_datamodel: {
          type: "object",
          properties: { code: { type: "string", pattern: "^\\d{6}$" } },
          required: ["code"]
        },
        server_message: "Which code were you told?"
      }),
      type("//input[@name='code']", "{{context.code}}"),
      click("//button"),
      read({ title: text("//h1") }, "//h1")
    ],
    expected: { title: "Welcome" }
  }),
  challenge({
    name: "second factor",
    difficulty: "After the password the site wants a code of an authenticator, and refuses one that was used before.",
    state: () => ({ used: new Set<string>() }),
    given: (_state, origin) => ({
      accounts: [
        account("BANK", { userName: "ada", password: "difference", tfaSecret: secret }, entryOf({}, { domain: origin }))
      ],
      codes: {
        generated: () => Effect.sync(() => Option.some(Redacted.make(codeAt(Date.now())))),
        passkey: () => Effect.succeed(null),
        keepPasskey: () => Effect.void,
        addressOf: () => Effect.succeed(null),
        received: () => Effect.succeed(Option.none())
      }
    }),
    inputs: { BANK: "ada" },
    routes: {
      "": page(
        `<form method="post" action="login"><input name="user"><input name="password" type="password"><button>Sign in</button></form>`
      ),
      login: ({ form }) =>
        form.get("user") === "ada" && form.get("password") === "difference" ? redirect("second") : redirect("."),
      second: page(`<form method="post" action="check"><input name="code" id="code"></form>`),
      check: ({ form, state }) => {
        const code = form.get("code") ?? ""
        const isGood = [0, 30_000].some((ago) => codeAt(Date.now() - ago) === code) && !state.used.has(code)
        state.used.add(code)
        return isGood
          ? page(`<h1>Accounts</h1>`)
          : page(`<form method="post" action="check"><p role="alert">Wrong</p><input name="code" id="code"></form>`)
      }
    },
    workflow: [
      type("//input[@name='user']", "{{context.inputs.BANK.USER_NAME}}"),
      type("//input[@name='password']", "{{context.inputs.BANK.PASSWORD}}", { submit_after_input: true }),
      step("TFA", { tfa_type: "AUTHENTICATOR", credential: "BANK", selector: "//input[@id='code']" }),
      read({ title: text("//h1") }, "//h1")
    ],
    expected: { title: "Accounts" }
  }),
  challenge({
    name: "captcha that is not there",
    difficulty: "A captcha may come up, and the step for it must cost nothing when none does.",
    routes: { "": page(`<form action="in"><button>Enter</button></form>`), in: page(`<h1>In</h1>`) },
    workflow: [
      step("CAPTCHA", { captcha_type: "turnstile" }),
      click("//button"),
      read({ title: text("//h1") }, "//h1")
    ],
    expected: { title: "In" }
  })
]
