/** Writes the tables of `docs/settings.md` and the lists of `docs/cli.md` again: `node test/docs/writeSettings.ts`. */
import { readFileSync, writeFileSync } from "node:fs"
import * as CommandsList from "./CommandsList.ts"
import * as SettingsTable from "./SettingsTable.ts"

const pages = [
  ["../../docs/settings.md", SettingsTable.written],
  ["../../docs/cli.md", CommandsList.written]
] as const

for (const [path, written] of pages) {
  const page = new URL(path, import.meta.url)
  writeFileSync(page, written(readFileSync(page, "utf8")))
}
