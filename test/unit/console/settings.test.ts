import { assert, describe, it } from "@effect/vitest"
import { secondsOf, spanWords } from "../../../apps/console/forms/Span.ts"
import { changesOf, formOf, readForm, type Settings } from "../../../apps/console/settings/SettingsModel.ts"

const stored: Settings = {
  workspace_id: "w",
  name: "Clinic",
  waiting_ttl_seconds: 216_000,
  input_required_timeout_seconds: 60,
  signed_url_ttl_seconds: 604_800,
  phone_number: null
} as Settings

describe("spans of time", () => {
  it("are read as a person writes them, and written in words", () => {
    const read = ["90", "90 s", "1 min 30 sec", "2 days, 12 hours", "1 week and 1 day", "1h30m", "0"].map(secondsOf)
    assert.deepStrictEqual(read, [90, 90, 90, 216_000, 691_200, 5_400, 0])
    assert.deepStrictEqual(["", "soon", "3 moons", "-5", "1.5 h", "h 3"].map(secondsOf), Array(6).fill(null))
    assert.deepStrictEqual([0, 1, 90, 3_600, 216_000, 604_800].map(spanWords), [
      "0 seconds",
      "1 second",
      "1 minute 30 seconds",
      "1 hour",
      "2 days 12 hours",
      "7 days"
    ])
    for (const seconds of [1, 59, 61, 86_399, 86_401, 31_536_000]) {
      assert.strictEqual(secondsOf(spanWords(seconds)), seconds)
    }
  })

  it("stand in the settings, where an unread one is a problem at its field", () => {
    const form = formOf(stored)
    assert.deepInclude(form, { waiting_ttl_seconds: "2 days 12 hours", signed_url_ttl_seconds: "7 days" })
    assert.deepStrictEqual(changesOf(stored, readForm(form).values), {})
    const edited = readForm({ ...form, waiting_ttl_seconds: null, signed_url_ttl_seconds: "soon" })
    assert.deepStrictEqual(Object.keys(edited.problems), ["signed_url_ttl_seconds"])
    assert.isNull(edited.values.waiting_ttl_seconds)
  })
})
