import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result, Schema } from "effect"
import * as Proxies from "../../../core/vault/Proxies.ts"
import { entryOf } from "../../support/entries.ts"

const read: ReadonlyArray<
  readonly [string, Omit<Proxies.Proxy, "password" | "isOwn"> & { readonly password: string }]
> = [
  ["http://h.example:8080", { scheme: "http", host: "h.example", port: 8080, username: "", password: "" }],
  ["http://h.example:80/", { scheme: "http", host: "h.example", port: 80, username: "", password: "" }],
  ["http://h.example", { scheme: "http", host: "h.example", port: 80, username: "", password: "" }],
  ["HTTPS://u@h.example", { scheme: "https", host: "h.example", port: 443, username: "u", password: "" }],
  [
    "socks5://u:p%40%3A%2F@[2001:db8::1]:1",
    { scheme: "socks5", host: "2001:db8::1", port: 1, username: "u", password: "p@:/" }
  ],
  ["socks5://203.0.113.1", { scheme: "socks5", host: "203.0.113.1", port: 1080, username: "", password: "" }]
]

describe("the URL of a proxy", () => {
  it.each(read)("is read: %s", (url, expected) => {
    const proxy = Proxies.parseUrl(url)
    assert.isNotNull(proxy)
    if (proxy === null) return
    const { isOwn, password, ...rest } = proxy
    assert.deepStrictEqual({ ...rest, password: Redacted.value(password) }, expected)
    assert.isFalse(isOwn)
  })

  it.each(["", "h.example:80", "ftp://h", "socks4://h", "http://", "http://h:99999", "http://u:%zz@h", "http://a b"])(
    "is not read: %s",
    (url) => assert.isNull(Proxies.parseUrl(url))
  )
})

const pool = Result.getOrThrow(
  Proxies.parsePool(`# ours
    http://u:canary@198.51.100.1:8080#country=de, http://u:canary@198.51.100.2:8080#country=DE
    socks5://gate.example:1080#country=US&ip=203.0.113.9`)
)

describe("the proxies of an installation", () => {
  it("are read with what is known of each", () => {
    assert.deepStrictEqual(
      pool.map(({ address, country, host, isOwn, port }) => [host, port, country, address, isOwn]),
      [
        ["198.51.100.1", 8080, "DE", null, true],
        ["198.51.100.2", 8080, "DE", null, true],
        ["gate.example", 1080, "US", "203.0.113.9", true]
      ]
    )
    assert.deepStrictEqual(Proxies.parsePool(" \n"), Result.succeed([]))
  })

  it("are refused with every problem, and without their secrets", () => {
    const refused = Proxies.parsePool(
      "http://u:canary@h:1#country=Germany&x=1\nftp://u:canary@h http://u:canary@i:2#ip=host"
    )
    const problems = Result.isFailure(refused) ? refused.failure : []
    assert.deepStrictEqual(problems, [
      "proxy 1 (h:1): expected country=DE, a code of two letters",
      "proxy 1 (h:1): expected country and ip, not x",
      "proxy 2: expected a URL such as http://user:password@host:8080, https:// or socks5://",
      "proxy 3 (i:2): expected ip=203.0.113.9, an address"
    ])
  })

  const chosen = (setting: Proxies.Setting, id = "entry", random = 0) =>
    Result.map(Proxies.choose(pool, setting, id, random), ({ host }) => host)

  it("are chosen by their address or country, or by chance", () => {
    assert.deepStrictEqual(
      chosen({ proxy_setting: "static", proxy_value: "198.51.100.2" }),
      Result.succeed("198.51.100.2")
    )
    assert.deepStrictEqual(
      chosen({ proxy_setting: "static", proxy_value: "203.0.113.9" }),
      Result.succeed("gate.example")
    )
    assert.deepStrictEqual(chosen({ proxy_setting: "country", proxy_value: "us" }), Result.succeed("gate.example"))
    const random = [0, 0.34, 0.67, 0.999].map((at) =>
      chosen({ proxy_setting: "random", proxy_value: null }, "entry", at)
    )
    assert.deepStrictEqual(
      random.map((one) => Result.getOrThrow(one)),
      ["198.51.100.1", "198.51.100.2", "gate.example", "gate.example"]
    )
  })

  it("are missing in words where none is suitable", () => {
    assert.deepStrictEqual(
      chosen({ proxy_setting: "country", proxy_value: "FR" }),
      Result.fail("this service has no proxy in the country FR")
    )
    assert.deepStrictEqual(
      chosen({ proxy_setting: "static", proxy_value: "192.0.2.1" }),
      Result.fail("this service has no proxy with the address 192.0.2.1")
    )
    for (const proxy_setting of ["random", "static"] as const) {
      const missing = Proxies.choose([], { proxy_setting, proxy_value: null }, "entry", 0.5)
      assert.deepStrictEqual(missing, Result.fail("this service has no proxy"))
    }
  })

  it.prop("stay with an entry, whatever becomes of the others", { id: Schema.String }, ({ id }) => {
    const setting = { proxy_setting: "static", proxy_value: null } as const
    const proxy = Result.getOrThrow(Proxies.choose(pool, setting, id, 0))
    const others = pool.filter((one) => one !== proxy)
    for (const gone of others) {
      const rest = pool.filter((one) => one !== gone).reverse()
      assert.strictEqual(Result.getOrThrow(Proxies.choose(rest, setting, id, 1)), proxy)
    }
  })

  it("are spread over the entries", () => {
    const taken = Array.from({ length: 300 }, (_, index) =>
      chosen({ proxy_setting: "static", proxy_value: null }, `entry ${index}`)
    ).map((one) => Result.getOrThrow(one))
    for (const { host } of pool) assert.isAbove(taken.filter((one) => one === host).length, 60)
  })

  it("of an entry are reported as sites see them, where one is assigned to it", () => {
    const told = (proxy_setting: "random" | "static" | "country" | "custom" | null, proxy_value: string | null) =>
      Proxies.assigned(pool, entryOf({ proxy_setting, proxy_value }))
    assert.strictEqual(told("country", "US"), "203.0.113.9:1080")
    assert.strictEqual(told("static", "198.51.100.1"), "198.51.100.1:8080")
    for (const [setting, value] of [
      ["country", "FR"],
      ["random", null],
      ["custom", "00"],
      [null, null]
    ] as const) {
      assert.isNull(told(setting, value))
    }
  })
})
