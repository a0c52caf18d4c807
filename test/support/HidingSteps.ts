/** Counts the steps of hiding secrets; runs in a thread of `steps.ts`. */
import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Scheduler } from "effect"
import { maxAtOnce, Secrets } from "../../core/redaction/Secrets.ts"
import { telling } from "./countedTurns.ts"
import * as Hostile from "./hostileSecrets.ts"
import { steps, taken } from "./StepsThread.ts"

/** The steps of work on each text, for each of its characters. */
const ofEach = (texts: ReadonlyArray<string>, work: (text: string) => unknown): ReadonlyArray<number> => {
  const counts = steps(...texts.map((text) => () => work(text)))
  return texts.map((text, at) => (counts[at] ?? 0) / text.length)
}

/** As long as names of files are. */
const nameOf = (text: string): string => text.slice(0, 255)

const secretsOf = (values: ReadonlyArray<string>): Secrets => {
  const secrets = new Secrets()
  for (const value of values) secrets.add(value, "secret")
  return secrets
}

const prepared = (values: ReadonlyArray<string>): Secrets => {
  const secrets = secretsOf(values)
  Effect.runSync(secrets.prepared)
  return secrets
}

/** The text of a piece again and again, half as long as what may be searched at once. */
const whole = (piece: string): string => piece.repeat(Math.ceil(maxAtOnce / 2 / piece.length)).slice(0, maxAtOnce / 2)

/** For each piece, the steps for a character of a text and of one four times as long; and those of names, on average. */
export const single = (value: string, length: number) => {
  const secrets = prepared([value])
  // Each repetition holds the known form of the value.
  const form = value.replace(/[^A-Za-z0-9]+/g, " ")
  const textsOf = (most: number) =>
    Hostile.pieces.map((piece) => `${piece.repeat(Math.ceil(most / 2 / piece.length))}${form}`.repeat(2))
  const short = ofEach(textsOf(length), (text) => Effect.runSync(secrets.hideLong(text)))
  const long = ofEach(textsOf(4 * length), (text) => Effect.runSync(secrets.hideLong(text)))
  const names = textsOf(4 * length).map(nameOf)
  const [named = 0] = steps(() => {
    for (const name of names) secrets.hideInName(name)
  })
  return {
    texts: Hostile.pieces.map((piece, at) => ({ piece, short: short[at] ?? 0, long: long[at] ?? 0 })),
    name: named / names.join("").length
  }
}

const valuesOf = (kind: keyof typeof Hostile.many, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => Hostile.many[kind](index))

/** The steps of adding and indexing so many secrets, for each of them, and what is shown of some of them. */
export const adding = (kind: keyof typeof Hostile.many, count: number) => {
  const values = valuesOf(kind, count)
  const secrets = new Secrets()
  const [added = 0, indexed = 0] = steps(
    () => {
      for (const value of values) secrets.add(value, "secret")
    },
    () => Effect.runSync(secrets.prepared)
  )
  return { added: added / count, indexed: indexed / count, shown: shown(secrets, values) }
}

/** The bytes that so many secrets keep, for each of them. */
export const keeping = (kind: keyof typeof Hostile.many, count: number) => {
  const values = valuesOf(kind, count)
  const before = heapBytes()
  const secrets = prepared(values)
  const bytes = (heapBytes() - before) / count
  return { bytes, shown: shown(secrets, values) }
}

/** The spellings of some of the secrets that are not hidden. */
const shown = (secrets: Secrets, values: ReadonlyArray<string>): ReadonlyArray<string> =>
  [0, 1, values.length >> 1, values.length - 1]
    .map((index) => values[index] ?? "")
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret),
      Buffer.from(secret).toString("base64")
    ])
    .filter((spelt) => secrets.hide(`<${spelt}>`).includes(spelt))

/** For each piece, the steps of a search for so many secrets, for each character of a text, and of a name. */
export const searching = (kind: keyof typeof Hostile.many, count: number) => {
  const secrets = prepared(valuesOf(kind, count))
  const texts = Hostile.manyPieces.map(whole)
  const ofTexts = ofEach(texts, secrets.hide)
  const ofNames = ofEach(texts.map(nameOf), secrets.hideInName)
  return Hostile.manyPieces.map((piece, at) => ({ piece, text: ofTexts[at] ?? 0, name: ofNames[at] ?? 0 }))
}

/** The steps for a character of texts in every spelling of secrets that all begin in one of them. */
export const sharing = (count: number) => {
  const { han } = Hostile
  const text = Array.from({ length: 3_000 }, (_, at) => han[(at * at + (at >> 5)) % han.length]).join("")
  const secrets = prepared(Array.from({ length: count }, (_, at) => text.slice(at, at + 500)))
  const bytes = Buffer.from(text)
  const texts = [text, bytes.toString("base64"), bytes.toString("hex"), encodeURIComponent(text)]
  return ofEach(
    texts.map((one) => one.slice(0, maxAtOnce)),
    secrets.hide
  )
}

/** The steps for a character of a text that can be read as any of these secrets, and what is shown of it. */
export const ambiguous = (bits: number) => {
  const secrets = prepared(
    Array.from({ length: 2 ** bits }, (_, at) =>
      Array.from({ length: bits }, (_, bit) => (((at >> bit) & 1) === 0 ? "%" : "%25")).join("")
    )
  )
  const text = "%25".repeat(maxAtOnce / 3)
  return { steps: ofEach([text], secrets.hide)[0] ?? 0, shown: secrets.hide(text) }
}

/** The steps for a character of a text in turns, of a name, and of what is typed. */
export const elsewhere = (count: number) => {
  const secrets = new Secrets()
  for (let index = 0; index < count; index++) {
    secrets.addOf(
      "BANK",
      `${Hostile.written(Hostile.han, index)}-${Hostile.written(Hostile.signs, index)}-密码`,
      "secret"
    )
  }
  Effect.runSync(secrets.prepared)
  Effect.runSync(secrets.ownersIn("", []))
  const text = "密码-密码-!@#".repeat(1_000)
  return [
    ...ofEach([text], (one) => Effect.runSync(secrets.hideLong(one))),
    ...ofEach([nameOf(text)], secrets.hideInName),
    ...ofEach([text], (one) => Effect.runSync(secrets.ownersIn(one, [])))
  ]
}

/** The steps of each turn in which a text of so many characters is searched. */
export const turns = async (piece: string, characters: number) => {
  const secrets = prepared(Hostile.known)
  const text = Hostile.filled(piece, characters)
  const counts: Array<number> = []
  taken()
  const scheduler = telling(() => counts.push(taken()))
  const searched = Effect.provideService(secrets.hideLong(text), Scheduler.Scheduler, scheduler)
  await Effect.runPromise(searched)
  return [...counts, taken()]
}

/** The bytes of the heap of this thread that are in use. */
const heapBytes = (): number => {
  setFlagsFromString("--expose-gc")
  const collect: unknown = runInNewContext("gc")
  if (typeof collect === "function") collect()
  return getHeapStatistics().used_heap_size
}
