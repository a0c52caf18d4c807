import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { parseSync } from "rolldown/utils"
import { expressionOf } from "../../../adapters/script/Script.ts"
import { sources } from "../../support/Source.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-script-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** The expression of `main.ts` among these modules. */
const linked = (modules: Readonly<Record<string, string>>): string => {
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text)
  return expressionOf(pathToFileURL(join(folder, "main.ts")))
}

// biome-ignore lint/security/noGlobalEval: that is what a browser does with it
const run = (expression: string): unknown => eval(`"use strict"; (${expression})`)

describe("a script of modules", () => {
  it("has the exports of its module as its value, and runs each module once, in its own scope", () => {
    const expression = linked({
      "main.ts": `import { count, next as following } from "./counter.ts"
import {
  type Kind,
  words
} from "./words.ts"
import type { Nothing } from "./nowhere.ts"

/** A comment. */
const own = 1

export const answer = (kind: Kind): string => \`\${words[kind]} \${following()} \${own}\`
export function counted<A>(_nothing?: A): number {
  return count() // as often as it was asked
}`,
      "words.ts": `import { next } from "./counter.ts"
export type Kind = "first" | "second"
const own = next()
export const words: Record<Kind, string> = { first: \`one of \${own}\`, second: "two" }`,
      "counter.ts": `let own = 0
export const next = (): number => ++own
export const count = () => own`
    })
    const { answer, counted } = run(expression) as Record<string, (...given: ReadonlyArray<string>) => unknown>
    assert.strictEqual(answer?.("first"), "one of 1 2 1")
    assert.strictEqual(counted?.(), 2)
    assert.notInclude(expression, "A comment")
  })

  it.each([
    ["a package", 'import { Effect } from "effect"\nexport const one = Effect'],
    ["a whole module", 'import * as words from "./words.ts"\nexport const one = words'],
    ["an export of what another module has", 'export { words } from "./words.ts"'],
    ["a module that leads back", 'import { two } from "./two.ts"\nexport const one = two']
  ])("that has %s is refused by the name of its file", (_what, text) => {
    const modules = {
      "main.ts": text,
      "two.ts": 'import { one } from "./main.ts"\nexport const two = one',
      "words.ts": "export const words = 1"
    }
    assert.throws(() => linked(modules), /main\.ts (cannot be linked|imports itself)/)
  })

  it("of the service has no text of several lines, which would lose its indents", () => {
    const modules = sources("adapters/playwright/injected", "apps/api/live/page")
    assert.isAbove(modules.length, 20)
    const found = modules.flatMap(({ path, text }) => {
      const texts: Array<string> = []
      JSON.stringify(parseSync(path, text).program, (_key, value) => {
        if (value?.type === "TemplateElement" && value.value.raw.includes("\n"))
          texts.push(`${path}: ${value.value.raw}`)
        return typeof value === "bigint" ? String(value) : value
      })
      return texts
    })
    assert.deepStrictEqual(found, [])
  })
})
