import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { load } from "../../../adapters/files/ZoneInfo.ts"
import { otherRuntimes } from "../../../apps/bootstrap/runtimes.js"
import * as Zone from "../../../core/window/calendar/Zone.ts"
import * as ZoneAge from "../../../core/window/calendar/ZoneAge.ts"
import * as ZoneFile from "../../../core/window/calendar/ZoneFile.ts"
import { writeZones, zoneFile } from "./ZoneFiles.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-zones-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const hour = 3_600_000
const at = (text: string) => Date.parse(text)

/** Rules as zones have them today, and zones whose laws they are. */
const rules = {
  "Europe/Berlin": "CET-1CEST,M3.5.0,M10.5.0/3",
  "America/New_York": "EST5EDT,M3.2.0,M11.1.0",
  "Australia/Lord_Howe": "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
  "Europe/Dublin": "IST-1GMT0,M10.5.0,M3.5.0/1",
  "Asia/Jerusalem": "IST-2IDT,M3.4.4/26,M10.5.0",
  "Asia/Kolkata": "IST-5:30",
  "America/Santiago": "<-04>4<-03>,M9.1.6/24,M4.1.6/24"
} as const

describe("a time zone file", () => {
  it.each(Object.entries(rules))("of %s by its rule %s has the offsets that the runtime knows", (name, rule) => {
    const offsetAt = ZoneFile.parse(zoneFile(0, [], rule))
    if (offsetAt === null) return assert.fail("It was not read")
    for (let asked = at("2024-01-01T00:30:00Z"); asked < at("2030-01-01T00:00:00Z"); asked += 7 * hour) {
      assert.strictEqual(offsetAt(asked), Zone.offsetByFormat(name, asked), new Date(asked).toISOString())
    }
  })

  it("has its changes before its rule, each from its instant on", () => {
    const [first, second] = [at("2020-01-01T00:00:00Z"), at("2025-06-01T00:00:00Z")]
    const changes = [
      { at: first / 1_000, offset: 7_200 },
      { at: second / 1_000, offset: -1_800 }
    ]
    const offsetAt = ZoneFile.parse(zoneFile(3_600, changes, "MAD+0:30"))
    assert.deepStrictEqual(
      [first - 1, first, second - 1, second, at("2090-01-01T00:00:00Z")].map((one) => offsetAt?.(one)),
      [hour, 2 * hour, 2 * hour, -hour / 2, -hour / 2]
    )
    const yearly = ZoneFile.parse(zoneFile(0, [], "AAA0BBB,J60/0,300/0"))
    assert.strictEqual(yearly?.(at("2028-03-01T00:00:00Z") - 1), 0)
    assert.strictEqual(yearly?.(at("2028-03-01T00:00:00Z")), hour)
    assert.strictEqual(yearly?.(at("2028-10-26T23:00:00Z")), 0)
  })

  it("that is cut, or none, is refused", () => {
    const whole = zoneFile(3_600, [{ at: 0, offset: 0 }], "UTC0")
    assert.isNull(ZoneFile.parse(new Uint8Array()))
    assert.isNull(ZoneFile.parse(Buffer.from("# no zone, but a text that is longer than a header is")))
    assert.isNull(ZoneFile.parse(zoneFile(0, [], "nonsense,1")))
    for (const length of [3, 43, 60, 100]) assert.isNull(ZoneFile.parse(whole.subarray(0, length)), String(length))
  })
})

