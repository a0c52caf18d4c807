/**
 * Tables whose columns are described once. The type of a row, the lists of columns in statements, and how values are
 * written and read all follow from the description; `test/contract/tables.test.ts` compares it with the migrated schema.
 */
import { Result, Schema, SchemaIssue, SchemaParser } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/** A value of a statement, and of the JSON of `json_to_recordset`. */
export type SqlValue = string | number | boolean | Date | Uint8Array | ReadonlyArray<string> | null

/** How values of one type are stored. `Stored` is the type that the database client returns. */
export interface Type<A, Stored> {
  /** As in `create table`. */
  readonly sqlType: string
  readonly isNullable: boolean
  readonly encode: (value: A) => SqlValue
  /** Throws `Unreadable` for a value that `encode` did not write. */
  readonly decode: (stored: Stored) => A
}

/** A column, and the value of a source that it stores. */
export interface Column<Source, A, Stored> {
  readonly sqlType: string
  readonly isNullable: boolean
  readonly write: (source: Source) => SqlValue
  readonly read: (stored: Stored) => A
}

type Columns = Readonly<Record<string, Column<never, unknown, never>>>

/** The value that rows of these columns are written from. */
type Source<C extends Columns> = { [K in keyof C]: (of: Parameters<C[K]["write"]>[0]) => void }[keyof C] extends (
  of: infer All
) => void
  ? All
  : never

/** A row as a statement answers it. */
export type Row<C extends Columns> = { readonly [K in keyof C]: Parameters<C[K]["read"]>[0] }

/** The values of a row. */
type Values<C extends Columns> = { readonly [K in keyof C]: ReturnType<C[K]["read"]> }

/** The facts of a table for statements. */
export interface TableFacts {
  readonly name: string
  readonly columns: Readonly<Record<string, { readonly sqlType: string; readonly isNullable: boolean }>>
  /** The columns that name a row, in statements and messages. */
  readonly key: ReadonlyArray<string>
}

export interface Table<C extends Columns> extends TableFacts {
  readonly columns: C
  /** The values of all columns, for `sql.insert`, `sql.update` and `recordset`. */
  readonly encode: (source: Source<C>) => { readonly [K in keyof C]: SqlValue }
  /** The values of a row. A value that was not written by `encode` is a defect that names table, column and row. */
  readonly decode: (row: Row<C>) => Values<C>
}

/** Describes the columns of a source: `const column = Table.of<Run>()`. */
export const of =
  <S>() =>
  <A, Stored>(type: Type<A, Stored>, value: (source: S) => A): Column<S, A, Stored> => ({
    sqlType: type.sqlType,
    isNullable: type.isNullable,
    write: (source) => type.encode(value(source)),
    read: type.decode
  })

/** A table of these columns, or those columns of a table that a statement reads or writes. */
export const make = <C extends Columns>(name: string, columns: C, key: ReadonlyArray<string>): Table<C> => {
  // A loop over columns of different types cannot be typed column by column. Each cast below states what the types of
  // `C` already say: a column writes from its own source, reads its own stored value, and every column has a value.
  const entries = Object.entries<Column<never, unknown, never>>(columns)
  return {
    name,
    columns,
    key,
    encode: (source) => {
      const written: Record<string, SqlValue> = {}
      for (const [column, { write }] of entries) written[column] = write(source as never)
      return written as { [K in keyof C]: SqlValue }
    },
    decode: (row) => {
      const values: Record<string, unknown> = {}
      let at = ""
      try {
        for (const [column, { read }] of entries) {
          at = column
          values[column] = read(row[column] as never)
        }
      } catch (cause) {
        throw damaged({ name, key }, row, at, cause)
      }
      return values as Values<C>
    }
  }
}

/** Reads a column. Where `read` throws, the defect names table, column and row. */
export const placed = <A>(
  table: Pick<TableFacts, "key" | "name">,
  row: Readonly<Record<string, unknown>>,
  column: string,
  read: () => A
): A => {
  try {
    return read()
  } catch (cause) {
    throw damaged(table, row, column, cause)
  }
}

/** Names the place of a value, and never the value: it may be of a user. */
const damaged = (
  { key, name }: Pick<TableFacts, "key" | "name">,
  row: Readonly<Record<string, unknown>>,
  column: string,
  cause: unknown
): Error => {
  const id = key.map((one) => String(row[one])).join(", ")
  const reason = cause instanceof Unreadable ? cause.message : "it is not of its type"
  return new Error(`Cannot read column ${column} of table ${name} in row ${id}: ${reason}`)
}

