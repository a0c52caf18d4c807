import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { effectVersion, initFiles } from "../../../apps/cli/user/InitFiles.ts"
import { testMillis } from "../../support/limits.ts"
import { root } from "../../support/Source.ts"

describe("the files of init", () => {
  it("need the Effect of the packages", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    assert.strictEqual(dependencies.effect, effectVersion)
  })

  it("are a workflow that passes its test, and fails it where the workflow is another", { timeout: testMillis }, () => {
    mkdirSync(join(root, ".cache"), { recursive: true })
    // Within the checkout, so that `sluice/…` is found as its own package.
    const folder = mkdtempSync(join(root, ".cache", "init-"))
    try {
      const tested = (change: (text: string) => string) => {
        for (const [name, text] of Object.entries(initFiles("0.1.0"))) {
          if (name.endsWith(".ts"))
            writeFileSync(
              join(folder, name),
              change(text).replaceAll("@sluice/core/", "sluice/").replaceAll("@sluice/testing", "sluice/testing")
            )
        }
        return spawnSync(process.execPath, ["--test", join(folder, "workflow.test.ts")], {
          cwd: folder,
          encoding: "utf8",
          env: { ...process.env, NODE_TEST_CONTEXT: undefined }
        })
      }
      const whole = tested((text) => text)
      assert.strictEqual(whole.status, 0, whole.stdout)
      assert.notStrictEqual(
        tested((text) => text.replace("//input[@name='q']\",\n    text", '//input",\n    text')).status,
        0
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
