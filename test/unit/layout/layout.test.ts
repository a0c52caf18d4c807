import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root, type Source, sources } from "../../support/Source.ts"
import * as Rules from "./Rules.ts"

const shipped = sources("core", "adapters", "apps")
const published = [...shipped, ...sources("test/kit")]
const everything = [...shipped, ...sources("test")]

const file = (path: string, text: string): Source => ({ path, text })

/** Each rule with files that break it, which it must catch. */
const rules: ReadonlyArray<readonly [string, Rules.Rule, ReadonlyArray<Source>, ReadonlyArray<Source>]> = [
  [
    "layers point down",
    Rules.layersPointDown,
    shipped,
    [
      file("core/run/A.ts", 'import { x } from "../../adapters/b/B.ts"'),
      file("adapters/b/B.ts", 'import type { x } from "../../apps/c/C.ts"'),
      file("apps/c/C.ts", 'export { x } from "../../test/support/D.ts"')
    ]
  ],
  [
    "core stays in its list",
    Rules.coreStaysInItsList,
    published,
    [
      file("core/run/A.ts", 'import { readFileSync } from "node:fs"'),
      file("core/run/B.ts", 'import { SqlClient } from "effect/sql"'),
      file("core/run/C.ts", 'const x = await import("playwright-core")'),
      file("core/window/D.ts", 'import { Temporal } from "@js-temporal/polyfill"'),
      file("test/kit/contracts/E.ts", 'import { readFileSync } from "node:fs"')
    ]
  ],
  [
    "the kit stands on core",
    Rules.kitStandsOnCore,
    published,
    [
      file("test/kit/contracts/A.ts", 'import { x } from "../../support/fixtures.ts"'),
      file("test/kit/browser/B.ts", 'import { x } from "../../../adapters/memory/Memory.ts"'),
      file("test/kit/simulation/C.ts", 'import { x } from "../conformance/Server.ts"'),
      file("test/kit/conformance/D.ts", 'import type { x } from "../../../core/run/Run.ts"')
    ]
  ],
  [
    "views stand alone",
    Rules.viewsStandAlone,
    shipped,
    [
      file("apps/console/run/RunView.tsx", 'import { x } from "../runs/RunsView.tsx"'),
      file("apps/console/kit/A.tsx", 'import { x } from "../shell/App.tsx"')
    ]
  ],
  [
    "core touches no world",
    Rules.coreTouchesNoWorld,
    published,
    [
      file("core/run/A.ts", "const now = Date.now()"),
      file("core/run/B.ts", "const now = new Date( )"),
      file("core/run/C.ts", "const x = Math.random()"),
      file("core/run/D.ts", "const home = process.env.HOME"),
      file("test/kit/clocks/E.ts", "const now = Date.now()")
    ]
  ],
  [
    "rooms keep their order",
    Rules.roomsKeepTheirOrder,
    shipped,
    [
      file("core/window/A.ts", 'import type { Gate } from "../gate/Gate.ts"'),
      file("core/vault/keys/B.ts", 'import type { Webhook } from "../../event/webhook/Webhook.ts"'),
      file("core/drawer/C.ts", ""),
      file("core/run/D.ts", 'import { Gate } from "../Core.ts"')
    ]
  ],
  [
    "failures are told by their tag",
    Rules.failuresAreToldByTheirTag,
    published,
    [
      file(
        "core/run/A.ts",
        'export class Lost extends Schema.TaggedError<Lost>()("Lost", {}) {}\nerror instanceof Lost'
      ),
      file("apps/api/B.ts", "if (error instanceof A.Lost) return")
    ]
  ],
  [
    "no cycles",
    Rules.noCycles,
    published,
    [file("core/run/A.ts", 'import "./B.ts"'), file("core/run/B.ts", 'import { a } from "./A.ts"')]
  ],
  [
    "core names are unique",
    Rules.coreNamesAreUnique,
    published,
    [file("core/run/Settings.ts", ""), file("core/agent/recovery/Settings.ts", "")]
  ],
  [
    "folders hold several files",
    Rules.foldersHoldSeveral,
    published,
    [file("core/run/A.ts", ""), file("core/run/B.ts", ""), file("core/run/drawer/C.ts", "")]
  ],
  [
    "nothing asks URL.canParse",
    Rules.nothingAsksCanParse,
    shipped,
    [file("core/run/A.ts", "const isAddress = URL.canParse(text)")]
  ],
  ["files are named after an idea", Rules.filesAreNamedAfterAnIdea, everything, [file("core/run/utils.ts", "")]]
]

describe("the house", () => {
  it.each(rules)("keeps the rule: %s", (_name, rule, where) => assert.deepStrictEqual(rule(where), []))

  it.each(rules)("would notice a breach of: %s", (name, rule, _where, breaches) => {
    const found = rule(breaches)
    const together = ["no cycles", "core names are unique", "folders hold several files"]
    assert.isAtLeast(found.length, together.includes(name) ? 1 : breaches.length)
  })

  it("lists no folder of one file that is none", () => {
    const left = [...Rules.foldersOfOne].filter(
      (folder) => published.filter(({ path }) => path.startsWith(`${folder}/`)).length !== 1
    )
    assert.deepStrictEqual(left, [])
  })

  it("sees the imports of every form that it judges", () => {
    assert.isAbove(shipped.length, 50)
    assert.deepStrictEqual(
      Rules.layersPointDown([
        file("core/a/A.ts", 'import {\n  a,\n  b\n} from "../../apps/x/X.ts"\n// import "../../apps/y/Y.ts"')
      ]),
      ["core/a/A.ts imports apps/x/X.ts"]
    )
  })
})

const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean)

describe("the top level", () => {
  it("holds what it is allowed to, and nothing else", () => {
    const names = new Set(tracked.map((path) => path.split("/")[0] ?? ""))
    const permitted =
      /^(core|adapters|apps|test|docs|deploy|CHANGELOG\.md|package\.json|package-lock\.json|deno\.json|tsconfig\.json|README\.md|LICENSE|CONTRIBUTING\.md|\..+)$/
    assert.deepStrictEqual(
      [...names].filter((name) => !permitted.test(name)),
      []
    )
  })
})

describe("the dependencies", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<
    string,
    Record<string, string>
  >
  const named = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }

  it.each(Object.entries(named))("pin %s to one version", (_name, version) => {
    assert.match(version, /^(npm:[a-z0-9-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/)
  })

  it.each(Object.keys(named))("say in CONTRIBUTING.md how %s earns its place", (name) => {
    assert.include(readFileSync(join(root, "CONTRIBUTING.md"), "utf8"), `| \`${name}\` |`)
  })

  it("name no host of a package registry in any file", () => {
    const lock = readFileSync(join(root, "package-lock.json"), "utf8")
    assert.notInclude(lock, '"resolved"')
    const host = /https?:\/\/[\w.-]*(npmjs|yarnpkg|jsr)\b/
    const naming = tracked.filter(
      (path) => !path.endsWith(".jsonl") && host.test(readFileSync(join(root, path), "utf8"))
    )
    assert.deepStrictEqual(naming, [])
  })
})
