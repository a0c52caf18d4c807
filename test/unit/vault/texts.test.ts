import { assert, describe, it } from "@effect/vitest"
import * as Interval from "../../../core/vault/Interval.ts"
import * as Domain from "../../../core/vault/site/Domain.ts"

const hour = 3_600_000
const day = 24 * hour

const read: ReadonlyArray<readonly [string, Interval.Interval]> = [
  ["01:30:00", { months: 0, millis: 1.5 * hour }],
  ["01:30", { months: 0, millis: 1.5 * hour }],
  ["00:00:00.5", { months: 0, millis: 500 }],
  ["100:00:00", { months: 0, millis: 100 * hour }],
  ["7 days 00:00:00", { months: 0, millis: 7 * day }],
  ["1 day", { months: 0, millis: day }],
  ["1day", { months: 0, millis: day }],
  [" 2 Weeks ", { months: 0, millis: 14 * day }],
  ["1 mon", { months: 1, millis: 0 }],
  ["1 year 2 mons 3 days 04:05:06", { months: 14, millis: 3 * day + 4 * hour + 306_000 }],
  ["90 minutes", { months: 0, millis: 1.5 * hour }],
  ["30 mins 10 secs", { months: 0, millis: 1_810_000 }],
  ["100 years", { months: 1_200, millis: 0 }],
  ["P1D", { months: 0, millis: day }],
  ["p2w", { months: 0, millis: 14 * day }],
  ["PT1H30M", { months: 0, millis: 1.5 * hour }],
  ["PT1.5H", { months: 0, millis: 1.5 * hour }],
  ["PT0,25S", { months: 0, millis: 250 }],
  ["P1M", { months: 1, millis: 0 }],
  ["PT1M", { months: 0, millis: 60_000 }],
  ["P1Y2M3DT4H5M6S", { months: 14, millis: 3 * day + 4 * hour + 306_000 }],
  ["P100Y", { months: 1_200, millis: 0 }]
]

const refused = [
  "",
  " ",
  "soon",
  "5",
  "day",
  "1 fortnight",
  "-1 day",
  "1 day ago",
  "-01:00:00",
  "00:00:00",
  "0 days",
  "1:5:00",
  "01:60:00",
  "01:00:60",
  "1 day 2",
  "01:00:00 1 day",
  "101 years",
  "9999999:00:00",
  "1.5 days",
  "1 day; drop table",
  "1 day ".repeat(50),
  "P",
  "PT",
  "P1",
  "P1DT",
  "P1H",
  "PT1D",
  "P1D1Y",
  "P-1D",
  "-P1D",
  "P0D",
  "PT0.0001S",
  "00:00:00.0001",
  "P1.5Y",
  "P1.5DT1H",
  "P101Y",
  "P1D 01:00"
]

describe("an interval", () => {
  it.each(read)("%s is read", (text, expected) => assert.deepStrictEqual(Interval.parse(text), expected))
  it.each(refused)('"%s" is refused', (text) => assert.isNull(Interval.parse(text)))

  it("ends on the calendar: a month from the last of January is the last of February", () => {
    const at = Date.parse("2026-01-31T12:00:00Z")
    const end = (text: string) => {
      const interval = Interval.parse(text)
      return interval === null ? null : new Date(Interval.after(at, interval)).toISOString()
    }
    assert.strictEqual(end("1 month"), "2026-02-28T12:00:00.000Z")
    assert.strictEqual(end("2 years 1 month"), "2028-02-29T12:00:00.000Z")
    assert.strictEqual(end("1 month 1 day"), "2026-03-01T12:00:00.000Z")
    assert.strictEqual(end("01:30:00"), "2026-01-31T13:30:00.000Z")
  })
})

const hosts: ReadonlyArray<readonly [domain: string, host: string]> = [
  ["https://app.example.com", "app.example.com"],
  ["https://APP.Example.com/login?x=1#top", "app.example.com"],
  ["app.example.com", "app.example.com"],
  ["app.example.com:8443", "app.example.com:8443"],
  ["https://app.example.com:443", "app.example.com"],
  ["localhost", "localhost"],
  ["http://localhost:3000", "localhost:3000"],
  ["127.0.0.1:8080", "127.0.0.1:8080"],
  ["http://[::1]:8080", "[::1]:8080"],
  ["crm", "crm"],
  ["a_b.example.com", "a_b.example.com"],
  ["https://bücher.example", "xn--bcher-kva.example"]
]

const noSite = [
  "not a domain",
  "https://",
  "",
  "..",
  "a..b",
  "-a.example",
  "ftp://files.example",
  "javascript:alert(1)",
  "https://user:secret@app.example.com",
  "https://app.example.com:99999",
  "https://exa mple.com",
  "https://app.example.com\n",
  "a.".repeat(200)
]

describe("a domain", () => {
  it.each(hosts)("%s is on the host %s", (domain, host) => assert.strictEqual(Domain.hostOf(domain), host))
  it("is read in the same way after thousands of others", () => {
    const other = Array.from({ length: 20_000 }, () => Domain.hostOf("https://bücher.example"))
    assert.deepStrictEqual([...new Set(other)], ["xn--bcher-kva.example"])
  })
  it.each(noSite)('"%s" is none', (domain) => assert.isNull(Domain.hostOf(domain)))

  it("means the same site as another of the same host and port", () => {
    assert.isTrue(Domain.matches("https://App.example.com/login", "app.example.com"))
    assert.isTrue(Domain.matches("http://localhost:3000", "localhost:3000"))
    assert.isFalse(Domain.matches("http://localhost:3000", "localhost:3001"))
    assert.isFalse(Domain.matches("localhost:3000", "localhost"))
    assert.isFalse(Domain.matches("a.example.com", "b.example.com"))
  })

  it("names its site without dots and colons", () => {
    assert.strictEqual(Domain.siteIdentifier("https://app.example.com"), "app-example-com")
    assert.strictEqual(Domain.siteIdentifier("http://127.0.0.1:8080/x"), "127-0-0-1-8080")
  })
})
