/** What the compiler says about programs. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../support/Source.ts"

/** The complaints about programs, one a line; none where all compile. */
export const complaints = (programs: ReadonlyArray<string>): ReadonlyArray<string> => {
  mkdirSync(join(root, ".cache"), { recursive: true })
  // Within the checkout, so that `sluice/…` is found as its own package.
  const folder = mkdtempSync(join(root, ".cache", "code-"))
  try {
    for (const [index, program] of programs.entries()) {
      writeFileSync(join(folder, `code${index}.ts`), program.replace("@sluice/core/", "sluice/"))
    }
    // Code that nothing reaches is as it was in the workflow.
    const compilerOptions = {
      incremental: false,
      tsBuildInfoFile: null,
      allowUnreachableCode: true,
      allowUnusedLabels: true,
      noUnusedLocals: false,
      noUnusedParameters: false
    }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: ["."] })
    )
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" })
    return stdout.split("\n").filter((line) => line !== "")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
