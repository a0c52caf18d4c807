/** The syntax tree of a script, in the nodes of ESTree with their lines, and how to read it. A port: `ParseScript`. */
import type { Result } from "effect"
import * as Json from "../../workspace/Json.ts"
import type { Unreadable } from "./Recording.ts"

/** A node: its type, its line, and other nodes under the names of ESTree. */
export interface Tree {
  readonly type: string
  readonly [name: string]: unknown
}

/** Parses JavaScript or TypeScript without evaluating it. Never throws. */
export type ParseScript = (text: string) => Result.Result<Tree, Unreadable>

/** Maximum length of a script, in characters. */
export const mostScriptCharacters = 1_000_000

export const isTree = (value: unknown): value is Tree => Json.isObject(value) && typeof value.type === "string"

export const lineOf = ({ loc }: Tree): number | null => {
  const { line } = Json.objectOf(Json.objectOf(loc).start)
  return typeof line === "number" ? line : null
}

export const treeAt = (tree: Tree | null, name: string): Tree | null => {
  const found = tree?.[name]
  return isTree(found) ? bare(found) : null
}

export const treesAt = (tree: Tree | null, name: string): ReadonlyArray<Tree> => {
  const found = tree?.[name]
  return Array.isArray(found) ? found.filter(isTree).map(bare) : []
}

/** An expression without what types and parentheses add to it. */
const bare = (tree: Tree): Tree => {
  let found = tree
  while (/^(?:TSAsExpression|TSNonNullExpression|TSSatisfiesExpression|ParenthesizedExpression)$/.test(found.type)) {
    if (!isTree(found.expression)) break
    found = found.expression
  }
  return found
}

export const nameOf = (tree: Tree | null): string | null =>
  tree?.type === "Identifier" && typeof tree.name === "string" ? tree.name : null

/** One call of a chain such as `page.locator("a").click()`; a property that is not called has no arguments. */
export interface Link {
  readonly name: string
  readonly given: ReadonlyArray<Tree> | null
  readonly line: number | null
}

export interface Chain {
  /** Where the chain begins: a name, or any other expression. */
  readonly root: Tree
  readonly links: ReadonlyArray<Link>
}

/** The calls in a tree that fit, in their order. Of a chain of calls only the whole is looked at, where that fits. */
export const callsIn = (tree: Tree, fits: (call: Tree) => boolean): ReadonlyArray<Tree> => {
  const open: Array<unknown> = [tree]
  const found: Array<Tree> = []
  while (open.length > 0) {
    const at = open.pop()
    if (Array.isArray(at)) open.push(...at.toReversed())
    else if (isTree(at)) {
      const isFound = /^(?:Optional)?CallExpression$/.test(at.type) && fits(at)
      if (isFound) found.push(at)
      open.push(...(isFound ? treesAt(at, "arguments") : Object.values(at)).toReversed())
    }
  }
  return found
}

/** A chain of calls and properties, read from its end to its beginning. */
export const chainOf = (tree: Tree): Chain => {
  const links: Array<Link> = []
  let at = tree
  for (;;) {
    const call = at.type === "CallExpression" || at.type === "OptionalCallExpression" ? at : null
    const member = call === null ? at : treeAt(call, "callee")
    if (member === null || !/^(?:Optional)?MemberExpression$/.test(member.type))
      return { root: at, links: links.reverse() }
    const name = member.computed === true ? null : nameOf(treeAt(member, "property"))
    const object = treeAt(member, "object")
    if (name === null || object === null) return { root: at, links: links.reverse() }
    links.push({
      name,
      given: call === null ? null : treesAt(call, "arguments"),
      line: lineOf(treeAt(member, "property") ?? at)
    })
    at = object
  }
}

/** The fields of an object literal, without computed ones. */
export const fieldsOf = (tree: Tree | null): ReadonlyMap<string, Tree> => {
  const fields = new Map<string, Tree>()
  if (tree?.type !== "ObjectExpression") return fields
  for (const property of treesAt(tree, "properties")) {
    const key = treeAt(property, "key")
    const name = nameOf(key) ?? (typeof key?.value === "string" ? key.value : null)
    const value = treeAt(property, "value")
    if (name !== null && value !== null && property.computed !== true) fields.set(name, value)
  }
  return fields
}

/** The value of a literal; `undefined` for any other expression. */
export const valueOf = (tree: Tree | null | undefined): string | number | boolean | null | undefined => {
  switch (tree?.type) {
    case "StringLiteral":
    case "NumericLiteral":
    case "BooleanLiteral": {
      const { value } = tree
      return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : undefined
    }
    case "NullLiteral":
      return null
    case "TemplateLiteral": {
      const [first, ...others] = treesAt(tree, "quasis")
      const cooked = Json.objectOf(first?.value).cooked
      return others.length === 0 && typeof cooked === "string" ? cooked : undefined
    }
    case "UnaryExpression": {
      const value = valueOf(treeAt(tree, "argument"))
      return tree.operator === "-" && typeof value === "number" ? -value : undefined
    }
    default:
      return undefined
  }
}

/** A regular expression; `null` for any other expression. */
export const patternOf = (tree: Tree | null | undefined): { readonly source: string; readonly flags: string } | null =>
  tree?.type === "RegExpLiteral" && typeof tree.pattern === "string"
    ? { source: tree.pattern, flags: typeof tree.flags === "string" ? tree.flags : "" }
    : null
