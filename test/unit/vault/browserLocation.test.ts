import { assert, describe, it } from "@effect/vitest"
import * as BrowserLocation from "../../../core/vault/BrowserLocation.ts"
import * as EntryBody from "../../../core/vault/EntryBody.ts"

const berlin = { latitude: 52.52, longitude: 13.4 }

const read: ReadonlyArray<readonly [string, Partial<BrowserLocation.BrowserLocation>]> = [
  ["DE", { locale: "de-DE", timeZone: "Europe/Berlin" }],
  ["germany", { locale: "de-DE", timeZone: "Europe/Berlin" }],
  ["us", { locale: "en-US", timeZone: "America/New_York" }],
  ["UK", { locale: "en-GB", timeZone: "Europe/London" }],
  ["jp", { locale: "ja-JP", timeZone: "Asia/Tokyo" }],
  ["Europe/Vienna", { timeZone: "Europe/Vienna" }],
  ["new york", { timeZone: "America/New_York" }],
  ["en-US", { locale: "en-US" }],
  ["52.52,13.40", { geolocation: berlin }],
  [" -33.9 , 151 ", { geolocation: { latitude: -33.9, longitude: 151 } }],
  ["52.52,13.40; DE", { locale: "de-DE", timeZone: "Europe/Berlin", geolocation: berlin }],
  ["Europe/Zurich;fr-CH;CH", { locale: "fr-CH", timeZone: "Europe/Zurich" }],
  ["Berlin, Germany", { locale: "de-DE", timeZone: "Europe/Berlin" }],
  ["San Francisco, CA, USA", { locale: "en-US", timeZone: "America/New_York" }]
]

const unread = ["somewhere", "91,0", "0,181", "XX", "Europe/Atlantis", "DE;", "DE;nowhere", "xx-YY", "+01:00"]

describe("a place", () => {
  it.each(read)("is read from %j", (text, expected) => {
    assert.deepStrictEqual(BrowserLocation.parse(text), { ...BrowserLocation.nowhere, ...expected })
  })

  it.each(unread)("is not read from %j, and an entry with it is refused", (location) => {
    assert.isNull(BrowserLocation.parse(location))
    const { problems } = EntryBody.read({ permissioned_user_id: "a", domain: "b.example", location })
    assert.deepStrictEqual(problems, [{ path: "location", message: BrowserLocation.expected }])
  })
})
