/** The skill for coding agents: its size, where it is written, and that each command in it works as it stands. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { exitCodes } from "../../../apps/cli/user/Ending.ts"
import { skill } from "../../../apps/cli/user/Skill.ts"
import * as Bounds from "../../../apps/mcp/Bounds.ts"
import { isServed } from "../../../core/workflow/language/graph/Action.ts"
import { layerInMemory } from "../../support/service.ts"
import { signedIn, terminal } from "../../support/Terminal.ts"
import * as worker from "../../support/worker.ts"

const fences = [...skill.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language, name, text = ""]) => ({
  language,
  name,
  text
}))

const commands = fences.filter(({ language }) => language === "sh").flatMap(({ text }) => text.trim().split("\n"))

/** The words of a command line. A word in quotes is one. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, three]) => one ?? two ?? three ?? "")

it("the skill is small, and says by its front matter when it is read", () => {
  assert.isAtMost(Bounds.tokensOf(skill), 5_000)
  assert.match(skill, /^---\nname: sluice\ndescription: \S.{50,900}\n---\n/)
  for (const word of ["Make", "Check", "Try", "run", "mend"]) assert.include(skill, word)
  // What it does not print as a block stands in its text.
  for (const [, command] of skill.matchAll(/`(sluice [^`]+)`/g))
    assert.match(command ?? "", /^sluice (login|vault put|console|init FOLDER)$/)
})

it("the skill names actions that there are", () => {
  const named = [...skill.matchAll(/^\| ([A-Z_, ]+) \|/gm)].flatMap(([, names = ""]) => names.split(", "))
  assert.deepStrictEqual(
    named.filter((name) => !isServed(name)),
    []
  )
  assert.isAtLeast(named.length, 14)
})

it.effect("is installed into the folder that is named, and replaces no other text unless it is told to", () =>
  Effect.gen(function* () {
    const { folder, json, run } = yield* terminal
    const to = join(folder, "skills")
    const file = join(to, "sluice/SKILL.md")
    assert.deepStrictEqual(yield* json("install", "--skills", "--to", to), { files: [file] })
    assert.strictEqual(readFileSync(file, "utf8"), skill)
    assert.deepStrictEqual(yield* json("install", "--skills", "--to", to), { files: [file] })
    writeFileSync(file, "mine")
    const refused = yield* run(["install", "--skills", "--to", to])
    assert.strictEqual(refused.code, exitCodes.conflict)
    assert.strictEqual(readFileSync(file, "utf8"), "mine")
    yield* json("install", "--skills", "--to", to, "--force")
    assert.strictEqual(readFileSync(file, "utf8"), skill)
    assert.strictEqual((yield* run(["install", "--to", to])).code, exitCodes.wrong)
  }).pipe(Effect.scoped)
)

const recording = JSON.stringify({ title: "Orders", steps: [{ type: "navigate", url: "https://portal.example/" }] })

it.live("has commands that all work, in the order in which they stand", () =>
  Effect.gen(function* () {
    const { folder, run } = yield* signedIn
    const files = new Map([
      ["recording.json", recording],
      ["months.csv", "month\n2026-10\n"],
      ...fences.flatMap(({ name, text }) => (name === undefined ? [] : [[name, text] as const]))
    ])
    mkdirSync(join(folder, "work"))
    for (const [name, text] of files) writeFileSync(join(folder, "work", name), text)
    let session = ""
    assert.isAtLeast(commands.length, 20)
    // The first ones look at a workflow that a service has already.
    const placed = (words: ReadonlyArray<string>) =>
      words.map((word) => {
        if (word === "WORKFLOW") return "Orders"
        if (word === "RUN") return session
        return /^(?:[\w-]+\.(?:json|csv)|evidence)$/.test(word) ? join(folder, "work", word) : word
      })
    const first = ["workflow", "push", join(folder, "work/orders.json")]
    assert.isNull((yield* run(first)).failure)
    for (const command of commands) {
      const [program, ...words] = wordsOf(command)
      assert.strictEqual(program, "sluice", command)
      const { failure, stdout } = yield* run(placed(words))
      assert.isNull(failure, `${command}: ${failure?.text}`)
      assert.isNotEmpty(stdout, command)
      if (/^sluice run WORKFLOW --input '[^']*' --json$/.test(command)) session = JSON.parse(stdout).session_id
    }
    assert.isTrue(existsSync(join(folder, "work/imported.json")))
    assert.isTrue(existsSync(join(folder, "work/evidence")))
  }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(worker.layer, layerInMemory)))
)
