/**
 * The pages of the docs, and the fences in them.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root, type Source } from "../support/Source.ts"

export interface Fence {
  /** The file and the line at which the fence begins. */
  readonly at: string
  readonly path: string
  readonly language: string
  readonly text: string
}

/** README, CONTRIBUTING and every page below `docs`. */
export const pages = (): ReadonlyArray<Source> =>
  [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`)
  ].map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

/** The fences of a page, in their order. */
export const fencesOf = ({ path, text }: Source): ReadonlyArray<Fence> =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    at: `${path}:${text.slice(0, match.index).split("\n").length}`,
    path,
    language: match[1] ?? "",
    text: match[2] ?? ""
  }))
