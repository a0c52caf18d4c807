import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Completions } from "effect/cli"
import { sluice } from "../../apps/cli/Sluice.ts"
import { root } from "../layout/Source.ts"
import * as CommandsList from "./CommandsList.ts"
import { settings, written } from "./SettingsTable.ts"

const page = readFileSync(join(root, "docs/settings.md"), "utf8")
const sources = ["apps/cli/Settings.ts", "apps/cli/BrowserSettings.ts"]

describe("docs/settings.md", () => {
  it("has the tables that the code gives; if not, run node test/docs/writeSettings.ts", () => {
    assert.strictEqual(written(page), page)
  })

  it("names every variable that the settings read", () => {
    const read = sources.flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8")
      return [...text.matchAll(/"((?:SLUICE_[A-Z0-9_]+)|PORT|HOST|DATABASE_URL)"/g)].map(([, name]) => name ?? "")
    })
    const tabled = settings().flatMap(([, rows]) => rows.map(({ variable }) => variable))
    assert.isAbove(read.length, 40)
    assert.deepStrictEqual(
      [...new Set(read)].filter((name) => !tabled.includes(name) && !page.includes(`\`${name}\``)),
      []
    )
  })
})

describe("docs/cli.md", () => {
  it("has the commands and exit codes that the code gives; if not, run node test/docs/writeSettings.ts", () => {
    const cli = readFileSync(join(root, "docs/cli.md"), "utf8")
    assert.strictEqual(CommandsList.written(cli), cli)
  })
})

describe("completions", () => {
  it.each(["bash", "zsh", "fish"] as const)("of %s offer every command of users and their flags", (shell) => {
    const script = Completions.generate("sluice", shell, Completions.fromCommand(sluice))
    for (const word of ["vault", "audit", "webhook", "workflow", "explain", "restore", "from-env", "sluice"]) {
      assert.include(script, word)
    }
    if (shell === "bash") execFileSync("bash", ["-n"], { input: script })
  })
})
