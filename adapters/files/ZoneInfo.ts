/**
 * Time zone data of the system or of a package, in place of those that the runtime brings.
 */
import { existsSync, readFileSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { Schema } from "effect"
import type { Data } from "../../core/window/calendar/Zone.ts"
import * as ZoneFile from "../../core/window/calendar/ZoneFile.ts"

/** Raised when a place has no time zone data. */
export class NoZoneInfo extends Schema.TaggedError<NoZoneInfo>()("NoZoneInfo", {
  place: Schema.String,
  why: Schema.String
}) {
  override get message() {
    return `Time zone data cannot be read from ${JSON.stringify(this.place)}: ${this.why}. Expected a zoneinfo folder such as /usr/share/zoneinfo, or an installed npm package that has one or is moment-timezone`
  }
}

/**
 * The data of a place: a folder of compiled zones, or the name of a package that is installed where the process runs.
 * Throws `NoZoneInfo` for any other place. Zones are read as they are asked for.
 */
export const load = (place: string): Data => {
  const folder = folderOf(place)
  const packed = join(folder, "data", "unpacked", "latest.json")
  return existsSync(packed) ? ofJson(place, packed) : ofFolder(place, folder)
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const folderOf = (place: string): string => {
  if (isFolder(place)) return resolve(place)
  if (/^[./\\]/.test(place)) throw new NoZoneInfo({ place, why: "there is no such folder" })
  try {
    const found = dirname(createRequire(join(process.cwd(), "package.json")).resolve(`${place}/package.json`))
    return isFolder(join(found, "zoneinfo")) ? join(found, "zoneinfo") : found
  } catch {
    throw new NoZoneInfo({ place, why: "there is no such folder, and no package of this name is installed here" })
  }
}

const ofFolder = (place: string, folder: string): Data => {
  const version = versionOf(folder)
  if (version === null) {
    throw new NoZoneInfo({ place, why: "it does not say its version in tzdata.zi, +VERSION or version.txt" })
  }
  const known = new Map<string, ZoneFile.OffsetAt | null>()
  const read = (name: string): ZoneFile.OffsetAt | null => {
    const path = join(folder, ...name.split("/"))
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
    return isFile ? ZoneFile.parse(readFileSync(path)) : null
  }
  if (read("Europe/Berlin") === null) throw new NoZoneInfo({ place, why: "it has no compiled zone Europe/Berlin" })
  return {
    version,
    source: place,
    offsetAt: (name) => {
      const found = known.get(name) ?? read(name)
      known.set(name, found)
      return found
    }
  }
}

/** The release of the IANA database that a folder is of. */
const versionOf = (folder: string): string | null => {
  for (const name of ["tzdata.zi", "+VERSION", "version.txt", "version"]) {
    const path = join(folder, name)
    if (!existsSync(path) || isFolder(path)) continue
    const [, version] = /^(?:# version )?(\d{4}[a-z]{1,2})\b/.exec(readFileSync(path, "utf8").slice(0, 100)) ?? []
    if (version !== undefined) return version
  }
  return null
}

const MomentZones = Schema.Struct({
  version: Schema.String,
  zones: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      /** The ends of the stretches, `null` for the last one. */
      untils: Schema.Array(Schema.NullOr(Schema.Finite)),
      /** Minutes west of UTC. */
      offsets: Schema.Array(Schema.Finite)
    })
  ),
  links: Schema.Array(Schema.String)
})

/** 28 years of the calendar, after which dates fall on the same weekdays again. */
const cycleMillis = 10_227 * 86_400_000

/** The zones of moment-timezone, which end in 2037: later years are as those 28 years before. */
const ofJson = (place: string, path: string): Data => {
  const read = Schema.decodeUnknownOption(MomentZones)(JSON.parse(readFileSync(path, "utf8")))
  if (read._tag === "None") throw new NoZoneInfo({ place, why: `${path} is not what moment-timezone has there` })
  const { links, version, zones } = read.value
  const byName = new Map(zones.map((zone) => [zone.name, zone]))
  const targets = new Map(
    links.map((link) => {
      const [target = "", name = ""] = link.split("|")
      return [name, target]
    })
  )
  const end = Date.UTC(2037, 0)
  return {
    version,
    source: place,
    offsetAt: (name) => {
      const zone = byName.get(targets.get(name) ?? name)
      if (zone === undefined) return null
      const isRegular = zone.untils.some((until) => until !== null && until > end - 366 * 86_400_000)
      return (at) => {
        const asked = isRegular && at >= end ? at - Math.ceil((at - end + 1) / cycleMillis) * cycleMillis : at
        const index = zone.untils.findIndex((until) => until === null || asked < until)
        return -Math.round((zone.offsets[index] ?? 0) * 60_000)
      }
    }
  }
}
