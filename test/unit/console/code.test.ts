import { assert, describe, it } from "@effect/vitest"
import type { Entry } from "../../../apps/console/author/AuthorModel.ts"
import { codeSourcesOf, entering } from "../../../apps/console/author/CodeModel.ts"
import type { PageTarget } from "../../../apps/console/author/Conversation.ts"

const url = "https://bank.example/login/code"

const field: PageTarget = {
  kind: "type",
  role: "textbox",
  name: "Code",
  secret: false,
  code: true,
  options: [],
  box: { x: 0, y: 0, width: 10, height: 10 },
  selectors: [{ selector: "//input", matches: 1 }],
  row: null,
  heading: null
}

const entry = (given: Partial<Entry>): Entry => ({
  domain: "https://bank.example",
  permissioned_user_id: "clerk",
  ...given
})

const unused = { input_schema: {}, vault_schema: {} }

/** What is sent for the first source, with the parameters of its steps. */
const sent = (entries: ReadonlyArray<Entry>, draft: typeof unused = unused, code = "123456") => {
  const [source] = codeSourcesOf(entries, url, draft)
  return source === undefined ? [] : entering(source, field, "//input", code)
}

const step = (tfa_type: string, credential: string) =>
  JSON.stringify({
    action: "TFA",
    name: "Enter the code",
    parameters: { execution: "STATIC", tfa_type, credential, selector: "//input" }
  })

describe("the code of a second factor", () => {
  const used = { input_schema: {}, vault_schema: { BANK: { type: "credential", domain: "https://bank.example" } } }
  const adds = "credential CLERK https://bank.example = clerk"
  const answer = "answer code = 123456"
  it.each([
    [
      "by the secret of the credential that signs in",
      [entry({ tfa_secret: "sealed" })],
      used,
      [step("AUTHENTICATOR", "BANK")]
    ],
    [
      "by a credential that is added",
      [entry({ tfa_secret: "sealed" })],
      unused,
      [adds, step("AUTHENTICATOR", "CLERK")]
    ],
    ["of a secret provider", [entry({ secret_provider_id: "p" })], used, [step("AUTHENTICATOR", "BANK")]],
    ["from the inbox", [entry({ tfa_method: "EMAIL", tfa_email: "c@in.example" })], used, [step("EMAIL", "BANK")]],
    ["by SMS", [entry({ tfa_method: "SMS", tfa_phone_number: "+49" })], used, [step("SMS", "BANK")]],
    ["of a person without an inbox", [entry({ tfa_method: "EMAIL" })], used, [answer, step("EMAIL", "BANK")]],
    ["of a person without a secret", [entry({})], used, [answer, step("AUTHENTICATOR", "BANK")]],
    [
      "of the credential that needs no person first",
      [entry({ permissioned_user_id: "other" }), entry({ tfa_secret: "sealed" })],
      unused,
      [adds, step("AUTHENTICATOR", "CLERK")]
    ]
  ] as const)("comes %s", (_, entries, draft, expected) => {
    assert.deepStrictEqual(sent(entries, draft as typeof unused), expected)
  })

  it("is asked of a person and typed where the vault has no credential for the site", () => {
    const [first, asking = "", typing = ""] = sent([entry({ domain: "https://other.example", tfa_secret: "sealed" })])
    assert.strictEqual(first, answer)
    const { action, parameters } = JSON.parse(asking)
    assert.strictEqual(action, "USER_INTERACTION")
    assert.deepStrictEqual(parameters.expected_datamodel.required, ["code"])
    assert.deepInclude(JSON.parse(typing).parameters, { text: "{{context.code}}", submit_after_input: true })
  })
})
