/**
 * TypeScript modules as one script for a browser. There is no build: types are erased when the script is asked for, by the
 * part of Node and Deno that erases those of the service itself.
 */
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"

/**
 * A module, with those that it imports, as an expression in JavaScript whose value is what the module exports. As a
 * statement it is a script.
 *
 * Each module keeps its own scope. Imports name what they take, from files of the checkout; exports stand at declarations.
 *
 * @throws Error for a module that does otherwise, or that imports itself by way of others.
 */
export const expressionOf = (entry: URL): string => {
  const order: Array<string> = []
  const parts: Array<string> = []
  const begun = new Set<string>()

  const nameOf = ({ href }: URL): string => {
    const at = order.indexOf(href)
    if (at >= 0) return `module${at}`
    if (begun.has(href)) throw new Error(`${href} imports itself by way of others`)
    begun.add(href)
    const { code, exports } = linked(href, (module) => nameOf(new URL(module, href)))
    order.push(href)
    const name = `module${order.length - 1}`
    parts.push(`const ${name} = (() => {\n${code}\nreturn { ${exports.join(", ")} }\n})()`)
    return name
  }

  const last = nameOf(entry)
  return `(() => {\n${parts.join("\n")}\nreturn ${last}\n})()`
}

/** The code of a module that takes what it imports from variables, and the names that it exports. */
const linked = (href: string, variableOf: (module: string) => string) => {
  const exports: Array<string> = []
  const code = withoutTypes(readFileSync(new URL(href), "utf8"))
    .replace(/^import\s+\{([^}]*)\}\s+from\s+"(\.[^"]+)"/gm, (_, names: string, module: string) => {
      const taken = names.split(",").map((name) => name.trim().replace(" as ", ": "))
      return `const { ${taken.filter((name) => name !== "").join(", ")} } = ${variableOf(module)}`
    })
    .replace(/^export (?=(?:const|let|class|function|async function) (\w+))/gm, (_, name: string) => {
      exports.push(name)
      return ""
    })
  const other = /^(?:import|export)\b.*$/m.exec(code)
  if (other !== null) throw new Error(`${href} cannot be linked: "${other[0]}"`)
  return { code, exports }
}

const withoutTypes = (text: string): string => {
  // The warning that this function is experimental is meant for developers; users of the service cannot act on it.
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return squeezed(stripTypeScriptTypes(text))
  } finally {
    process.emitWarning = emitWarning
  }
}

/**
 * Without comments, blank lines and indents: the script is sent to every document. Lines within a text would change too, so
 * modules for browsers have no text of several lines.
 */
const squeezed = (code: string): string =>
  code
    .replace(/^[ \t]*\/\*\*[\s\S]*?\*\//gm, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("//"))
    .join("\n")
