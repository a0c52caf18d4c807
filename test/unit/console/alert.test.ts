import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  blank,
  fieldOf,
  fields,
  type Given,
  payloadOf,
  type Receiver,
  wrongOf
} from "../../../apps/console/alerts/ReceiverModel.ts"
import { MailAddress, MailServer } from "../../../core/event/alert/AlertReceiver.ts"
import { problemsIn } from "../../../core/workflow/language/graph/Paths.ts"

const before: Receiver = {
  id: "1",
  name: "Bookkeeping",
  type: "mail",
  host: "smtp.example.com",
  smtp: { host: "smtp.example.com", port: 465, security: "tls", has_user: true },
  from: "sluice@example.com",
  to: ["books@example.com", "ops@example.com"],
  events: ["failed", "person_needed"],
  urgent: ["person_needed"],
  workflow_ids: ["2"],
  quiet_hours: { time_zone: "Asia/Tokyo", from: "20:00", to: "06:00" },
  gather_seconds: 60,
  pause_seconds: 3_600,
  created_at: "",
  created_by: "",
  updated_at: ""
}

const typed = (part: Partial<Given>): Given => ({
  ...blank(null, "Europe/Berlin"),
  name: " Operations ",
  host: " smtp.example.com ",
  from: "sluice@example.com",
  to: "ops@example.com; books@example.com,\nx@example.com",
  ...part
})

describe("the form of a receiver of alerts", () => {
  it("names each field that is missing, and no other", () => {
    assert.deepStrictEqual(wrongOf(typed({}), null), {})
    assert.hasAllKeys(wrongOf(typed({ host: " ", to: " , ", events: [] }), null), ["smtp.host", "to", "events"])
    for (const port of ["", "0", "many", "5e2", "-1", "587.5"]) {
      assert.hasAllKeys(wrongOf(typed({ port }), null), ["smtp.port"], port)
    }
    assert.hasAllKeys(wrongOf(typed({ form: "password", username: "robot" }), null), ["smtp.user"])
    assert.hasAllKeys(wrongOf(typed({ isOfEvery: false }), null), ["workflow_ids"])
    assert.hasAllKeys(wrongOf(typed({ type: "slack", host: "", to: "", url: " " }), null), ["url"])
  })

  it("sends only what the type of the receiver takes", () => {
    const mail = payloadOf(typed({ url: "https://hooks.example.com" }))
    assert.notProperty(mail, "url")
    assert.deepInclude(mail, { name: "Operations", to: ["ops@example.com", "books@example.com", "x@example.com"] })
    const channel = payloadOf(typed({ type: "teams", url: " https://hooks.example.com/1 " }))
    assert.strictEqual(channel.url, "https://hooks.example.com/1")
    assert.doesNotHaveAnyKeys(channel, ["smtp", "from", "to"])
  })

  it("begins with what is stored, and changes nothing that is not typed anew", () => {
    const given = blank(before, "Europe/Berlin")
    assert.deepStrictEqual(wrongOf(given, before), {})
    assert.deepStrictEqual(payloadOf(given), {
      name: "Bookkeeping",
      smtp: { host: "smtp.example.com", port: 465, security: "tls" },
      from: "sluice@example.com",
      to: ["books@example.com", "ops@example.com"],
      events: ["failed", "person_needed"],
      urgent: ["person_needed"],
      workflow_ids: ["2"],
      quiet_hours: { time_zone: "Asia/Tokyo", from: "20:00", to: "06:00" }
    } as unknown as ReturnType<typeof payloadOf>)
    const channel: Receiver = { ...before, type: "slack", smtp: null, from: null, to: [], quiet_hours: null }
    const same = blank(channel, "Europe/Berlin")
    assert.deepStrictEqual(wrongOf(same, channel), {})
    assert.notProperty(payloadOf(same), "url")
    assert.isNull(payloadOf(same).quiet_hours)
  })

  it("asks for the user again for another host, and can store none", () => {
    const given = blank(before, "Europe/Berlin")
    assert.hasAllKeys(wrongOf({ ...given, host: "smtp.example.org" }, before), ["smtp.user"])
    assert.deepInclude(payloadOf({ ...given, form: "none" }).smtp, { username: null, password: null })
    const again = { ...given, host: "smtp.example.org", form: "password", username: "robot", password: "p" } as const
    assert.deepStrictEqual(wrongOf(again, before), {})
    assert.deepInclude(payloadOf(again).smtp, { username: "robot", password: "p" })
  })

  it("has no urgent event that the receiver is not told of", () => {
    assert.deepStrictEqual(payloadOf(typed({ events: ["failed"], urgent: ["failed", "not_started"] })).urgent, [
      "failed"
    ])
  })

  it("has a field for each problem of a request", () => {
    const request = Schema.Struct({ smtp: MailServer, from: MailAddress, to: Schema.Array(MailAddress) })
    const sent = payloadOf(typed({ host: "a b", port: "65536", from: "", to: "nobody, ops@example.com" }))
    const read = Schema.decodeUnknownResult(request)(sent, { errors: "all" })
    if (read._tag === "Success") return assert.fail("a request with problems was taken")
    const paths = problemsIn(read.failure.issue).map(({ path }) => fieldOf(path))
    assert.sameMembers(paths, ["smtp.host", "smtp.port", "from", "to"])
    assert.includeMembers(fields, [...paths, fieldOf("smtp.username"), fieldOf("workflow_ids[3]")])
  })
})
