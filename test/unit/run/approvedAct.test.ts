import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type ApprovedAct, digestOf, tellingOf } from "../../../core/run/interaction/ApprovedAct.ts"
import * as Json from "../../../core/workspace/Json.ts"

const act: ApprovedAct = {
  step: { id: "n1", action: "CLICK", parameters: { selector: "#pay", approval: { by: "Owner", show: ["x"] } } },
  inputs: { amount: 7.5, payee: { name: "Ada", ibans: ["DE1", "DE2"] } },
  element: {
    address: "https://bank.example/pay",
    tag: "button",
    text: "",
    attributes: [
      { name: "name", value: "pay" },
      { name: "title", value: "Pay now" }
    ],
    link: null,
    form: {
      address: "https://bank.example/transfers",
      method: "post",
      window: "",
      fields: [
        { name: "payee", value: "Ada", kind: "shown" },
        { name: "csrf", value: "t0", kind: "hidden" },
        { name: "pin", value: "[secret]", kind: "secret" }
      ]
    }
  },
  values: { selector: "#pay" },
  shown: ["To Ada"]
}

/** Every value that differs from a JSON value in one place: each leaf another one, each field and entry left out, and one more. */
const otherThan = (value: Schema.Json): ReadonlyArray<Schema.Json> => {
  if (Array.isArray(value)) {
    const list: ReadonlyArray<Schema.Json> = value
    return [
      ...list.map((_, at) => list.toSpliced(at, 1)),
      ...list.flatMap((one, at) => otherThan(one).map((other) => list.with(at, other))),
      [...list, null]
    ]
  }
  if (Json.isObject(value)) {
    const fields: Schema.JsonObject = value
    return [
      ...Object.keys(fields).map((name) => Object.fromEntries(Object.entries(fields).filter(([own]) => own !== name))),
      ...Object.entries(fields).flatMap(([name, one]) => otherThan(one).map((other) => ({ ...fields, [name]: other }))),
      { ...fields, " ": null }
    ]
  }
  return typeof value === "string" ? [`${value} `, [value]] : [`${value}`, [value]]
}

/** The same value with the fields of each object in another order. */
const reordered = (value: Schema.Json): Schema.Json => {
  if (Array.isArray(value)) return value.map(reordered)
  if (!Json.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, one]) => [name, reordered(one)])
  )
}

// Only digests of what has the form of an act are asked for; these are acts with one difference, or no acts at all.
const digestOfAny = (value: Schema.Json): string => digestOf(value as unknown as ApprovedAct)

describe("the digest of an act", () => {
  it("is another one for every difference in one place of the step, the inputs, the element or the values", () => {
    const parts = ["step", "inputs", "element", "values", "shown"] as const
    const others = parts.flatMap((part) => otherThan(act[part]).map((other) => ({ ...act, [part]: other })))
    const digests = new Set([digestOf(act), ...others.map((one) => digestOfAny(one))])
    assert.isAbove(others.length, 100)
    assert.strictEqual(digests.size, others.length + 1)
  })

  it("does not depend on the order of fields", () => {
    const other = reordered({ ...act })
    assert.notStrictEqual(JSON.stringify(other), JSON.stringify(act))
    assert.strictEqual(digestOfAny(other), digestOf(act))
  })

  it.effect.prop("is that of any inputs and their text", [Schema.Json, Schema.Json], ([one, other]) =>
    Effect.sync(() => {
      const same = Json.canonical(one) === Json.canonical(other)
      const digest = (value: Schema.Json) => digestOfAny({ ...act, inputs: { value } })
      assert.strictEqual(digest(one) === digest(other), same)
      assert.strictEqual(digest(reordered(one)), digest(one))
      assert.deepStrictEqual(JSON.parse(Json.canonical(one)), JSON.parse(JSON.stringify(one)))
    })
  )
})

it("the digest is the SHA-256 of the act as JSON whose names are in order", () => {
  const { element, inputs, shown, step, values } = act
  const text = Json.canonical({ element, inputs, shown, step, values })
  assert.strictEqual(digestOf(act), createHash("sha256").update(text).digest("hex"))
})

it("a person is told where the act leads and what is sent, and no hidden or secret field", () => {
  assert.deepStrictEqual(tellingOf(act), {
    action: "CLICK",
    element: { tag: "button", text: "", name: "Pay now" },
    target: { page: "https://bank.example/pay", address: "https://bank.example/transfers", method: "post" },
    values: { selector: "#pay" },
    fields: [{ name: "payee", value: "Ada" }],
    shown: ["To Ada"]
  })
})
