// @ts-check
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { packages } from "./packages.js"
import { root } from "./run.js"

/** Imports of a module: the text before the name, and the name. */
const imported = /(?:\bfrom\s*|\bimport\s*\(?\s*)"([@.\w][@.\w/:-]*)"/g

/**
 * Writes the core in the form of JSR: its sources, and a `deno.json` with its entries and the versions of its imports.
 *
 * It is published with `--allow-slow-types`: Effect infers the types of its schemas, errors and services.
 * `docs/decisions/0025-inferred-types-on-jsr.md` says why.
 *
 * @param {string} folder
 */
export const writeJsr = (folder) => {
  const [core] = packages
  if (core === undefined) throw new Error("There is no package of the core")
  const checkout = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  rmSync(folder, { recursive: true, force: true })
  const files = [...new Set(Object.values(core.entries))]
  /** @type {Set<string>} */
  const outside = new Set()
  const known = new Set(files)
  for (const path of files) {
    const text = readFileSync(join(root, path), "utf8")
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    for (const [, module = ""] of text.replace(/^ \*.*$/gm, "").matchAll(imported)) {
      if (!module.startsWith(".")) outside.add(module)
      else {
        const other = posix.join(posix.dirname(path), module)
        if (!known.has(other)) files.push(other)
        known.add(other)
      }
    }
  }
  const names = Object.keys(checkout.dependencies).filter((name) =>
    [...outside].some((module) => module === name || module.startsWith(`${name}/`))
  )
  const imports = names.flatMap((name) => [
    [name, `npm:${name}@${checkout.dependencies[name]}`],
    [`${name}/`, `npm:/${name}@${checkout.dependencies[name]}/`]
  ])
  const config = {
    name: core.name,
    version: checkout.version,
    license: checkout.license,
    exports: Object.fromEntries(Object.entries(core.entries).map(([subpath, file]) => [subpath, `./${file}`])),
    imports: Object.fromEntries(imports)
  }
  writeFileSync(join(folder, "deno.json"), `${JSON.stringify(config, null, 2)}\n`)
  writeFileSync(join(folder, "README.md"), `# ${core.name}\n\n${core.readme}\n`)
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"))
}
