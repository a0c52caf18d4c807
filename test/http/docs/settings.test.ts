import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Completions } from "effect/cli"
import { sluice } from "../../../apps/cli/Sluice.ts"
import * as CommandsList from "../../docs/CommandsList.ts"
import { settings, written } from "../../docs/SettingsTable.ts"
import { root } from "../../support/Source.ts"

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

/** Whether a program is installed. */
const isInstalled = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined

const scriptOf = (shell: "bash" | "zsh" | "fish") =>
  Completions.generate("sluice", shell, Completions.fromCommand(sluice))

describe("completions", () => {
  it.each(["bash", "zsh", "fish"] as const)("of %s offer every command of users and their flags", (shell) => {
    const script = scriptOf(shell)
    for (const word of ["vault", "audit", "webhook", "workflow", "explain", "restore", "from-env", "sluice"]) {
      assert.include(script, word)
    }
  })

  const lines = [
    [["ru"], ["run", "runs"]],
    [
      ["runs", "re"],
      ["release", "retry", "refuse"]
    ],
    [
      ["--url", "http://127.0.0.1:1", "keys", "rotate", ""],
      ["key", "workspace", "master"]
    ],
    [["runs", "ls", "--ho"], ["--hold"]],
    [
      ["schedule", "create", "--overlap", ""],
      ["skip", "queue_one", "queue_all", "replace"]
    ]
  ] as const

  it("of bash complete commands, flags and the values of flags", () => {
    const offers = lines.map(([words]) => {
      const line = ["sluice", ...words].map((word) => `'${word}'`)
      const typed = ["sluice", ...words].join(" ")
      return `COMP_LINE='${typed}'; COMP_WORDS=(${line.join(" ")}); COMP_CWORD=${words.length}; COMPREPLY=(); _sluice; echo "\${COMPREPLY[*]}"`
    })
    const input = [scriptOf("bash"), "complete -p sluice", ...offers].join("\n")
    const [registered, ...offered] = execFileSync("bash", ["--norc"], { input, encoding: "utf8" }).trimEnd().split("\n")
    assert.strictEqual(registered, "complete -F _sluice sluice")
    assert.deepStrictEqual(
      offered.map((one) => one.split(" ")),
      lines.map(([, wanted]) => [...wanted])
    )
  })

  it.skipIf(!isInstalled("fish"))("of fish complete commands, flags and the values of flags", () => {
    const offers = lines.map(([words]) => `complete -C '${["sluice", ...words].join(" ")}'; echo ---`)
    const input = [scriptOf("fish"), ...offers].join("\n")
    const offered = execFileSync("fish", ["--no-config"], { input, encoding: "utf8" }).split("---\n")
    for (const [at, [words, wanted]] of lines.entries()) {
      const got = (offered[at] ?? "").split("\n").map((line) => line.split("\t")[0])
      assert.includeMembers(got, [...wanted], words.join(" "))
    }
  })

  it.skipIf(!isInstalled("zsh"))("of zsh are loaded, and called for the command", () => {
    const input = `autoload -U compinit && compinit -u -D\n${scriptOf("zsh")}\nwhence -w _sluice; echo $_comps[sluice]`
    assert.strictEqual(execFileSync("zsh", ["-f"], { input, encoding: "utf8" }), "_sluice: function\n_sluice\n")
  })
})
