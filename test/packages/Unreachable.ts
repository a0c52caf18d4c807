/**
 * The names that declarations of entries speak of, and that no entry exports: a program that installs the packages could
 * neither write nor make such a value.
 */
import { relative } from "node:path"
import ts from "typescript-5"

const isNamed = (node: ts.Declaration): boolean =>
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isVariableDeclaration(node) ||
  ts.isFunctionDeclaration(node)

/**
 * The names of declarations in `folder` that the declarations of `entries` speak of, and that none of them exports, itself
 * or in a namespace; each with the entry that speaks of it. Paths are absolute.
 */
export const unreachable = (folder: string, entries: ReadonlyArray<string>): ReadonlyArray<string> => {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: [],
    noLib: true
  }
  const host = ts.createCompilerHost(options)
  const isOwn = (path: string) => path.startsWith(`${folder}/`) && !/\/node_modules\/(?!@sluice\/)/.test(path)
  // What other packages declare is theirs to export.
  const program = ts.createProgram([...entries], options, {
    ...host,
    fileExists: (path) => isOwn(path) && host.fileExists(path)
  })
  const checker = program.getTypeChecker()
  const meant = (symbol: ts.Symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
  const sources = entries.map((entry) => {
    const source = program.getSourceFile(entry)
    if (source === undefined) throw new Error(`There is no declaration ${entry}`)
    return source
  })
  const exportsOf = (symbol: ts.Symbol | undefined) =>
    symbol === undefined ? [] : checker.getExportsOfModule(symbol).map(meant)

  const offered = new Set<ts.Symbol>()
  for (const source of sources) {
    for (const one of exportsOf(checker.getSymbolAtLocation(source))) {
      offered.add(one)
      if (one.flags & ts.SymbolFlags.Module) for (const inner of exportsOf(one)) offered.add(inner)
    }
  }
  const spokenOf = (symbol: ts.Symbol): ReadonlyArray<ts.SourceFile> =>
    symbol.flags & ts.SymbolFlags.Module ? (symbol.declarations ?? []).filter(ts.isSourceFile) : []
  const all = new Set([
    ...sources,
    ...sources.flatMap((source) => exportsOf(checker.getSymbolAtLocation(source)).flatMap(spokenOf))
  ])

  const found = new Set<string>()
  for (const source of all) {
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
      const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined
      const real = symbol === undefined ? undefined : meant(symbol)
      const [declared] = real?.declarations ?? []
      const place = declared?.getSourceFile()
      if (real !== undefined && declared !== undefined && place !== undefined && place !== source) {
        if (isNamed(declared) && isOwn(place.fileName) && !offered.has(real)) {
          found.add(`${relative(folder, source.fileName)}: ${real.name} of ${relative(folder, place.fileName)}`)
        }
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return [...found].toSorted()
}
