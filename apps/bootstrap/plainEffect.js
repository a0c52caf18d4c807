// @ts-check
/**
 * What run windows use of Effect, for the bundle that goes without it: `Option`, `Result`, and schemas as far as a window
 * needs them. A test compares the answers of the bundle with those of the core for all cases of the oracle.
 */

/**
 * @typedef {{ readonly _tag: string, readonly indexSignatures: ReadonlyArray<never>, readonly annotations: Readonly<Record<string, unknown>>, readonly isOptional: boolean,
 *   readonly propertySignatures: ReadonlyArray<{ readonly name: string, readonly type: Ast }>, readonly elements: ReadonlyArray<Ast>,
 *   readonly rest: ReadonlyArray<Ast> }} Ast
 * @typedef {{ readonly ast: Ast, readonly decode: (value: any) => any }} Made
 */

/** What a value that does not fit is decoded to. */
const wrong = Symbol("wrong")

/** @type {Ast} */
const plain = {
  _tag: "Value",
  annotations: {},
  isOptional: false,
  propertySignatures: [],
  indexSignatures: [],
  elements: [],
  rest: []
}

/**
 * @param {Partial<Ast>} ast
 * @param {(value: any) => any} decode
 * @param {object} more
 * @returns {any}
 */
const make = (ast, decode, more = {}) => {
  const whole = { ...plain, ...ast }
  return {
    ...more,
    ast: whole,
    decode,
    annotate: (/** @type {object} */ annotations) =>
      make({ ...whole, annotations: { ...whole.annotations, ...annotations } }, decode, more),
    check: (/** @type {(value: any) => boolean} */ holds) =>
      make(
        whole,
        (value) => {
          const decoded = decode(value)
          return decoded === wrong || !holds(decoded) ? wrong : decoded
        },
        more
      )
  }
}

/** @param {(value: any) => boolean} fits */
const like = (fits) => make({}, (value) => (fits(value) ? value : wrong))

/** @param {Readonly<Record<string, Made>>} fields */
const struct = (fields) =>
  make(
    {
      _tag: "Objects",
      propertySignatures: Object.entries(fields).map(([name, { ast }]) => ({ name, type: ast }))
    },
    (value) => {
      if (typeof value !== "object" || value === null) return wrong
      /** @type {Record<string, unknown>} */
      const decoded = {}
      for (const [name, { ast, decode }] of Object.entries(fields)) {
        if (!Object.hasOwn(value, name) && ast.isOptional) continue
        const one = decode(value[name])
        if (one === wrong) return wrong
        decoded[name] = one
      }
      return decoded
    },
    { fields }
  )

export const Schema = {
  Json: { ast: {} },
  String: like((value) => typeof value === "string"),
  Boolean: like((value) => typeof value === "boolean"),
  Int: like(Number.isSafeInteger),
  Literals: (/** @type {ReadonlyArray<unknown>} */ literals) =>
    make({}, (value) => (literals.includes(value) ? value : wrong), { literals }),
  Array: (/** @type {Made} */ { ast }) => make({ _tag: "Arrays", rest: [ast] }, (value) => value),
  Struct: struct,
  optionalKey: (/** @type {Made} */ { ast, decode }) => make({ ...ast, isOptional: true }, decode),
  isBetween:
    (/** @type {{ minimum: number, maximum: number }} */ { maximum, minimum }) =>
    (/** @type {number} */ value) =>
      value >= minimum && value <= maximum,
  makeFilter: (/** @type {(value: any) => boolean} */ holds) => holds,
  TaggedError: () => (/** @type {string} */ tag) =>
    class extends Error {
      _tag = tag
      constructor(/** @type {object} */ fields) {
        super()
        Object.assign(this, fields)
      }
    },
  decodeUnknownOption:
    (/** @type {Made} */ { decode }) =>
    (/** @type {unknown} */ value) => {
      const decoded = decode(value)
      return decoded === wrong ? { _tag: "None" } : { _tag: "Some", value: decoded }
    }
}

const tagged = (/** @type {string} */ tag) => (/** @type {{ _tag: string }} */ value) => value._tag === tag
const never = () => false

export const SchemaAST = {
  isArrays: tagged("Arrays"),
  isObjects: tagged("Objects"),
  isUnion: never,
  isSuspend: never,
  isDeclaration: never,
  isAny: never,
  isUnknown: never,
  isOptional: (/** @type {Ast} */ ast) => ast.isOptional,
  resolve: (/** @type {Ast} */ ast) => ast.annotations
}

export const Option = { isSome: tagged("Some") }

export const Result = {
  succeed: (/** @type {unknown} */ success) => ({ _tag: "Success", success }),
  fail: (/** @type {unknown} */ failure) => ({ _tag: "Failure", failure }),
  isFailure: tagged("Failure"),
  getOrNull: (/** @type {any} */ result) => (result._tag === "Success" ? result.success : null),
  getOrThrow: (/** @type {any} */ result) => {
    if (result._tag === "Failure") throw new Error(String(result.failure))
    return result.success
  }
}
