/**
 * Links TypeScript modules into one script for a browser, without a build: types are stripped on demand, by the
 * function of Node and Deno that also strips those of the service.
 */
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"

/**
 * A module and its imports as a JavaScript expression whose value is the exports of the module. As a statement it is a
 * script.
 *
 * Each module keeps its own scope. Only named imports of files of the checkout, and exports at declarations, are
 * supported.
 *
 * @throws Error for other forms of imports and exports, and for circular imports.
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
 * Removes comments, blank lines and indentation, because the script is sent to every document. This would change
 * multi-line texts, so modules for browsers have none.
 */
const squeezed = (code: string): string =>
  code
    .replace(/^[ \t]*\/\*\*[\s\S]*?\*\//gm, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("//"))
    .join("\n")
