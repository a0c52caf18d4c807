import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { zoneNames, zoneNamesVersion } from "../../../core/window/calendar/ZoneNames.ts"
import { root } from "../../support/Source.ts"
import * as ZoneList from "./ZoneList.ts"

const module = readFileSync(join(root, "core/window/calendar/ZoneNames.ts"), "utf8")
const again = "Write the list again: node test/unit/window/writeZoneNames.ts [tzdata.zi]"

/** The text of `tzdata.zi` that would give the list. */
const asFile = (version: string, names: Iterable<string>) =>
  `# version ${version}\n${[...names].map((name) => `Z ${name} 0 - UTC`).join("\n")}\nZ Factory 0 - -00\n`

describe("the list of zones", () => {
  it("has every zone that this runtime enumerates", () => {
    const missing = Intl.supportedValuesOf("timeZone").filter((name) => !zoneNames.has(name))
    assert.deepStrictEqual(
      missing,
      [],
      `The zones of ${process.versions.tz} are newer than ${zoneNamesVersion}. ${again}`
    )
  })

  it("has every Zone and Link of the database of this machine", () => {
    const path = "/usr/share/zoneinfo/tzdata.zi"
    if (!existsSync(path)) return
    const { areas, version } = ZoneList.read(readFileSync(path, "utf8"))
    const names = [...areas].flatMap(([area, all]) => all.map((name) => (area === "" ? name : `${area}/${name}`)))
    assert.deepStrictEqual(
      names.filter((name) => !zoneNames.has(name)),
      [],
      `The release ${version} is newer than ${zoneNamesVersion}. ${again}`
    )
  })

  it("is as the generator writes it, and takes the release and the names of another one", () => {
    assert.strictEqual(ZoneList.written(module, ZoneList.read(asFile(zoneNamesVersion, zoneNames))), module)
    const next = ZoneList.written(module, ZoneList.read(asFile("2031a", [...zoneNames, "Mars/Jezero"])))
    assert.include(next, 'zoneNamesVersion = "2031a"')
    assert.include(next, "as of its release 2031a.")
    assert.include(next, "Mars: `\n    Jezero\n  `")
    assert.throws(() => ZoneList.read("not a release"), /# version/)
  })
})
