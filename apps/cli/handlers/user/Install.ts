/** The handler of `sluice install`: writes the skill for coding agents. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Option } from "effect"
import { refused } from "../../user/Ending.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import { skill } from "../../user/Skill.ts"

interface Settings extends OutputSettings {
  readonly skills: boolean
  readonly to: Option.Option<string>
  readonly force: boolean
}

/** The folders that coding agents read skills from, here. */
const folders = (): ReadonlyArray<string> => [".agents/skills", ...(existsSync(".claude") ? [".claude/skills"] : [])]

/** Writes the skill. Nothing is written where a file that differs would be replaced. */
export const install = Effect.fnUntraced(function* (settings: Settings) {
  if (!settings.skills) return yield* refused("wrong", "Expected --skills, which names what to install")
  const chosen = Option.match(settings.to, { onNone: folders, onSome: (folder) => [folder] })
  const files = chosen.map((folder) => join(folder, "sluice", "SKILL.md"))
  yield* Effect.try({
    try: () => files.filter((file) => existsSync(file) && readFileSync(file, "utf8") !== skill),
    catch: (cause) =>
      refused("failed", `Cannot read a skill: ${cause instanceof Error ? cause.message : String(cause)}`)
  }).pipe(
    Effect.filterOrFail(
      (differing) => settings.force || differing.length === 0,
      (differing) =>
        refused("conflict", `Nothing was written: ${differing.join(", ")} differs from the skill. --force replaces it`)
    )
  )
  yield* Effect.try({
    try: () => {
      for (const file of files) {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, skill)
      }
    },
    catch: (cause) =>
      refused("failed", `Cannot write a skill: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
  yield* answer(settings, { files }, () => files.map((file) => `Wrote ${file}`).join("\n"))
})
