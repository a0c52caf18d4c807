/**
 * A matcher of regular expressions that backtracks as the engine does, and counts its steps. The number is the same on every
 * machine, so that a cost that grows with the square of a text is found without a clock.
 */
import type { Node, Repeat, Tree } from "./RegexTree.ts"

type Instruction =
  | { readonly op: "take"; readonly test: (character: string) => boolean }
  | { readonly op: "assert"; readonly assertion: string }
  | { readonly op: "repeat"; readonly group: number }
  | { readonly op: "save"; readonly register: number }
  | { readonly op: "clear"; readonly from: number; readonly to: number }
  /** Fails where nothing was taken since the place in a register. */
  | { readonly op: "advance"; readonly register: number }
  | { readonly op: "look"; readonly program: Program; readonly isNegative: boolean }
  | Jump
  | Branch

interface Jump {
  readonly op: "jump"
  to: number
}

/** Goes on with the next instruction, and elsewhere where that fails; where it is lazy, the other way around. */
interface Branch {
  readonly op: "branch"
  readonly isLazy: boolean
  to: number
}

interface Program {
  readonly code: ReadonlyArray<Instruction>
  /** What looks behind is read from right to left. */
  readonly direction: 1 | -1
}

/** Where each group begins and ends, then where each loop began its last repetition; -1 for nowhere. */
type Registers = ReadonlyArray<number>

class Compiler {
  readonly #tree: Tree
  readonly #flags: string
  readonly #tests = new Map<string, (character: string) => boolean>()
  registers: number

  constructor(tree: Tree, flags: string) {
    this.#tree = tree
    this.#flags = flags.replace(/[gmy]/g, "")
    this.registers = 2 * tree.groups
  }

  program(body: Node, direction: 1 | -1): Program {
    const code: Array<Instruction> = []
    this.#emit(code, body, direction)
    return { code, direction }
  }

