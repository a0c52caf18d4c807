/**
 * The page of the entries of the libraries: what the docstrings say, beside the names and types that they are about.
 */
import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import ts from "typescript-5"
import { packages } from "../../apps/bootstrap/packages.js"
import { root } from "../support/Source.ts"

/** The entries whose every name is described. Of the others the first sentence says what they are. */
const whole = [
  "@sluice/core/window",
  "@sluice/core/window/text",
  "@sluice/core/window/icalendar",
  "@sluice/core/window/temporal",
  "@sluice/window",
  "@sluice/core/gate",
  "@sluice/core/gates",
  "@sluice/core/runs",
  "@sluice/core/run/executor",
  "@sluice/core/scheduler",
  "@sluice/core/worker",
  "@sluice/core/workflows",
  "@sluice/core/memory",
  "@sluice/core/signals",
  "@sluice/testing",
  "@sluice/testing/clock",
  "@sluice/testing/contract",
  "@sluice/testing/reference",
  "@sluice/testing/weeks",
  "@sluice/client",
  "@sluice/client/promise",
  "@sluice/conformance"
]

/** The longest type that is shown, in characters. */
const longest = 900

/** An entry of a package, and its file. */
interface Entry {
  readonly name: string
  readonly file: string
}

const entries: ReadonlyArray<Entry> = packages.flatMap((one) =>
  Object.entries(one.entries).map(([subpath, file]) => ({ name: posix.join(one.name, subpath), file }))
)

/** The text of a docstring. */
const proseOf = (comment: string): string =>
  comment
    .replace(/^\/\*\*|\*\/$/g, "")
    .replace(/^[ \t]*\* ?/gm, "")
    .replace(/\{@link (\S+)\}/g, "`$1`")
    .trim()

/** The docstring of a node; empty where it has none. */
const docOf = (text: string, node: ts.Node): string => {
  const comment = ts
    .getLeadingCommentRanges(text, node.getFullStart())
    ?.findLast(({ end, pos }) => text.slice(pos, end).startsWith("/**"))
  return comment === undefined ? "" : proseOf(text.slice(comment.pos, comment.end))
}

/** The docstring of a file, which stands before its imports. */
const docOfFile = (text: string): string => proseOf(/^\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? "")

/** Code on as few lines as its author wrote it, without comments and without the indent that it had. */
const codeOf = (text: string): string => {
  const lines = text
    .replace(/^[ \t]*\/\*\*[\s\S]*?\*\/\n?/gm, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
  const indents = lines.slice(1).map((line) => line.length - line.trimStart().length)
  const indent = Math.min(...indents, 100)
  return lines.map((line, index) => (index === 0 ? line.trim() : line.slice(indent))).join("\n")
}

/** The parameters and the answer of a function, as far as they are written. */
const callOf = (source: ts.SourceFile, made: ts.SignatureDeclaration): string => {
  const parameters = made.parameters.map((parameter) => {
    const written = parameter.type === undefined ? parameter.name : parameter
    return codeOf(written.getText(source))
  })
  const typed =
    made.typeParameters === undefined ? "" : `<${made.typeParameters.map((one) => one.getText(source)).join(", ")}>`
  const answer = made.type === undefined ? "" : ` => ${codeOf(made.type.getText(source))}`
  return `${typed}(${parameters.join(", ")})${answer}`
}

/** The first function within a call, such as that of `Effect.fn("name")(function* (…) { … })`. */
const functionIn = (node: ts.Expression): ts.SignatureDeclaration | null => {
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return node
  if (!ts.isCallExpression(node)) return null
  return node.arguments.map(functionIn).find((found) => found !== null) ?? null
}

/** What the type of a service lists, where a class is one. */
const membersOf = (node: ts.ClassDeclaration): ReadonlyArray<ts.TypeElement> => {
  const [heritage] = node.heritageClauses?.flatMap(({ types }) => types) ?? []
  let found: ReadonlyArray<ts.TypeElement> = []
  const look = (one: ts.Node): void => {
    if (found.length > 0) return
    if (ts.isTypeLiteralNode(one)) found = [...one.members]
    else ts.forEachChild(one, look)
  }
  if (heritage !== undefined) look(heritage)
  return found
}

/** Where a name such as `Definition.RunWindow` is declared: entries repeat names of the files beside them. */
const declared = (source: ts.SourceFile, written: string): readonly [ts.SourceFile, ts.Statement] | null => {
  const [space = "", name = "", ...others] = written.split(".")
  if (name === "" || others.length > 0) return null
  const imported = source.statements
    .filter(ts.isImportDeclaration)
    .find(({ importClause }) => importClause?.namedBindings?.getText(source) === `* as ${space}`)
  if (imported === undefined || !ts.isStringLiteral(imported.moduleSpecifier)) return null
  const module = imported.moduleSpecifier.text
  if (!module.startsWith(".")) return null
  const other = parsed(posix.join(posix.dirname(source.fileName), module))
  // The type of a schema follows from the schema, which says more.
  const found = other.statements.filter((node) => namesOf(node).includes(name))
  const [first] = [...found.filter(ts.isVariableStatement), ...found]
  return first === undefined ? null : [other, first]
}

const namesOf = (node: ts.Statement): ReadonlyArray<string> => {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name.getText())
  const isNamed = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)
  return isNamed && node.name !== undefined ? [node.name.text] : []
}