/** Why a stored value cannot be read, in words without the value. */
class Unreadable extends Error {}

/** The names of the columns in their order, of a table or of what `from` names. */
export const names = (sql: SqlClient.SqlClient, { columns }: TableFacts, from?: string): Statement.Fragment =>
  sql.literal(
    Object.keys(columns)
      .map((column) => (from === undefined ? column : `${from}.${column}`))
      .join(", ")
  )

/** Assigns to each column but the key the one of the same name of `from`, as after `update … set`. */
export const assignments = (sql: SqlClient.SqlClient, { columns, key }: TableFacts, from: string): Statement.Fragment =>
  sql.literal(
    Object.keys(columns)
      .filter((column) => !key.includes(column))
      .map((column) => `${column} = ${from}.${column}`)
      .join(", ")
  )

/** Encoded rows as a table expression, with columns of the caller's beside those of the table. */
export const recordset = (
  sql: SqlClient.SqlClient,
  { columns }: TableFacts,
  alias: string,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
  more: Readonly<Record<string, string>> = {}
): Statement.Fragment => {
  const { columns: read, template } = recordOf(columns, alias, more)
  return sql(template, ...read.map((column) => arrayOf(rows, column)))
}

/** The text of a table expression around its values, and the columns of the values. */
interface RecordText {
  readonly columns: ReadonlyArray<string>
  readonly template: TemplateStringsArray
}

/** By the columns of a table, and then by its alias and the names of further columns: a claim alone reads three. */
const recordTexts = new WeakMap<TableFacts["columns"], Map<string, RecordText>>()

const recordOf = (
  columns: TableFacts["columns"],
  alias: string,
  more: Readonly<Record<string, string>>
): RecordText => {
  const ofColumns = recordTexts.get(columns) ?? new Map<string, RecordText>()
  recordTexts.set(columns, ofColumns)
  const types = Object.entries(more)
  const key = [alias, ...types.flat()].join()
  const known = ofColumns.get(key)
  if (known !== undefined) return known
  const made = recordText(
    [...Object.entries(columns).map(([column, { sqlType }]) => [column, sqlType] as const), ...types],
    alias
  )
  ofColumns.set(key, made)
  return made
}

const recordText = (types: ReadonlyArray<readonly [column: string, type: string]>, alias: string): RecordText => {
  // An array for each column: the server reads it faster than JSON. Arrays of arrays are flattened, so those are texts.
  const isArray = (type: string) => type.endsWith("[]")
  const list = types.map(([column]) => column).join(", ")
  const read = types.map(([column, type]) => (isArray(type) ? `${column}::${type}` : column)).join(", ")
  const casts = types.map(([, type]) => (isArray(type) ? "::text[]" : `::${type}[]`))
  const last = `${casts.pop()}) as read (${list})) as ${alias} (${list})`
  const texts = [`(select ${read} from unnest(`, ...casts.map((cast) => `${cast}, `), last]
  return { columns: types.map(([column]) => column), template: Object.assign(texts, { raw: texts }) }
}

/** A column of rows as the text of an array. One without values is empty: `unnest` fills shorter arrays with nulls. */
const arrayOf = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>, column: string): string =>
  rows.every((row) => row[column] == null) ? "{}" : textOfArray(rows.map((row) => row[column]))

const textOfArray = (values: ReadonlyArray<unknown>): string => {
  let text = "{"
  let last: unknown
  let element = ""
  for (const [index, value] of values.entries()) {
    // Rows that are written together have many values in common.
    if (index === 0 || value !== last) element = elementOf(value)
    last = value
    text += index === 0 ? element : `,${element}`
  }
  return `${text}}`
}

/** Texts that mean the same in an array without quotes, such as ids and numbers. */
const isPlain = /^(?!null$)[\w.:+-]+$/i

