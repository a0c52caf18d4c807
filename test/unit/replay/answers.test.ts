import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Found, ReplayAnswers, standIns } from "../../../core/execution/replay/ReplayAnswers.ts"
import type { Answer } from "../../../core/execution/replay/ReplayRecord.ts"

const shop = "https://shop.example"

const answer = (method: string, url: string, more: Partial<Answer> = {}): Answer => ({
  method,
  url,
  sent: null,
  by: "page",
  status: 200,
  headers: {},
  body: { text: "" },
  missing: null,
  ...more
})

const named = (found: Found): string =>
  found._tag === "Unanswered"
    ? found.reason
    : found.answer.body !== null && "text" in found.answer.body
      ? found.answer.body.text
      : ""

const ask = (answers: ReplayAnswers, method: string, url: string, body: string | null = null) =>
  named(answers.next({ method, url, body, by: "page" }))

const asked = (recorded: Partial<Answer>, body: string | null, method = "POST") =>
  ask(
    new ReplayAnswers([answer(method, `${shop}/send`, { body: { text: "sent" }, ...recorded })]),
    method,
    `${shop}/send`,
    body
  )

const word = Schema.String.check(Schema.isPattern(/^[a-z]{1,8}$/))
const uuid = Schema.Literals(["0d9f7b0e-7f0a-4d5e-9a52-1a2b3c4d5e6f", "7a1de2c8-2a5e-4f0b-8a63-ffeeddccbbaa"])

describe("requests that are the same", () => {
  it("get their answers in order, and the last of them again", () => {
    const answers = new ReplayAnswers(
      ["one", "two"].map((text) => answer("GET", `${shop}/orders?page=1`, { body: { text } }))
    )
    const got = [1, 2, 3].map(() => ask(answers, "GET", `${shop}/orders?page=1#top`))
    assert.deepStrictEqual(got, ["one", "two", "two"])
  })

  it.prop("each get the answer to their own address, in any order", [Schema.Array(word), Schema.Int], ([paths, by]) => {
    const all = [...new Set(paths)]
    const answers = new ReplayAnswers(all.map((path) => answer("GET", `${shop}/${path}`, { body: { text: path } })))
    const turned = all.map((_, index) => all[(index + Math.abs(by % 97)) % all.length] ?? "")
    for (const path of turned) assert.strictEqual(ask(answers, "GET", `${shop}/${path}`), path)
  })

  it("of a page and of a step do not answer each other", () => {
    const answers = new ReplayAnswers([answer("GET", `${shop}/api`, { by: "step" })])
    assert.strictEqual(ask(answers, "GET", `${shop}/api`), "the run did not ask for this address")
  })
})

describe("an address", () => {
  it.prop("fits whatever instant, id or random value it has", [Schema.Int, uuid], ([more, id]) => {
    const recorded = `${shop}/list?_=1&at=1790000000000&id=0d9f7b0e-7f0a-4d5e-9a52-1a2b3c4d5e6f&page=2`
    const at = 1_790_000_000_000 + (Math.abs(more) % 1_000_000_000)
    const found = ask(
      new ReplayAnswers([answer("GET", recorded, { body: { text: "list" } })]),
      "GET",
      `${shop}/list?page=2&_=${more}&at=${at}&id=${id}`
    )
    assert.strictEqual(found, "list")
  })

  it.prop(
    "with another value of any other parameter does not fit, and that parameter is named",
    [word, word],
    ([a, b]) => {
      const answers = new ReplayAnswers([answer("GET", `${shop}/list?status=${a}`, { body: { text: "list" } })])
      const found = ask(answers, "GET", `${shop}/list?status=${b}`)
      assert.strictEqual(found, a === b ? "list" : "its parameter status differs")
    }
  )

  it("with a name hidden in its path fits whatever name is there, and no other path", () => {
    const answers = new ReplayAnswers([answer("GET", `${shop}/users/[user name]/orders`, { body: { text: "orders" } })])
    assert.strictEqual(ask(answers, "GET", `${shop}/users/ada/orders`), "orders")
    assert.strictEqual(ask(answers, "GET", `${shop}/users//orders`), "the run did not ask for this address")
    assert.strictEqual(ask(answers, "GET", `${shop}/users/ada/bills`), "the run did not ask for this address")
  })

  it("that differs only in its own id gets its own answer before that of another", () => {
    const [one, other] = ["0d9f7b0e-7f0a-4d5e-9a52-1a2b3c4d5e6f", "7a1de2c8-2a5e-4f0b-8a63-ffeeddccbbaa"]
    const answers = new ReplayAnswers(
      [one, other].map((id) => answer("GET", `${shop}/orders/${id}`, { body: { text: id } }))
    )
    assert.strictEqual(ask(answers, "GET", `${shop}/orders/${other}`), other)
    assert.strictEqual(ask(answers, "GET", `${shop}/orders/${one}`), one)
  })
})

describe("a body", () => {
  const form = "user=ada%40shop.example&password=[secret]&csrf=abc&remember=on"

  it("fits with stand-ins for its secrets, and with another token of the page", () => {
    const body = new URLSearchParams({
      user: standIns.userName,
      password: standIns.password,
      csrf: "xyz",
      remember: "on"
    })
    assert.strictEqual(asked({ sent: form }, body.toString()), "sent")
    assert.strictEqual(
      asked({ sent: '{"a":{"password":"[secret]"}}' }, `{"a":{"password":"${standIns.password}"}}`),
      "sent"
    )
  })

  it("without the value of a secret does not fit", () => {
    const body = new URLSearchParams({ user: standIns.userName, password: "", csrf: "xyz", remember: "on" })
    assert.strictEqual(asked({ sent: form }, body.toString()), "its field password differs")
  })

  it("with a field less, another value, or none does not fit", () => {
    assert.strictEqual(asked({ sent: "a=1&b=2" }, "a=1"), "its field b differs")
    assert.strictEqual(asked({ sent: "a=1&b=2" }, "a=1&b=3"), "its field b differs")
    assert.strictEqual(asked({ sent: '{"a":[{"b":1}]}' }, '{"a":[{"b":2}]}'), "its field a[0].b differs")
    assert.strictEqual(asked({ sent: "a=1" }, null), "its body differs")
    assert.strictEqual(asked({ sent: "some text" }, "other text"), "its body differs")
  })

  it("of several parts fits another one, as its boundary is new each time", () => {
    const parts = (boundary: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--`
    assert.strictEqual(asked({ sent: parts("one") }, parts("two")), "sent")
  })
})

it("an answer that was not recorded whole is none, and the reason is that of the record", () => {
  const answers = new ReplayAnswers([answer("GET", shop, { body: null, missing: "it had no end" })])
  assert.strictEqual(ask(answers, "GET", shop), "it had no end")
})