describe("the time zone data of a place", () => {
  it("are those of a folder, or of a package, with their version", () => {
    writeZones(join(folder, "zones"), "2031a", { "Europe/Berlin": zoneFile(0, [], "MAD-5") })
    const data = load(join(folder, "zones"))
    assert.strictEqual(data.version, "2031a")
    assert.strictEqual(data.offsetAt("Europe/Berlin")?.(0), 5 * hour)
    assert.isNull(data.offsetAt("Europe/Paris"))
    const unpacked = join(folder, "moment", "data", "unpacked")
    mkdirSync(unpacked, { recursive: true })
    const zone = {
      name: "Europe/Berlin",
      untils: [at("2036-03-30T01:00:00Z"), at("2036-10-26T01:00:00Z"), at("2037-03-29T01:00:00Z"), null],
      offsets: [-60, -120, -60, -120]
    }
    writeFileSync(
      join(unpacked, "latest.json"),
      JSON.stringify({ version: "2031b", zones: [zone], links: ["Europe/Berlin|Arctic/Longyearbyen"] })
    )
    const moment = load(join(folder, "moment"))
    assert.strictEqual(moment.version, "2031b")
    assert.strictEqual(moment.offsetAt("Arctic/Longyearbyen")?.(at("2036-07-01T00:00:00Z")), 2 * hour)
    assert.isNull(moment.offsetAt("Europe/Paris"))
  })

  it("are refused where there are none, with what would be accepted", () => {
    writeZones(join(folder, "empty"), "2031a", {})
    writeFileSync(join(folder, "file"), "")
    assert.throws(() => load(join(folder, "absent")), /no such folder/)
    assert.throws(() => load("./absent"), /there is no such folder\. Expected a zoneinfo folder/)
    assert.throws(() => load("no-such-package-of-zones"), /no package of this name is installed/)
    assert.throws(() => load(join(folder, "empty")), /no compiled zone Europe\/Berlin/)
    mkdirSync(join(folder, "unnamed"))
    assert.throws(() => load(join(folder, "unnamed")), /does not say its version/)
  })

  it("decide for windows and schedules in every process: a law that is made up holds on Node and Deno", () => {
    const zones = join(folder, "law")
    // From Monday, 1 December 2031 on, Berlin is at UTC+5.
    const monday = at("2031-12-01T00:00:00Z")
    const law = zoneFile(3_600, [{ at: monday / 1_000, offset: 18_000 }], "MAD-5")
    writeZones(zones, "2031z", { "Europe/Berlin": law })
    const period = {
      active_start_day: "MONDAY",
      active_start_time: { hours: 9 },
      active_end_day: "MONDAY",
      active_end_time: { hours: 10 }
    }
    const line = JSON.stringify({
      id: 1,
      at: "2031-12-01T00:00:00Z",
      window: { time_zone: "Europe/Berlin", regular_hours: [period] }
    })
    const main = fileURLToPath(new URL("../../../apps/cli/main.ts", import.meta.url))
    const asked = (program: string, args: ReadonlyArray<string>, place: string) =>
      JSON.parse(
        execFileSync(program, [...args, main, "window", "eval"], {
          input: `${line}\n`,
          encoding: "utf8",
          env: { ...process.env, SLUICE_TZDATA: place }
        })
      ).nextOpenAt
    const nextFiring = fileURLToPath(new URL("NextFiring.ts", import.meta.url))
    const fires = (place: string) =>
      execFileSync(process.execPath, [nextFiring, String(monday - 1)], {
        encoding: "utf8",
        env: { ...process.env, SLUICE_TZDATA: place }
      }).trim()
    assert.strictEqual(fires(""), "2031-12-01T08:00:00.000Z")
    assert.strictEqual(fires(zones), "2031-12-01T04:00:00.000Z")
    const { deno } = otherRuntimes()
    assert.strictEqual(asked(process.execPath, [], ""), "2031-12-01T08:00:00.000Z")
    assert.strictEqual(asked(process.execPath, [], zones), "2031-12-01T04:00:00.000Z")
    assert.strictEqual(asked(deno, ["run", "-A"], zones), "2031-12-01T04:00:00.000Z")
    assert.throws(
      () => asked(process.execPath, [], join(folder, "absent")),
      /SLUICE_TZDATA: Time zone data cannot be read/
    )
  })
})

it("`sluice doctor` says which time zone data decide, where they are from, and how old they are", () => {
  const zones = join(folder, "doctor")
  writeZones(zones, "2020a", { "Europe/Berlin": zoneFile(0, [], "MAD-5") })
  const main = fileURLToPath(new URL("../../../apps/cli/main.ts", import.meta.url))
  const found = (place: string) => {
    const findings: ReadonlyArray<{ readonly state: string; readonly subject: string; readonly text: string }> =
      JSON.parse(
        execFileSync(process.execPath, [main, "doctor", "--json"], {
          encoding: "utf8",
          env: {
            ...process.env,
            SLUICE_TZDATA: place,
            SLUICE_DATA_DIR: join(folder, "none"),
            // A browser of another machine, which is not looked at.
            SLUICE_BROWSER_ENDPOINTS: "ws://127.0.0.1:9/none"
          }
        })
      )
    return findings.find(({ subject }) => subject === "time zone data")
  }
  assert.match(found("")?.text ?? "", new RegExp(`^${process.versions.tz}, from the runtime`))
  assert.strictEqual(found(zones)?.state, "warning")
  assert.match(found(zones)?.text ?? "", /^2020a, from .*doctor\. .* at least \d+ days old.*SLUICE_TZDATA/)
})

it("time zone data are as old as the year of their release at least", () => {
  const now = at("2026-11-27T00:00:00Z")
  assert.strictEqual(ZoneAge.leastDays("2025b", now), 330)
  assert.strictEqual(ZoneAge.leastDays("2026c", now), 0)
  assert.isNull(ZoneAge.leastDays(null, now))
  assert.isNull(ZoneAge.warning("2026c", now))
  assert.match(ZoneAge.warning("2025b", now) ?? "", /2025b are at least 330 days old/)
})