const elementOf = (value: unknown): string => {
  if (value === null || value === undefined) return "null"
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  if (value instanceof Date) return value.toISOString()
  const text = Array.isArray(value) ? textOfArray(value) : String(value)
  return isPlain.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`
}

const plain = <A extends SqlValue>(sqlType: string): Type<A, A> => ({
  sqlType,
  isNullable: false,
  encode: (value) => value,
  decode: (stored) => stored
})

export const text: Type<string, string> = plain("text")
export const integer: Type<number, number> = plain("integer")
export const flag: Type<boolean, boolean> = plain("boolean")
export const texts: Type<ReadonlyArray<string>, ReadonlyArray<string>> = plain("text[]")

/** A whole number up to 2^53. */
export const bigint: Type<number, bigint> = {
  sqlType: "bigint",
  isNullable: false,
  encode: (value) => value,
  decode: Number
}

/** The id of a transaction, in decimal digits. Statements answer it with `::text`: the client has no form for it. */
export const transactionId: Type<string, string> = plain("xid8")

/** Bytes. They pass as parameters of a statement, and not through `recordset`, which is JSON. */
export const bytes: Type<Uint8Array, Uint8Array> = {
  ...plain<Uint8Array>("bytea"),
  // The client returns its own subclass, whose copies share memory.
  decode: (stored) => new Uint8Array(stored)
}

let lastDate = new Date(0)

/** An instant in epoch milliseconds. */
export const instant: Type<number, Date> = {
  sqlType: "timestamptz",
  isNullable: false,
  // One object for equal instants in turn, as of a group: it is written as text once.
  encode: (value) => {
    if (lastDate.getTime() !== value) lastDate = new Date(value)
    return lastDate
  },
  decode: (stored) => stored.getTime()
}

/** Text of which the schema accepts only some. */
export const textOf = <A extends string>(schema: Schema.Codec<A, unknown>): Type<A, string> => ({
  ...text,
  encode: (value) => value,
  decode: reading(schema)
})

/** An id. The database lets no other text into such a column, so reading checks nothing. */
export const uuid = <A extends string>(): Type<A, string> => ({
  sqlType: "uuid",
  isNullable: false,
  encode: (value) => value,
  decode: (stored) => stored as A
})

/** A value as JSON text, which keeps what users wrote as they wrote it. */
export const json = <A>(schema: Schema.Codec<A, unknown>): Type<A, string> => {
  const read = reading(schema)
  // Most lists and options of runs are empty, and whether these are of the schema does not change.
  const accepts = Schema.is(Schema.toType(schema))
  const mayBeList = accepts([])
  const mayBeObject = accepts({})
  return {
    sqlType: "text",
    isNullable: false,
    encode: (value) => JSON.stringify(value),
    decode: (stored) =>
      (stored === "[]" && mayBeList) || (stored === "{}" && mayBeObject) ? JSON.parse(stored) : read(parse(stored))
  }
}

/**
 * As `json`, in the form that the schema encodes to: for schemas that transform, such as those with defaults. Members
 * that the schema does not name are not written.
 */
export const encoded = <A>(schema: Schema.Codec<A, unknown>): Type<A, string> => {
  const encode = Schema.encodeSync(Schema.fromJsonString(schema))
  const read = readingBy(SchemaParser.decodeUnknownResult(schema))
  return { sqlType: "text", isNullable: false, encode, decode: (stored) => read(parse(stored)) }
}

export const nullable = <A, Stored>(type: Type<A, Stored>): Type<A | null, Stored | null> => ({
  sqlType: type.sqlType,
  isNullable: true,
  encode: (value) => (value === null ? null : type.encode(value)),
  decode: (stored) => (stored === null ? null : type.decode(stored))
})

/** As `nullable`, for a value where `null` is something else than none. */
export const optional = <A, Stored>(type: Type<A, Stored>): Type<A | undefined, Stored | null> => ({
  sqlType: type.sqlType,
  isNullable: true,
  encode: (value) => (value === undefined ? null : type.encode(value)),
  decode: (stored) => (stored === null ? undefined : type.decode(stored))
})

/** Any JSON, and any JSON object. Parsed text is JSON all the way down, which `Schema.Json` would check again. */
export const anyJson = Schema.declare((value): value is Schema.Json => value !== undefined)
export const jsonObject = Schema.declare(
  (value): value is Schema.JsonObject => typeof value === "object" && value !== null && !Array.isArray(value)
)

const parse = (stored: string): unknown => {
  try {
    return JSON.parse(stored)
  } catch {
    // The cause would cite the text.
    throw new Unreadable("it is not JSON")
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Reads a stored value by a schema, or throws the reason if it is invalid. Values are stored in the form of the
 * program, so nothing is transformed.
 */
export const reading = <A>(schema: Schema.Codec<A, unknown>): ((stored: unknown) => A) =>
  readingBy(SchemaParser.decodeUnknownResult(Schema.toType(schema)))

const readingBy =
  <A>(decode: (stored: unknown) => Result.Result<A, SchemaIssue.Issue>) =>
  (stored: unknown): A => {
    const result = decode(stored)
    if (Result.isSuccess(result)) return result.success
    const [first] = format(result.failure).issues
    const path = (first?.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join(".")
    throw new Unreadable(`it is not of its schema${path === "" ? "" : `, at ${path}`}`)
  }
