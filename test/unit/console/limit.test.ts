import { assert, describe, it } from "@effect/vitest"
import {
  blank,
  changeOf,
  drawers,
  fieldOf,
  type Given,
  instantFrom,
  type Limit,
  limitOf,
  numbersFrom,
  numberWords,
  overrideAt,
  runningWords
} from "../../../apps/console/limits/LimitModel.ts"

const orders = "00000000-0000-4000-8000-000000000001"
const gone = "00000000-0000-4000-8000-00000000dead"
const ada = "00000000-0000-4000-8000-000000000002"
const until = "2030-01-31T08:00:00.000Z"

const stored: Limit = {
  id: "00000000-0000-4000-8000-000000000003",
  name: "portal.example",
  max_running: 3,
  max_starts_per_minute: 20,
  workflow_ids: [orders, gone],
  credential_ids: [ada],
  tags: ["portal", "slow"],
  pause: null,
  override: null,
  created_at: until,
  created_by: ada,
  updated_at: until,
  running: 2
}

const typed = (part: Partial<Given>): Given => ({ ...blank(null), name: "portal.example", running: "3", ...part })

const problemsOf = (given: Given) => limitOf(given).problems ?? {}

describe("the form of a named limit", () => {
  it("names each field that is wrong, and no other", () => {
    assert.deepStrictEqual(problemsOf(typed({})), {})
    assert.deepStrictEqual(problemsOf(typed({ running: "", starts: "1" })), {})
    assert.hasAllKeys(problemsOf(typed({ name: " " })), ["name"])
    assert.hasAllKeys(problemsOf(typed({ running: " " })), ["max_running"])
    assert.hasAllKeys(problemsOf(typed({ running: "0", starts: "1" })), ["max_running"])
    assert.hasAllKeys(problemsOf(typed({ starts: "10001" })), ["max_starts_per_minute"])
    assert.hasAllKeys(problemsOf(typed({ name: "", running: "a", starts: "1.5" })), [
      "name",
      "max_running",
      "max_starts_per_minute"
    ])
  })

  it("sends each tag once, without empty lines", () => {
    const { limit } = limitOf(typed({ name: " Bank ", tags: " portal\n\nslow \nportal\n", workflows: [orders] }))
    assert.deepStrictEqual(limit, {
      name: "Bank",
      max_running: 3,
      max_starts_per_minute: null,
      workflow_ids: [orders],
      credential_ids: [],
      tags: ["portal", "slow"]
    })
  })

  it("begins with what is stored, and sends only what was changed", () => {
    const change = (part: Partial<Given>) => {
      const { limit } = limitOf({ ...blank(stored), ...part })
      return limit === undefined ? null : changeOf(stored, limit)
    }
    assert.deepStrictEqual(change({}), {})
    assert.deepStrictEqual(change({ starts: "" }), { max_starts_per_minute: null })
    assert.deepStrictEqual(change({ workflows: [orders] }), { workflow_ids: [orders] })
    assert.deepStrictEqual(change({ name: "Bank", tags: "" }), { name: "Bank", tags: [] })
  })

  it("reads the numbers of an override as those of a limit, and its end", () => {
    assert.deepStrictEqual(numbersFrom({ running: "1", starts: "" }), {
      numbers: { max_running: 1, max_starts_per_minute: null }
    })
    assert.property(numbersFrom({ running: "", starts: "" }), "problems")
    assert.strictEqual(instantFrom("2030-01-31T08:00Z"), until)
    assert.isNull(instantFrom(""))
  })

  it("shows a problem of an entry at its list", () => {
    assert.deepStrictEqual(["workflow_ids[3]", "tags[0]", "name"].map(fieldOf), ["workflow_ids", "tags", "name"])
  })
})

describe("a named limit in words", () => {
  it("says its numbers", () => {
    assert.strictEqual(numberWords(stored), "3 at once, 20 starts a minute")
    assert.strictEqual(numberWords({ max_running: null, max_starts_per_minute: 1 }), "1 start a minute")
    assert.strictEqual(numberWords({ max_running: 1_000, max_starts_per_minute: null }), "1,000 at once")
  })

  it("says how many run now, of the number that is in force", () => {
    const at = Date.parse(until)
    const overridden = { ...stored, override: { max_running: 1, max_starts_per_minute: null, until, by: ada } }
    assert.strictEqual(runningWords(stored, at), "2 of 3 run now")
    assert.strictEqual(runningWords(overridden, at - 1), "2 of 1 run now")
    // The service keeps an override that has ended.
    assert.strictEqual(runningWords(overridden, at), "2 of 3 run now")
    assert.isNotNull(overrideAt(overridden, at - 1))
    assert.isNull(overrideAt(overridden, at))
    assert.strictEqual(runningWords({ ...stored, max_running: null, running: 1 }, at), "1 runs now")
  })

  it("says what draws on it, also what was deleted, and a part of very many", () => {
    const names = { workflows: new Map([[orders, "Orders"]]), credentials: new Map([[ada, "ada at bank.example"]]) }
    assert.deepStrictEqual(drawers(stored, names.workflows, names.credentials), [
      "workflows Orders, a deleted workflow 0000dead",
      "credential ada at bank.example",
      "tags portal, slow"
    ])
    assert.deepStrictEqual(drawers({ ...stored, tags: [] }, null, null), ["workflows …, …", "credential …"])
    const many = Array.from({ length: 12 }, (_, index) => `t${index}`)
    const none = { ...stored, workflow_ids: [], credential_ids: [] }
    assert.match(drawers({ ...none, tags: many }, null, null)[0] ?? "", /^tags t0, .*t9 and 2 more$/)
    assert.deepStrictEqual(drawers({ ...none, tags: [] }, null, null), [])
  })
})
