/** Short expressions of JavaScript as expressions of workflows. Nothing is evaluated. */

/** The expression of a name, such as `context.total`; `null` for a name that has none. */
type NameOf = (name: string) => string | null

const token =
  /\s+|\$\{\w+\}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\d+(?:\.\d+)?|[A-Za-z_$][\w$]*|===|!==|==|!=|<=|>=|&&|\|\||[-+*/%<>!().?:[\]]/y

/** Maximum length of a text that is read. */
const mostCharacters = 2_000

class Foreign extends Error {}

/** Translates literals, names, comparisons, arithmetic and `&&`, `||`, `!`; `null` for anything else. */
export const translated = (script: string, nameOf: NameOf): string | null => {
  const tokens = tokensOf(
    script
      .trim()
      .replace(/^return\b/, "")
      .replace(/;\s*$/, "")
  )
  if (tokens === null || tokens.length === 0) return null
  try {
    const reader = new Reader(tokens, nameOf)
    const found = reader.binary(0)
    return reader.isAtEnd() ? found.text : null
  } catch (error) {
    if (error instanceof Foreign) return null
    throw error
  }
}

const tokensOf = (script: string): ReadonlyArray<string> | null => {
  if (script.length > mostCharacters) return null
  const tokens: Array<string> = []
  token.lastIndex = 0
  while (token.lastIndex < script.length) {
    const found = token.exec(script)?.[0]
    if (found === undefined) return null
    if (found.trim() !== "") tokens.push(found)
  }
  return tokens
}

interface Part {
  readonly text: string
  readonly kind: "text" | "number" | "any"
}

const operators: Readonly<Record<string, readonly [level: number, sign: string]>> = {
  "||": [1, "or"],
  "&&": [2, "and"],
  "===": [3, "="],
  "==": [3, "="],
  "!==": [3, "!="],
  "!=": [3, "!="],
  "<": [4, "<"],
  ">": [4, ">"],
  "<=": [4, "<="],
  ">=": [4, ">="],
  "+": [5, "+"],
  "-": [5, "-"],
  "*": [6, "*"],
  "/": [6, "/"],
  "%": [6, "%"]
}

class Reader {
  readonly #tokens: ReadonlyArray<string>
  readonly #nameOf: NameOf
  #at = 0
  #depth = 0

  constructor(tokens: ReadonlyArray<string>, nameOf: NameOf) {
    this.#tokens = tokens
    this.#nameOf = nameOf
  }

  isAtEnd(): boolean {
    return this.#at >= this.#tokens.length
  }

  binary(level: number): Part {
    let left = this.#unary()
    for (;;) {
      const written = this.#tokens[this.#at] ?? ""
      const operator = Object.hasOwn(operators, written) ? operators[written] : undefined
      if (operator === undefined || operator[0] < level) return left
      this.#at++
      left = combined(left, written, operator[1], this.binary(operator[0] + 1))
    }
  }

  #unary(): Part {
    if (++this.#depth > 100) throw new Foreign()
    const sign = this.#tokens[this.#at]
    const found = sign === "!" ? this.#not() : this.#member(this.#primary())
    this.#depth--
    return found
  }

  #not(): Part {
    this.#at++
    return { text: `$not(${this.#unary().text})`, kind: "any" }
  }

  #member(of: Part): Part {
    let found = of
    while (this.#tokens[this.#at] === ".") {
      const name = this.#tokens[this.#at + 1] ?? ""
      if (this.#tokens[this.#at + 2] === "(" || !/^[A-Za-z_]\w*$/.test(name)) throw new Foreign()
      this.#at += 2
      found =
        name === "length"
          ? { text: `(${found.kind === "text" ? "$length" : "$count"}(${found.text}))`, kind: "number" }
          : { text: `${found.text}.${name}`, kind: "any" }
    }
    return found
  }

  #primary(): Part {
    const found = this.#tokens[this.#at++] ?? ""
    if (found === "(") {
      const inner = this.binary(0)
      if (this.#tokens[this.#at++] !== ")") throw new Foreign()
      return { text: `(${inner.text})`, kind: inner.kind }
    }
    if (/^\d/.test(found)) return { text: found, kind: "number" }
    if (found === "-" && /^\d/.test(this.#tokens[this.#at] ?? "")) {
      return { text: `-${this.#tokens[this.#at++]}`, kind: "number" }
    }
    if (/^["']/.test(found)) return { text: JSON.stringify(unescaped(found.slice(1, -1))), kind: "text" }
    if (found === "true" || found === "false" || found === "null") return { text: found, kind: "any" }
    const name = /^\$\{(\w+)\}$/.exec(found)?.[1] ?? (/^[A-Za-z_]\w*$/.test(found) ? found : null)
    const expression = name === null ? null : this.#nameOf(name)
    if (expression === null) throw new Foreign()
    return { text: expression, kind: "any" }
  }
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" }

const unescaped = (text: string): string => text.replace(/\\(.)/g, (_, sign: string) => escapes[sign] ?? sign)

/** Two operands, converted where JavaScript compares a text with a number. */
const combined = (left: Part, written: string, sign: string, right: Part): Part => {
  if (written === "+" && (left.kind === "text" || right.kind === "text")) {
    return { text: `${left.text} & ${right.text}`, kind: "text" }
  }
  if (/^[-*/%<>]/.test(written) || (written === "+" && (left.kind === "number" || right.kind === "number"))) {
    const number = ({ kind, text }: Part) => (kind === "number" ? text : `$number(${text})`)
    const both =
      left.kind === "number" || right.kind === "number" ? [number(left), number(right)] : [left.text, right.text]
    return { text: both.join(` ${sign} `), kind: /^[<>]/.test(written) ? "any" : "number" }
  }
  if (
    (written === "==" || written === "!=") &&
    left.kind !== right.kind &&
    left.text !== "null" &&
    right.text !== "null"
  ) {
    return { text: `$string(${left.text}) ${sign} $string(${right.text})`, kind: "any" }
  }
  return { text: `${left.text} ${sign} ${right.text}`, kind: "any" }
}
