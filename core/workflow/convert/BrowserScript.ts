/** Scripts of Playwright and Puppeteer, read from their syntax tree: nothing of them is evaluated. */
import { Result } from "effect"
import {
  type Act,
  type Format,
  lost,
  mostSteps,
  type Recording,
  type Step,
  step,
  type Unreadable,
  type Where
} from "./Recording.ts"
import { PageCalls } from "./ScriptCall.ts"
import * as ScriptExpectation from "./ScriptExpectation.ts"
import { Scope } from "./ScriptScope.ts"
import { callsIn, chainOf, isTree, lineOf, nameOf, type Tree, treeAt, treesAt, valueOf } from "./ScriptTree.ts"

/** Whether a text looks like a script that drives a browser. */
export const recognises = (text: string): boolean => /\b(?:playwright|puppeteer)\b|\bpage\d*\s*\.\s*\w+\s*\(/.test(text)

export const formatOf = (text: string): Format => (/\bpuppeteer\b/.test(text) ? "puppeteer" : "playwright")

export const read = (format: Format, program: Tree): Result.Result<Recording, ReadonlyArray<Unreadable>> => {
  const reader = new Reader()
  const body = treesAt(program.type === "File" ? treeAt(program, "program") : program, "body")
  reader.file(body)
  if (reader.steps.length === 0) {
    return Result.fail([
      { path: "", message: "The script has no calls on a page: expected calls such as await page.goto(…)" }
    ])
  }
  const order = reader.order()
  return Result.succeed({
    format,
    name: reader.title ?? "",
    description: null,
    steps: reader.done(order),
    order,
    reads: reader.scope.reads()
  })
}

/** Maximum nesting of blocks. */
const mostLevels = 50

/** The functions of a test runner whose function is done before or after each test. */
const hooks = new Set(["beforeEach", "beforeAll", "before", "afterEach", "afterAll", "after"])

type Range = readonly [first: number, last: number]

class Reader {
  readonly steps: Array<Step> = []
  title: string | null = null
  readonly scope = new Scope()
  readonly #pageCalls = new PageCalls(this.scope)
  readonly #before: Array<Range> = []
  readonly #tests: Array<Range> = []
  readonly #rest: Array<number> = []
  readonly #functions = new Map<string, Range>()
  /** The functions that steps call. */
  readonly #calls = new Map<number, string>()
  /** The steps that a workflow does not do, with the reason. */
  readonly #apart = new Map<number, string>()
  #level = 0
  #isApart = false
  #skips = false

  /** The steps as they are done: those before each test again before each, and those of a function where it is called. */
  order(): ReadonlyArray<number> {
    const range = ([first, last]: Range) => Array.from({ length: last - first }, (_, at) => first + at)
    const before = this.#before.flatMap(range)
    const tests = this.#tests.flatMap((test) => [...before, ...range(test)])
    const order: Array<number> = []
    const open: Array<{ readonly name: string; readonly left: Array<number> }> = []
    const begin = (name: string, steps: ReadonlyArray<number>) => open.push({ name, left: steps.toReversed() })
    begin("", [...(tests.length === 0 ? before : []), ...this.#rest, ...tests])
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const index = top.left.pop()
      if (index === undefined) open.pop()
      // More are refused as too many.
      else if (order.push(index) > mostSteps) return order
      else {
        const name = this.#calls.get(index)
        const body = name === undefined ? undefined : this.#functions.get(name)
        if (name !== undefined && body !== undefined && !open.some((frame) => frame.name === name))
          begin(name, range(body))
      }
    }
    return order
  }

  /** The steps, with those named that nothing does. */
  done(order: ReadonlyArray<number>): ReadonlyArray<Step> {
    const reached = new Set(order)
    return this.steps.map((one, index) => {
      const called = this.#calls.get(index)
      if (called !== undefined && !this.#functions.has(called)) {
        return lost(one, "The function is not in the script: add its steps, if it does something on the page")
      }
      if (reached.has(index) || one.lost !== null) return one
      return lost(one, `${this.#apart.get(index) ?? "Nothing in the script calls it"}: add it where it is needed`)
    })
  }

  file(statements: ReadonlyArray<Tree>): void {
    for (const one of statements) this.#statement(one)
  }

  #push(one: Step): void {
    if (this.steps.length > mostSteps) return
    if (!this.#isApart) this.#rest.push(this.steps.length)
    this.steps.push(one)
  }

  #where(tree: Tree, kind: string): Where {
    return { step: String(this.steps.length + 1), line: lineOf(tree), kind: kind.slice(0, 80) }
  }

  #block(tree: Tree | null): void {
    if (tree === null) return
    if (++this.#level > mostLevels) {
      this.#push(lost(this.#where(tree, "block"), `It is in more than ${mostLevels} blocks: add its steps by hand`))
    } else if (tree.type === "BlockStatement") for (const one of treesAt(tree, "body")) this.#statement(one)
    else this.#statement(tree)
    this.#level--
  }

  #statement(tree: Tree): void {
    switch (tree.type) {
      case "ExpressionStatement": {
        const expression = treeAt(tree, "expression")
        if (expression !== null) this.#expression(expression)
        break
      }
      case "VariableDeclaration":
        for (const one of treesAt(tree, "declarations")) this.#declaration(one)
        break
      case "BlockStatement":
        this.#block(tree)
        break
      case "IfStatement":
        this.#if(tree)
        break
      case "ForStatement":
      case "ForOfStatement":
      case "ForInStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        this.#loop(tree)
        break
      case "TryStatement":
        this.#push(
          lost(
            this.#where(tree, "try"),
            "Its steps are done without it, and its catch is left out: use run_if or the recoveries of the workflow"
          )
        )
        this.#block(treeAt(tree, "block"))
        this.#block(treeAt(tree, "finalizer"))
        break
      case "FunctionDeclaration":
        this.#function(nameOf(treeAt(tree, "id")) ?? "", treeAt(tree, "body"))
        break
      case "ExportNamedDeclaration":
      case "ExportDefaultDeclaration": {
        const declared = treeAt(tree, "declaration")
        if (declared !== null) this.#statement(declared)
        break
      }
      case "ReturnStatement": {
        const argument = treeAt(tree, "argument")
        if (argument !== null && this.#level > 0) this.#expression(argument)
        break
      }
      case "ThrowStatement":
      case "SwitchStatement":
      case "LabeledStatement":
      case "ClassDeclaration":
        this.#push(
          lost(
            this.#where(tree, tree.type.replace("Statement", "").toLowerCase()),
            "Its meaning is not read: add its steps by hand"
          )
        )
        break
      default:
    }
  }

  /** A function of the script: its steps are done where it is called. */
  #function(name: string, body: Tree | null): void {
    const first = this.steps.length
    const outer = this.#isApart
    this.#isApart = true
    this.#block(body)
    this.#isApart = outer
    this.#functions.set(name, [first, this.steps.length])
  }

  #if(tree: Tree): void {
    const test = treeAt(tree, "test")
    const condition = test === null ? null : this.scope.conditionOf(test)
    const where = this.#where(tree, "if")
    const otherwise = treeAt(tree, "alternate")
    if (condition === null) {
      this.#push(lost(where, "Its condition is a script: add a BOOL_CONDITION that asks the page", [{ _tag: "Skip" }]))
    } else this.#push(step(where, [{ _tag: "If", condition }]))
    this.#block(treeAt(tree, "consequent"))
    if (otherwise !== null) {
      this.#end({ _tag: "Else" })
      this.#block(otherwise)
    }
    this.#end({ _tag: "End" })
  }

  #loop(tree: Tree): void {
    const over = this.scope.turnsOf(tree)
    const where = this.#where(tree, /^For/.test(tree.type) ? "for" : "while")
    if (over === null) {
      this.#push(lost(where, "Its turns are a script: add a LOOP over a list or a number", [{ _tag: "Skip" }]))
    } else {
      this.#push(step(where, [{ _tag: "Each", over: over.over, item: over.item, index: over.index }]))
    }
    this.#block(treeAt(tree, "body"))
    this.#end({ _tag: "End" })
    if (over !== null) this.scope.leave(over.name)
  }

  /** Ends a block, as a part of the last step in it. */
  #end(act: Act): void {
    const last = this.steps.at(-1)
    if (last !== undefined) this.steps[this.steps.length - 1] = { ...last, acts: [...last.acts, act] }
  }

  #declaration(tree: Tree): void {
    const value = treeAt(tree, "init")
    const target = treeAt(tree, "id")
    if (value === null || target === null) return
    const awaited = value.type === "AwaitExpression" ? treeAt(value, "argument") : null
    const name = nameOf(target)
    if (/Function|ArrowFunction/.test(value.type)) {
      this.#function(name ?? "", treeAt(value, "body"))
      return
    }
    if (awaited === null) {
      if (name !== null) this.scope.keep(name, value)
      const chain = chainOf(value)
      if (this.scope.eventOf(chain) !== null || this.scope.textOf(value) !== null) return
      if (this.#isOfPage(value)) this.#call(value, null)
      else this.#unread(value)
      return
    }
    const all = this.#together(awaited)
    if (all !== null) {
      this.#all(all, target)
      return
    }
    this.#call(awaited, name)
  }

  /** The calls in `Promise.all([…])`. */
  #together(tree: Tree): ReadonlyArray<Tree> | null {
    const { links, root } = chainOf(tree)
    const [only, more] = links
    if (nameOf(root) !== "Promise" || only?.name !== "all" || more !== undefined) return null
    const [list] = only.given ?? []
    return list === undefined ? null : treesAt(list, "elements")
  }

  /** Calls that are done together: what they wait for counts after the others. */
  #all(calls: ReadonlyArray<Tree>, target: Tree | null): void {
    const names = treesAt(target, "elements")
    const isWait = (at: number) => {
      const call = calls[at]
      return call !== undefined && /^waitFor/.test(chainOf(call).links.at(-1)?.name ?? "")
    }
    const sorted = [...calls.keys()].toSorted((one, other) => Number(isWait(one)) - Number(isWait(other)))
    for (const at of sorted) {
      const call = calls[at]
      if (call !== undefined) this.#call(call, nameOf(names[at] ?? null))
    }
  }

  #expression(given: Tree): void {
    const tree = given.type === "AwaitExpression" ? (treeAt(given, "argument") ?? given) : given
    const all = this.#together(tree)
    if (all !== null) {
      this.#all(all, null)
      return
    }
    if (tree.type === "AssignmentExpression") {
      const [left, right] = [treeAt(tree, "left"), treeAt(tree, "right")]
      if (right === null) return
      const awaited = right.type === "AwaitExpression" ? treeAt(right, "argument") : null
      const name = nameOf(left)
      if (awaited !== null) this.#call(awaited, name)
      else if (name !== null) this.scope.keep(name, right)
      return
    }
    const body = functionIn(tree)
    if (body !== null && this.#testOf(tree, body)) return
    if (tree.type === "CallExpression" || tree.type === "OptionalCallExpression") this.#call(tree, null)
    else this.#unread(tree)
  }

  /** Whether a tree is a call that does or expects something of a page. */
  #isOfPage(tree: Tree): boolean {
    const chain = chainOf(tree)
    return ScriptExpectation.isExpectation(chain) || (this.scope.located(chain)?.rest.length ?? 0) > 0
  }

  /** Names the calls on pages in an expression that is not translated. */
  #unread(tree: Tree): void {
    for (const call of callsIn(tree, (one) => this.#isOfPage(one))) {
      const reason = "It is a part of an expression of the script: add an action that does the same"
      this.#push(lost(this.#where(call, kindOf(call)), reason))
    }
  }

  /** The function of a test runner, or one that is called at once. Returns whether it was one. */
  #testOf(tree: Tree, body: Tree): boolean {
    const { links, root } = chainOf(tree)
    const called = nameOf(root.type === "CallExpression" ? treeAt(root, "callee") : root)
    const kind = links.at(-1)?.name ?? called ?? ""
    const isRunner = /^(?:[xf]?(?:test|it|describe)|suite|before|after|beforeEach|afterEach|beforeAll|afterAll)$/.test(
      called ?? ""
    )
    if (called !== null && !isRunner) return false
    if (called === null && root.type !== "CallExpression") return false
    const names = [called ?? "", ...links.map(({ name }) => name)]
    const outerSkips = this.#skips
    this.#skips ||= names.some((name) => /^(?:skip|fixme|todo|x(?:test|it|describe))$/.test(name))
    if (called === null || names.some((name) => /^(?:step|[xf]?describe|suite)$/.test(name))) this.#block(body)
    else this.#test(kind, body, titleOf(tree))
    this.#skips = outerSkips
    return true
  }

  /** A test, or what is done before or after each. */
  #test(kind: string, body: Tree, title: string | null): void {
    const first = this.steps.length
    const outer = this.#isApart
    this.#isApart = true
    this.#block(body)
    this.#isApart = outer
    if (outer) return
    const range = [first, this.steps.length] as const
    if (this.#skips || (hooks.has(kind) && kind.startsWith("after"))) {
      const reason = this.#skips ? "The script skips its test" : "The script does it after its tests"
      for (let index = first; index < range[1]; index++) this.#apart.set(index, reason)
    } else if (hooks.has(kind)) this.#before.push(range)
    else {
      this.#tests.push(range)
      this.title ??= title
    }
  }

  #call(tree: Tree, name: string | null): void {
    const chain = chainOf(tree)
    const kind = kindOf(tree)
    const called = chain.links.length === 0 ? nameOf(treeAt(tree, "callee")) : null
    if (called !== null && !/^(?:test|it|describe|expect|require|import|setTimeout)$/.test(called)) {
      this.#calls.set(this.steps.length, called)
      this.#push(step(this.#where(tree, kind), [], ["The steps of the function take its place"]))
      return
    }
    const done = this.#pageCalls.call(tree, name, this.#where(tree, kind))
    const last = chain.links.at(-1)
    const isFollowed = /^(?:then|catch|finally)$/.test(last?.name ?? "")
    if (done !== null) {
      this.#push(isFollowed && done.lost === null ? { ...done, changes: [...done.changes, followed] } : done)
    }
    for (const one of isFollowed ? (last?.given ?? []) : []) this.#unread(one)
  }
}

const followed = "What the script does after it, or where it fails, is left out"

/** What a script calls a step: the names of its chain. */
const kindOf = (tree: Tree): string => {
  const { links, root } = chainOf(tree)
  const names = [nameOf(root) ?? nameOf(treeAt(root, "callee")) ?? "", ...links.map(({ name }) => name)]
  return names.filter((name) => name !== "").join(".")
}

const titleOf = (tree: Tree): string | null => {
  const [first] = treesAt(tree, "arguments")
  const value = valueOf(first ?? null)
  return typeof value === "string" ? value : null
}

/** The body of the function that a call is given, or that is called. */
const functionIn = (tree: Tree): Tree | null => {
  if (tree.type !== "CallExpression") return null
  const callee = treeAt(tree, "callee")
  const given = [...treesAt(tree, "arguments")].reverse()
  const found = [callee, ...given].find(
    (one) => one !== null && /^(?:ArrowFunction|Function)Expression$/.test(one.type)
  )
  const body = found === undefined ? null : treeAt(found, "body")
  return body !== null && isTree(body) ? body : null
}
