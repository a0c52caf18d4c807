/** The handler of `sluice init`: writes a workflow as code, with a test. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { refused } from "../../user/Ending.ts"
import { initFiles } from "../../user/InitFiles.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import { version } from "../../Version.ts"

interface InitSettings extends OutputSettings {
  readonly folder: string
}

/** Writes the files into a folder. Nothing is written where one of them exists. */
export const init = Effect.fnUntraced(function* (settings: InitSettings) {
  const files = Object.entries(initFiles(version.replace(/\+.*/, ""))).map(
    ([name, text]) => [join(settings.folder, name), text] as const
  )
  const existing = files.map(([path]) => path).filter((path) => existsSync(path))
  if (existing.length > 0) {
    return yield* refused(
      "conflict",
      `Nothing was written: ${existing.join(", ")} would be replaced. Name another folder`
    )
  }
  yield* Effect.try({
    try: () => {
      mkdirSync(settings.folder, { recursive: true })
      for (const [path, text] of files) writeFileSync(path, text, { flag: "wx" })
    },
    catch: (cause) =>
      refused("failed", `Cannot write to ${settings.folder}: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
  yield* answer(settings, { files: files.map(([path]) => path) }, () =>
    files.map(([path]) => `Wrote ${path}`).join("\n")
  )
})
