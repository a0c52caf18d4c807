/** No event is larger than its bounds for any content of its run, and none is lost because of its size. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import {
  bounded,
  boundedMetadata,
  mostBytes,
  mostEntries,
  mostMetadata,
  mostText
} from "../../../core/event/EventBounds.ts"
import * as EventJson from "../../../core/event/EventJson.ts"
import { RunEvent, type RunEventOf } from "../../../core/event/RunEvent.ts"
import * as RunFailure from "../../../core/event/RunFailure.ts"

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const links: EventJson.Links = {
  artifact: (id) => ({ url: `https://x/a/${id}`, expires: "2026-01-02T00:00:00.000Z" }),
  liveView: (id) => `https://x/live/${id}`
}

/** Fields of which only some texts are of their type. */
const fixed = new Set(["event", "reason", "state", "phase", "outcome"])

/** The growth of each field of an event. `worst` is the text with the most bytes for its length. */
const Growth = Schema.Literals(["none", "long", "worst", "many"])

const texts = { none: null, many: null, long: "é🚀".repeat(400_000), worst: "\u0001".repeat(1_200_000) }

/** The same event with fields of several megabytes, and numbers that are instants. */
const grown = (value: unknown, growth: () => typeof Growth.Type): unknown => {
  if (typeof value === "string") return texts[growth()] ?? value
  if (typeof value === "number") return Math.trunc(Math.abs(value)) % 1e12
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    const entries = value.map((entry) => grown(entry, growth))
    return growth() === "none" ? entries : Array.from({ length: 3_000 }, () => entries).flat()
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, fixed.has(name) ? one : grown(one, growth)])
  )
}

const file = (metadata: Schema.JsonObject) => ({ id: "f", name: "a.pdf", at: 0, metadata })

const end: RunEventOf<"execution.failed"> = {
  event: "execution.failed",
  runId: "r",
  workflowId: "w",
  data: { rows: [1] },
  inputs: { a: 1 },
  credentials: [{ alias: "u", permissionedUserIds: ["me"], chosen: "me", domain: "d.example" }],
  errors: [{ ...RunFailure.of({ code: "X", message: "m" }), id: "e", at: 0 }],
  files: [file({ k: 1 })]
}

const letters = (count: number) => ({ a: "x".repeat(count) })

describe("the bounds of an event", () => {
  it.prop(
    "hold for every kind and every growing field, and leave it readable",
    [Arbitrary.schema(RunEvent), Arbitrary.schema(Schema.Array(Growth).check(Schema.isMinLength(1)))],
    ([{ leftOut: _, ...event }, growths]) => {
      let asked = 0
      const large = grown(event, () => growths[asked++ % growths.length] ?? "none") as RunEvent
      const kept = bounded(large)
      assert.isAtMost(bytesOf(kept), mostBytes)
      assert.strictEqual(bounded(kept), kept)
      assert.deepStrictEqual(Schema.decodeUnknownSync(RunEvent)(JSON.parse(JSON.stringify(kept))).event, event.event)
      const payload = EventJson.payloadOf(kept, links)
      if (kept === large) assert.notProperty(payload, "left_out")
      else assert.includeMembers(Object.keys(payload), payload.left_out as Array<string>)
    },
    { arbitrary: { runs: 60, size: 5 } }
  )

  it.prop(
    "do not change what is within them",
    [Arbitrary.schema(RunEvent)],
    ([event]) => assert.strictEqual(bounded(event), event),
    { arbitrary: { runs: 200, size: 10 } }
  )

  it("leave an event of exactly the bound whole, and no more", () => {
    const rest = bytesOf({ ...end, data: letters(0) })
    const whole = { ...end, data: letters(mostBytes - rest) }
    assert.strictEqual(bytesOf(whole), mostBytes)
    assert.strictEqual(bounded(whole), whole)
    const over = { ...end, data: letters(mostBytes - rest + 1) }
    assert.deepStrictEqual(bounded(over), { ...end, data: null, leftOut: ["data"] })
  })

  it("leave out the values of users first, and name them as the payload does", () => {
    const kept = bounded({ ...end, data: letters(3_000_000), inputs: letters(2_000_000) })
    assert.deepStrictEqual(kept, { ...end, data: null, inputs: {}, leftOut: ["data", "inputs"] })
    const payload = EventJson.payloadOf(kept, links)
    assert.deepStrictEqual(
      { data: payload.data, input: payload.input_variables, left: payload.left_out },
      { data: null, input: {}, left: ["data", "input_variables"] }
    )
    const { leftOut, ...rest } = kept as typeof end
    assert.deepStrictEqual(
      { ...payload, left_out: undefined },
      { ...EventJson.payloadOf(rest, links), left_out: undefined }
    )
    assert.deepStrictEqual(leftOut, ["data", "inputs"])
  })

  it("cut long texts between characters, and say how much is missing", () => {
    const step = "🚀".repeat(mostText)
    const kept = bounded({ event: "execution.step", runId: "r", workflowId: "w", step, next: null })
    const { step: cut = "" } = kept as RunEventOf<"execution.step">
    assert.isAtMost(cut.length, mostText)
    assert.isTrue(cut.isWellFormed())
    const [, missing = "0"] = /… \((\d+) more characters\)$/.exec(cut) ?? []
    assert.strictEqual(cut.lastIndexOf("…") + Number(missing), step.length)
    assert.deepStrictEqual(EventJson.payloadOf(kept, links).left_out, ["current_step"])
  })

  it("keep the first entries of long lists", () => {
    const errors = Array.from({ length: mostEntries + 1 }, (_, index) => ({
      ...RunFailure.of({ code: "X", message: `m ${index}` }),
      id: String(index),
      at: 0
    }))
    assert.deepStrictEqual(bounded({ ...end, errors }), {
      ...end,
      errors: errors.slice(0, mostEntries),
      leftOut: ["errors"]
    })
  })

  it("leave the thousand files of a run with usual metadata whole", () => {
    const files = Array.from({ length: 1_000 }, () =>
      file({ kind: "invoice", month: "2026-01", note: "x".repeat(500) })
    )
    const whole = { ...end, files }
    assert.strictEqual(bounded(whole), whole)
  })
})

describe("the metadata of files and pictures", () => {
  it("is kept up to its bound, and replaced by a statement over it", () => {
    const most = letters(mostMetadata - bytesOf(letters(0)))
    assert.strictEqual(boundedMetadata(most), most)
    assert.deepStrictEqual(boundedMetadata({ ...most, b: 1 }), {
      left_out: "The metadata has more than 16384 bytes as JSON, the most that is kept"
    })
  })
})
