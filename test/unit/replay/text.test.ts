import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ReplayText from "../../../core/execution/replay/ReplayText.ts"

const token = Schema.String.check(Schema.isPattern(/^[a-f]{3}[0-9][a-zA-Z0-9]{24,40}$/))

describe("recorded texts", () => {
  it.prop("have no token, wherever a page has it, and stay what they were beside it", [token], ([value]) => {
    const texts = [
      ReplayText.address(`https://u:${value}@shop.example/a?q=1&access_token=${value}#${value}`),
      ReplayText.body(`{"access_token":"${value}","code":"A-17"}`),
      ReplayText.body(`<input type="hidden" name="csrf_token" value="${value}"><p>Orders</p>`),
      ReplayText.body(`<input value='${value}' type=password>`),
      ReplayText.sent(`user=ada&session_id=${value}`),
      ReplayText.cookies(`sid=${value}; Path=/\ntheme=dark; Path=/`),
      ReplayText.stored("idToken", value),
      JSON.stringify(ReplayText.headers({ "x-auth-token": value, location: `/in?ticket=${value}#there` }))
    ]
    for (const text of texts) assert.notInclude(text, value)
    assert.strictEqual(texts[0], "https://shop.example/a?q=1&access_token=REDACTED")
    assert.strictEqual(texts[1], '{"access_token":"REDACTED","code":"A-17"}')
    assert.include(texts[5] ?? "", "theme=dark; Path=/")
    assert.include(texts[7] ?? "", "#there")
  })

  it("keep what pages show under names of secrets", () => {
    for (const text of ['{"code":"A-17","pin":"4"}', '<input name="code" value="17">', "code=A-17&sort=-date"]) {
      assert.strictEqual(ReplayText.sent(text), text)
    }
  })

  it("are the same when they are written twice", () => {
    const url = "https://shop.example/?token=abcdef0123456789abcdef&a=1"
    assert.strictEqual(ReplayText.address(ReplayText.address(url)), ReplayText.address(url))
  })

  it("have none of the headers that would not be true of them", () => {
    const headers = ReplayText.headers({ "Content-Length": "7", "content-encoding": "br", "content-type": "text/html" })
    assert.deepStrictEqual(headers, { "content-type": "text/html" })
  })
})
