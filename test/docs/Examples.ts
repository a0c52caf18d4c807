/**
 * The examples of the docs: fences of the pages, and of the `**Example**` blocks of the code.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { namesInCheckout } from "../../apps/bootstrap/packages.js"
import { root, type Source, sources } from "../support/Source.ts"
import { type Fence, fencesOf, pages } from "./Pages.ts"

/** The fences of the comments of a source file that stand below `**Example**`. */
export const examplesOf = ({ path, text }: Source): ReadonlyArray<Fence> =>
  [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap(([comment]) => {
    if (!comment.includes("**Example**")) return []
    return fencesOf({ path, text: comment.replace(/^ \* ?/gm, "") })
  })

/** The page for programs that embed the core. Its examples run on the packed packages (`test/packages`). */
export const embedding = "docs/embedding.md"

/** The page of the docstrings. Its examples are those of the code, which run there. */
const docstrings = "docs/api.md"

/** Every TypeScript example that is to run in the checkout. */
export const programs = (): ReadonlyArray<Fence> =>
  [
    ...pages()
      .filter(({ path }) => path !== embedding && path !== docstrings)
      .flatMap(fencesOf),
    ...sources("core", "adapters", "apps", "test/kit").flatMap(examplesOf)
  ].filter(({ language }) => language === "ts")

/** The value that a comment promises: the longest JSON that it begins with, up to a comma. `undefined` when it has none. */
export const promisedBy = (comment: string): string | undefined => {
  const pieces = comment.trim().split(", ")
  for (let count = pieces.length; count > 0; count--) {
    const text = pieces.slice(0, count).join(", ")
    try {
      JSON.parse(text)
      return text
    } catch {}
  }
  return undefined
}

const promise = /^(.*?)\s*\/\/ => (.*)$/

/** A program in which each line `expression // => value` compares. */
export const comparing = ({ at, text }: Fence): string => {
  const lines = text.split("\n").map((line) => {
    const [, code = "", comment = ""] = promise.exec(line) ?? []
    if (code === "") return line
    const value = promisedBy(comment)
    if (value === undefined) throw new Error(`${at}: "${comment}" does not begin with a JSON value`)
    return `assertEqual(${code.replace(/;$/, "")}, ${value})`
  })
  return `import { deepStrictEqual as assertEqual } from "node:assert"\n${lines.join("\n")}`
}

/** An example that imports what is published by the names that the checkout itself has for it. */
const inCheckout = (program: string): string =>
  program.replace(/"(@sluice\/[^"]+)"/g, (_whole, name) => `"${namesInCheckout[name] ?? name}"`)

/** Runs programs in one process, each as a separate module. Answers the failures, by the place of the example. */
export const run = (examples: ReadonlyArray<Fence>): ReadonlyArray<string> => {
  // Within the checkout, so that `sluice/…` is found as its own package.
  mkdirSync(join(root, ".cache"), { recursive: true })
  const folder = mkdtempSync(join(root, ".cache", "examples-"))
  try {
    const files = examples.map((example, index) => {
      const name = `./example${index}.ts`
      writeFileSync(join(folder, name), inCheckout(comparing(example)))
      return [example.at, name]
    })
    writeFileSync(
      join(folder, "main.mjs"),
      `const wrong = []
for (const [at, name] of ${JSON.stringify(files)}) {
  try { await import(name) } catch (error) { wrong.push(at + ": " + error.message) }
}
process.stdout.write(JSON.stringify(wrong))`
    )
    const answer = execFileSync(process.execPath, [join(folder, "main.mjs")], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"]
    })
    return JSON.parse(answer) as ReadonlyArray<string>
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
