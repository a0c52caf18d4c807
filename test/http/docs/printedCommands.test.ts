import { assert, describe, it } from "@effect/vitest"
import { pages } from "../../docs/Pages.ts"
import { printed, problemOf } from "../../docs/PrintedCommands.ts"

// What was changed once is history.
const current = pages().filter(({ path }) => path !== "CHANGELOG.md")

describe("the commands of sluice in the docs", () => {
  it("are printed in the one way that works after npm start", () => {
    assert.deepStrictEqual(
      current.flatMap((page) => printed(page).others),
      []
    )
  })

  it("exist, with their flags", () => {
    const commands = current.flatMap((page) => printed(page).commands)
    assert.isAbove(commands.length, 80)
    assert.deepStrictEqual(
      commands.flatMap((command) => {
        const problem = problemOf(command)
        return problem === null ? [] : [`${command}: ${problem}`]
      }),
      []
    )
  })

  it("would be found where they are printed another way, or do not exist", () => {
    const page = (text: string) => printed({ path: "docs/a.md", text })
    assert.deepStrictEqual(page("Press `sluice runs ls`.").others, ["docs/a.md: sluice runs ls"])
    assert.deepStrictEqual(page("```\nKEY=x sluice backup /b\n```").others, ["docs/a.md: KEY=x sluice backup /b"])
    assert.deepStrictEqual(page("`npm run -s sluice -- runs ls`"), { commands: ["runs ls"], others: [] })
    assert.strictEqual(problemOf("runs list"), "runs has no subcommand list")
    assert.strictEqual(problemOf("runs ls --state held"), "ls has no flag --state")
    assert.isNull(problemOf("runs release --workflow_id ID --hold run_window --limit 5 --dry-run"))
  })
})
