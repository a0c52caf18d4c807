import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { settingNames } from "../../../apps/cli/SettingNames.ts"
import * as Limits from "../../../core/agent/Limits.ts"
import { inBrackets } from "../../../core/runtime/SettingNames.ts"
import { sources } from "../../support/Source.ts"

describe("the names of settings", () => {
  it("are environment variables that the page of settings describes", () => {
    const page = readFileSync("docs/settings.md", "utf8")
    for (const names of Object.values(settingNames)) {
      for (const name of names.split(" and ")) assert.include(page, `| \`${name}\` |`)
    }
  })

  it("are known to the program alone, not to core", () => {
    const named = sources("core").filter(({ text }) => text.includes("SLUICE_"))
    assert.deepStrictEqual(
      named.map(({ path }) => path),
      []
    )
  })

  it("are added to a limit where the program gives them", () => {
    const sentence = (limits: Limits.Limits) => Limits.exceeded(limits, 11, 0)?.sentence
    const limits = { ...Limits.defaultLimits, steps: 10 }
    assert.strictEqual(sentence(limits), "Ended after 10 steps, the most that a run may take")
    assert.strictEqual(
      sentence({ ...limits, names: settingNames }),
      "Ended after 10 steps, the most that a run may take (SLUICE_RUN_STEPS)"
    )
    assert.strictEqual(inBrackets({}, "proxies"), "")
  })
})
