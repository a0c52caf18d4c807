/**
 * A source file for the layout rules: its path, and its imports.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize, relative } from "node:path"
import { fileURLToPath } from "node:url"

export interface Source {
  /** Relative to the checkout, with forward slashes. */
  readonly path: string
  readonly text: string
}

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Every TypeScript file below the folders. */
export const sources = (...folders: ReadonlyArray<string>): ReadonlyArray<Source> =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => {
        const path = relative(root, join(root, folder, name))
        return { path, text: readFileSync(join(root, path), "utf8") }
      })
  )

/** The text without comments and without what stands in strings, so that rules about code see code. */
export const codeOf = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, (part) =>
    part.startsWith('"') || part.startsWith("'") ? '""' : " "
  )

/** The modules that a file imports, those of the project as paths in the checkout. */
export const importsOf = ({ path, text }: Source): ReadonlyArray<string> => {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, " ").replace(/^\s*\/\/[^\n]*/gm, " ")
  const found = [
    ...code.matchAll(/(?:^|[\s;])(?:import|export)\s(?:[^"'`;]*?\sfrom\s+)?"([^"]+)"|import\(\s*"([^"]+)"\s*\)/g)
  ]
  return found.map((match) => {
    const module = match[1] ?? match[2] ?? ""
    return module.startsWith(".") ? normalize(join(dirname(path), module)) : module
  })
}