  #emit(code: Array<Instruction>, node: Node, direction: 1 | -1): void {
    switch (node.tag) {
      case "atom":
        code.push({ op: "take", test: this.#testOf(node.source) })
        return
      case "assertion":
        code.push({ op: "assert", assertion: node.source })
        return
      case "reference": {
        const { group } = node
        code.push({ op: "repeat", group: typeof group === "number" ? group : (this.#tree.names.get(group) ?? 0) })
        return
      }
      case "look":
        code.push({ op: "look", program: this.program(node.body, node.isBehind ? -1 : 1), isNegative: node.isNegative })
        return
      case "sequence":
        for (const part of direction === 1 ? node.parts : node.parts.toReversed()) this.#emit(code, part, direction)
        return
      case "group": {
        const first = 2 * node.number + (direction === 1 ? 0 : 1)
        code.push({ op: "save", register: first })
        this.#emit(code, node.body, direction)
        code.push({ op: "save", register: first ^ 1 })
        return
      }
      case "choice": {
        const jumps: Array<Jump> = []
        for (const option of node.options.slice(0, -1)) {
          const other = this.#branch(code, false)
          this.#emit(code, option, direction)
          const jump: Jump = { op: "jump", to: 0 }
          jumps.push(jump)
          code.push(jump)
          other.to = code.length
        }
        for (const last of node.options.slice(-1)) this.#emit(code, last, direction)
        for (const jump of jumps) jump.to = code.length
        return
      }
      case "repeat":
        this.#emitRepeat(code, node, direction)
    }
  }

  #emitRepeat(
    code: Array<Instruction>,
    { body, groups: [from, to], isLazy, max, min }: Repeat,
    direction: 1 | -1
  ): void {
    const one = (): void => {
      if (to > from) code.push({ op: "clear", from: 2 * from, to: 2 * to })
      this.#emit(code, body, direction)
    }
    for (let count = 0; count < min; count++) one()
    if (max !== Number.POSITIVE_INFINITY) {
      const ends: Array<Branch> = []
      for (let count = min; count < max; count++) {
        ends.push(this.#branch(code, isLazy))
        one()
      }
      for (const end of ends) end.to = code.length
      return
    }
    const register = this.registers++
    const begin = code.length
    const end = this.#branch(code, isLazy)
    code.push({ op: "save", register })
    one()
    code.push({ op: "advance", register }, { op: "jump", to: begin })
    end.to = code.length
  }

  #branch(code: Array<Instruction>, isLazy: boolean): Branch {
    const branch: Branch = { op: "branch", isLazy, to: 0 }
    code.push(branch)
    return branch
  }

  /** The engine says which characters an atom takes. */
  #testOf(source: string): (character: string) => boolean {
    const known = this.#tests.get(source)
    if (known !== undefined) return known
    const expression = new RegExp(`^(?:${source})$`, this.#flags)
    const answers = new Map<string, boolean>()
    const test = (character: string): boolean => {
      const answer = answers.get(character) ?? expression.test(character)
      answers.set(character, answer)
      return answer
    }
    this.#tests.set(source, test)
    return test
  }
}

export interface Counted {
  /** The text without what the expression matches; `null` where the steps exceeded their limit. */
  readonly rest: string | null
  readonly steps: number
}

/** Counts the steps of `text.replace(expression, "")`, up to a limit. */
export type Remove = (text: string, mostSteps: number) => Counted

export const remover = (tree: Tree, flags: string): Remove => {
  const compiler = new Compiler(tree, flags)
  const program = compiler.program(tree.root, 1)
  const none: Registers = Array.from({ length: compiler.registers }, () => -1)
  return (text, mostSteps) => {
    const matcher = new Matcher(text, flags, mostSteps)
    let rest = ""
    let copied = 0
    for (let from = 0; from <= text.length; ) {
      const end = matcher.match(program, from, none)?.end
      if (matcher.steps > mostSteps) return { rest: null, steps: matcher.steps }
      if (end !== undefined) {
        rest += text.slice(copied, from)
        copied = end
      }
      const isOver = end === undefined ? flags.includes("y") : !flags.includes("g")
      if (isOver) break
      from = end === undefined || end === from ? from + Math.max(matcher.at(from, 1).length, 1) : end
    }
    return { rest: rest + text.slice(copied), steps: matcher.steps }
  }
}

class Matcher {
  steps = 0
  readonly #text: string
  readonly #mostSteps: number
  readonly #isUnicode: boolean
  readonly #isMultiline: boolean
  readonly #ignoresCase: boolean

  constructor(text: string, flags: string, mostSteps: number) {
    this.#text = text
    this.#mostSteps = mostSteps
    this.#isUnicode = /[uv]/.test(flags)
    this.#isMultiline = flags.includes("m")
    this.#ignoresCase = flags.includes("i")
  }

  /** The character after a place, or before it; empty at an end of the text. */
  at(place: number, direction: 1 | -1): string {
    const text = this.#text
    if (!this.#isUnicode) return text[direction === 1 ? place : place - 1] ?? ""
    if (direction === 1) return place < text.length ? String.fromCodePoint(text.codePointAt(place) ?? 0) : ""
    return [...text.slice(Math.max(place - 2, 0), place)].at(-1) ?? ""
  }

  /** The first match from a place; `null` for none, and where the steps exceeded their limit. */
  match({ code, direction }: Program, from: number, given: Registers) {
    const pending: Array<readonly [at: number, place: number, registers: Registers]> = []
    let [at, place, registers] = [0, from, given]
    for (;;) {
      if (++this.steps > this.#mostSteps) return null
      const one = code[at++]
      if (one === undefined) return { end: place, registers }
      let isMatch = true
      switch (one.op) {
        case "take": {
          const character = this.at(place, direction)
          isMatch = character !== "" && one.test(character)
          place += direction * character.length
          break
        }
        case "assert":
          isMatch = this.#holds(one.assertion, place)
          break
        case "repeat": {
          const wanted = this.#groupOf(registers, one.group)
          isMatch = this.#isThere(wanted, place, direction)
          place += direction * wanted.length
          break
        }
        case "save":
          registers = registers.with(one.register, place)
          break
        case "clear":
          registers = registers.map((value, register) => (register >= one.from && register < one.to ? -1 : value))
          break
        case "advance":
          isMatch = registers[one.register] !== place
          break
        case "look": {
          const seen = this.match(one.program, place, registers)
          if (this.steps > this.#mostSteps) return null
          isMatch = (seen === null) === one.isNegative
          if (seen !== null && isMatch) registers = seen.registers
          break
        }
        case "jump":
          at = one.to
          break
        case "branch":
          pending.push([one.isLazy ? at : one.to, place, registers])
          if (one.isLazy) at = one.to
      }
      if (isMatch) continue
      const before = pending.pop()
      if (before === undefined) return null
      ;[at, place, registers] = before
    }
  }

  #groupOf(registers: Registers, group: number): string {
    const [begin = -1, end = -1] = registers.slice(2 * group, 2 * group + 2)
    return begin < 0 || end < 0 ? "" : this.#text.slice(begin, end)
  }

  #isThere(wanted: string, place: number, direction: 1 | -1): boolean {
    this.steps += wanted.length
    const from = direction === 1 ? place : place - wanted.length
    const found = from < 0 ? "" : this.#text.slice(from, from + wanted.length)
    return this.#ignoresCase ? found.toLowerCase() === wanted.toLowerCase() : found === wanted
  }

  #holds(assertion: string, place: number): boolean {
    if (assertion === "^") return place === 0 || (this.#isMultiline && this.#endsLine(place - 1))
    if (assertion === "$") return place === this.#text.length || (this.#isMultiline && this.#endsLine(place))
    return (this.#isWord(place - 1) !== this.#isWord(place)) === (assertion === "\\b")
  }

  readonly #isWord = (place: number): boolean => /\w/.test(this.#text[place] ?? "")
  readonly #endsLine = (place: number): boolean => /[\n\r\u2028\u2029]/.test(this.#text[place] ?? "")
}
