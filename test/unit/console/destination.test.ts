import { assert, describe, it } from "@effect/vitest"
import {
  accessForms,
  accessOf,
  type Before,
  blank,
  type Given,
  wrongOf
} from "../../../apps/console/files/DestinationModel.ts"
import { DestinationType, misfit, urlProblem } from "../../../core/run/delivery/FileDestination.ts"

const before: Before = {
  name: "Bank",
  type: "sftp",
  url: "sftp://files.example.com/~/in",
  host_key: `SHA256:${"A".repeat(43)}`,
  on_conflict: "fail"
}

const typed = (part: Partial<Given>): Given => ({
  ...blank(null),
  name: "Accounting",
  url: "https://files.example.com/in",
  username: "robot",
  password: "p",
  privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\n",
  token: "t",
  ...part
})

describe("the form of a destination of files", () => {
  it("names each field that is missing, and no other", () => {
    assert.deepStrictEqual(wrongOf(typed({ form: "token" }), urlProblem), {})
    const empty = { name: " ", url: "files", username: "", token: " " }
    assert.hasAllKeys(wrongOf(typed({ ...empty, form: "token" }), urlProblem), ["name", "url", "access"])
    assert.hasAllKeys(wrongOf(typed({ username: "", form: "password" }), urlProblem), ["access"])
    assert.hasAllKeys(wrongOf(typed({ privateKey: " ", form: "key" }), urlProblem), ["access"])
    assert.hasAllKeys(wrongOf(typed({ type: "sftp", form: "key" }), urlProblem), ["host_key"])
  })

  it.each(DestinationType.literals)("offers only what the service takes for the type %s", (type) => {
    const forms = accessForms(type, null)
    assert.notInclude(forms, "kept")
    for (const form of forms) {
      const access = accessOf(typed({ type, form })) ?? {}
      const { private_key: privateKey, ...others } = { private_key: undefined, ...access }
      const sent = { ...others, ...(privateKey === undefined ? {} : { privateKey }) }
      assert.isNull(misfit(type, { access: Object.keys(sent).length === 0 ? null : sent }), `${type} ${form}`)
    }
  })

  it("begins with what is stored, and leaves its access where no other is typed", () => {
    const given = blank(before)
    assert.deepInclude(given, { name: "Bank", type: "sftp", form: "kept", onConflict: "fail" })
    assert.strictEqual(accessForms("sftp", before)[0], "kept")
    assert.isUndefined(accessOf(given))
    assert.deepStrictEqual(wrongOf(given, urlProblem), {})
  })

  it("sends nothing that another form of access had", () => {
    assert.isNull(accessOf(typed({ form: "none" })))
    assert.deepStrictEqual(accessOf(typed({ form: "token" })), { token: "t" })
    assert.hasAllKeys(accessOf(typed({ form: "key" })), ["username", "private_key"])
    assert.hasAllKeys(accessOf(typed({ form: "password", region: " eu " })), ["username", "password", "region"])
  })
})
