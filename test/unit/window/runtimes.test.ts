import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { otherRuntimes } from "../../../apps/bootstrap/runtimes.js"

const digestFile = fileURLToPath(new URL("./digest.ts", import.meta.url))
const { deno, temporalNode } = otherRuntimes()

const digest = (program: string, args: ReadonlyArray<string>, zone: string): string =>
  execFileSync(program, [...args, digestFile], { encoding: "utf8", env: { ...process.env, TZ: zone } }).trim()

describe("the evaluator", () => {
  const expected = digest(process.execPath, [], "UTC")

  it("answers every case rightly", () => assert.match(expected, /^420 cases, 0 wrong/))

  it.each(["Pacific/Apia", "America/St_Johns", "Asia/Kolkata", "Europe/Dublin"])(
    "answers the same when the host's time zone is %s",
    (zone) => assert.strictEqual(digest(process.execPath, [], zone), expected)
  )

  it.skipIf(temporalNode === null)("answers the same on a Node with a native Temporal", () => {
    if (temporalNode === null) return
    assert.strictEqual(execFileSync(temporalNode, ["-p", "typeof Temporal"], { encoding: "utf8" }).trim(), "object")
    assert.strictEqual(digest(temporalNode, [], "America/New_York"), expected)
  })

  it("answers the same on Deno", () => {
    assert.strictEqual(digest(deno, ["run", "--allow-read", "--allow-env"], "Australia/Sydney"), expected)
  })
})
