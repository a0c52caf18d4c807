import { assert, describe, it } from "@effect/vitest"
import { codeFinder, codesIn } from "../../../core/vault/inbox/CodeFinder.ts"
import { type Language, languages } from "../../../core/vault/inbox/code/Languages.ts"
import type { Message } from "../../../core/vault/inbox/ReceivedMessage.ts"
import { type Finder, faultsOf, read, type Text } from "./corpus/Corpus.ts"

const open = read("open")
const apart = read("apart")
const all: ReadonlyArray<Text> = [...open, ...apart]

const ours: Finder = (message) => codesIn(message)[0]?.code ?? null

/** The finder of some languages. */
const of = (some: ReadonlyArray<Language>): Finder => {
  const { codesIn } = codeFinder(some)
  return (message) => codesIn(message)[0]?.code ?? null
}

/** The finder without some of the words that it knows. */
const without = (...columns: ReadonlyArray<keyof Language>): Finder =>
  of(languages.map((language) => ({ ...language, ...Object.fromEntries(columns.map((column) => [column, "\uffff"])) })))

/** A finder before which a message is changed. */
const after =
  (change: (message: Message) => Message): Finder =>
  (message) =>
    ours(change(message))

/** The numbers of a message, as they stand. */
const numbersOf = ({ bodies, subject }: Message): ReadonlyArray<string> =>
  [subject, ...(bodies[0]?.lines ?? []).map(({ text }) => text)].flatMap((text) => text.match(/\d{4,8}/gu) ?? [])

describe("the code of a text of the corpus", () => {
  it("is in 30 languages and more, in 12 forms and more, among 400 texts and more, 100 without a code", () => {
    const distinct = (of: (text: Text) => string) => new Set(all.map(of)).size
    assert.isAtLeast(all.length, 400)
    assert.isAtLeast(
      distinct(({ language }) => language),
      30
    )
    assert.isAtLeast(
      distinct(({ form }) => form),
      13
    )
    assert.isAtLeast(all.filter(({ code }) => code === null).length, 100)
    assert.strictEqual(
      distinct((text) => JSON.stringify({ ...text, form: "", language: "" })),
      all.length
    )
    assert.isTrue(all.every(({ code, form }) => (form === "none") === (code === null)))
  })

  // Of the first 357 of these, the finder before this one got 51 wrong and missed 73.
  it("is never another, and in no form more than 2 % are missed: those that the finder was written with", () => {
    assert.deepStrictEqual(faultsOf(open, ours), [])
  })

  // When it was first read, 1 of 134 was wrong and 3 were missed; before, 22 were wrong and 30 missed.
  it("is never another, and in no form more than 2 % are missed: those that were kept apart from it", () => {
    assert.deepStrictEqual(faultsOf(apart, ours), [])
  })

  const faults: ReadonlyArray<readonly [name: string, finder: Finder]> = [
    ["no code", () => null],
    ["the first number", (message) => numbersOf(message)[0] ?? null],
    ["the last number", (message) => numbersOf(message).at(-1) ?? null],
    ["without what says that a number is no longer good", without("past", "over")],
    ["without what takes that back", without("unless", "later")],
    ["without what calls a code new", without("fresh")],
    ["without the things that have numbers", without("thing", "number")],
    ["without what a number is always about", without("line")],
    ["without codes of other kinds", without("sort", "trade")],
    ["without what a code is for", without("purpose")],
    ["without what asks to use a number", without("use", "used")],
    ["without what joins a name and its number", without("is")],
    ["without what is of what", without("of")],
    ["of English alone", of(languages.filter(({ name }) => name === "English"))],
    ["with what is quoted as what is new", after((message) => unquoted(message))]
  ]

  it.each(faults)("would be judged: a finder of %s", (_name, finder) => assert.isNotEmpty(faultsOf(all, finder)))
})

/** The message with nothing that says what it quotes. */
const unquoted = (message: Message): Message => ({
  ...message,
  subject: message.subject.replace(/^(?:re|aw) ?: ?/iu, ""),
  bodies: message.bodies.map((body) => ({ ...body, lines: body.lines.map((line) => ({ ...line, quoted: false })) }))
})
