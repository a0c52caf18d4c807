/** Writes the list of zones again: `node test/unit/window/writeZoneNames.ts [tzdata.zi]`. */
import { readFileSync, writeFileSync } from "node:fs"
import * as ZoneList from "./ZoneList.ts"

const [, , path = "/usr/share/zoneinfo/tzdata.zi"] = process.argv
const module = new URL("../../../core/window/calendar/ZoneNames.ts", import.meta.url)
writeFileSync(module, ZoneList.written(readFileSync(module, "utf8"), ZoneList.read(readFileSync(path, "utf8"))))
