/** Writes the tables of `docs/settings.md` again: `node test/docs/writeSettings.ts`. */
import { readFileSync, writeFileSync } from "node:fs"
import { written } from "./SettingsTable.ts"

const page = new URL("../../docs/settings.md", import.meta.url)
writeFileSync(page, written(readFileSync(page, "utf8")))