/** What a declaration is made of, without what is said of the whole. */
const shapeOf = (source: ts.SourceFile, node: ts.Statement): string => {
  if (ts.isInterfaceDeclaration(node)) return members(source, node.members)
  if (ts.isClassDeclaration(node)) return shown(codeOf(node.heritageClauses?.[0]?.types[0]?.getText(source) ?? ""))
  if (ts.isTypeAliasDeclaration(node)) return shown(codeOf(node.type.getText(source)))
  if (!ts.isVariableStatement(node)) return ""
  const [{ initializer } = {}] = node.declarationList.declarations
  return initializer === undefined ? "" : shown(codeOf(initializer.getText(source)))
}

const parsed = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true)

/** A type as an indented block: it is no program that runs. */
const shown = (code: string): string => (code.length > longest ? "" : code.replace(/^(?=.)/gm, "    "))

const paragraphs = (...parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join("\n\n")

/** One exported name: its heading, its type and its docstring, and those of its operations. */
const describe = (source: ts.SourceFile, node: ts.Statement): ReadonlyArray<string> => {
  const isExported =
    ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  if (!isExported) return []
  const doc = docOf(source.text, node)
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.map(({ initializer, name, type }) => {
      const made = initializer === undefined ? null : functionIn(initializer)
      const own = name.getText(source)
      const typed = type === undefined ? "" : `${own}: ${codeOf(type.getText(source))}`
      const other = initializer === undefined ? null : declared(source, initializer.getText(source))
      const shape = other === null ? shown(typed) : shapeOf(...other)
      return paragraphs(`### ${own}`, made === null ? shape : shown(`${own}${callOf(source, made)}`), doc)
    })
  }
  if (ts.isInterfaceDeclaration(node)) {
    return [paragraphs(`### ${node.name.text}`, doc, members(source, node.members))]
  }
  // A type that has the name of a schema is described there.
  if (ts.isTypeAliasDeclaration(node)) {
    if (doc === "") return []
    const other = declared(source, node.type.getText(source))
    const shape = other === null ? shown(codeOf(node.getText(source).replace(/^export /, ""))) : shapeOf(...other)
    return [paragraphs(`### ${node.name.text}`, shape, doc)]
  }
  if (ts.isClassDeclaration(node)) {
    return [paragraphs(`### ${node.name?.text}`, doc, members(source, membersOf(node)))]
  }
  return []
}

/** The members of a type, each with its docstring. */
const members = (source: ts.SourceFile, all: ReadonlyArray<ts.TypeElement>): string =>
  all
    .map((member) => {
      const code = codeOf(member.getText(source).replace(/^readonly /, ""))
      return paragraphs(shown(code) || `\`${member.name?.getText(source)}\``, docOf(source.text, member))
    })
    .join("\n\n")

/** The first sentence of a docstring. */
const firstSentence = (doc: string): string => {
  const [paragraph = ""] = doc.split("\n\n")
  return (
    /^[\s\S]*?[.:](?=\s|$)/.exec(paragraph)?.[0].replaceAll("\n", " ").replace(/:$/, ".") ??
    paragraph.replaceAll("\n", " ")
  )
}

const textOf = ({ file }: Entry): string => readFileSync(join(root, file), "utf8")

/** One entry with every name that it exports. */
const chapter = (entry: Entry): string => {
  const source = parsed(entry.file)
  const names = source.statements.flatMap((node) => describe(source, node))
  return paragraphs(`## ${entry.name}`, docOfFile(source.text), ...names)
}

/** The page. */
export const written = (): string => {
  const described = whole.map((name) => {
    const entry = entries.find((one) => one.name === name)
    if (entry === undefined) throw new Error(`There is no entry ${name}`)
    return chapter(entry)
  })
  const others = entries
    .filter(({ name }) => !whole.includes(name))
    .map((entry) => `| \`${entry.name}\` | ${firstSentence(docOfFile(textOf(entry))).replaceAll("|", "\\|")} |`)
  return `${paragraphs(
    "# The entries of the libraries",
    "This page is made of the docstrings of the code: `node test/docs/writeApi.ts` writes it again. Instants are epoch\nmilliseconds unless a name says otherwise. [Sluice in your own program](embedding.md) has programs that use them.",
    ...described,
    "## Further entries",
    ["| entry | what |", "|---|---|", ...others].join("\n")
  )}\n`
}
