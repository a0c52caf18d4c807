import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Elements, redirected, tapped } from "../../../../core/browser/Elements.ts"
import type { ElementQuery } from "../../../../core/browser/element/ElementQuery.ts"
import { PageFailure } from "../../../../core/browser/PageFailure.ts"

const from = "//old"
const query: ElementQuery = { selector: from, waitMillis: 5, first: true }
const typing = { strokes: [], existing: "keep", delayMillis: 0, paste: false } as const
const framing = { fullPage: false }
const file = { path: "/tmp/file", fileName: "file" }

/** Each verb, called with the selector wherever it takes one. A verb without a row here does not compile. */
const calls: {
  readonly [V in keyof Elements]: (elements: Elements) => ReadonlyArray<Effect.Effect<unknown, PageFailure>>
} = {
  find: ({ find }) => [find(query)],
  click: ({ click }) => [click(query, "hover")],
  clickToCopy: ({ clickToCopy }) => [clickToCopy(query, "click")],
  drag: ({ drag }) => [
    drag(query, { to: { kind: "element", query: { selector: from, waitMillis: 5 } }, keys: [] }),
    drag(query, { to: { kind: "path", points: [{ x: 1, y: 2 }] }, keys: ["Shift"] })
  ],
  type: ({ type }) => [type(query, typing), type(null, typing)],
  select: ({ select }) => [select(query, "value", true)],
  check: ({ check }) => [check(query, true)],
  upload: ({ upload }) => [upload(query, file), upload(null, file)],
  dropFile: ({ dropFile }) => [dropFile(query, file)],
  read: ({ read }) => [read(query)],
  readEach: ({ readEach }) => [readEach(query)],
  extract: ({ extract }) => [extract({ kind: "value", path: "//other", type: "string" })],
  readable: ({ readable }) => [from, null].map((selector) => readable(selector, { metadata: true, maxCharacters: 9 })),
  inspect: ({ inspect }) => [inspect(from)],
  describe: ({ describe }) => [describe(query)],
  facts: ({ facts }) => [facts(query)],
  seen: ({ seen }) => [seen(["//other", from])],
  states: ({ states }) => [states(["//other", from])],
  survey: ({ survey }) => [survey({ target: from, fields: [from, "//other"] }), survey({ target: null, fields: [] })],
  scroll: ({ scroll }) => [
    scroll({ kind: "ticks", direction: "down", ticks: 1 }, 5),
    scroll({ kind: "element", selector: from, position: "end" }, 5),
    scroll({ kind: "find", container: from, selector: from, direction: "up", position: "end" }, 5),
    scroll({ kind: "end", container: from, direction: "up" }, 5),
    scroll({ kind: "wheel", selector: from, direction: "up", ticks: 1, keys: [] }, 5)
  ],
  turn: ({ turn }) => [turn("down", from), turn("up", null)],
  screenshot: ({ screenshot }) => [screenshot(query, framing), screenshot(null, framing)]
}

const verbs = Object.keys(calls) as ReadonlyArray<keyof Elements>

/** Elements that note what they are called with, and do nothing. */
const noting = () => {
  const called: Array<readonly [verb: string, ...args: ReadonlyArray<unknown>]> = []
  const note =
    (verb: string) =>
    (...args: ReadonlyArray<unknown>) =>
      Effect.sync(() => void called.push([verb, ...args.filter((one) => one !== undefined)]))
  const elements = Object.fromEntries(verbs.map((verb) => [verb, note(verb)])) as unknown as Elements
  return { called, elements }
}

const callsOf = (alter: (elements: Elements) => Elements, verb: keyof Elements) =>
  Effect.gen(function* () {
    const { called, elements } = noting()
    for (const call of calls[verb](alter(elements))) yield* call
    return called
  })

it.effect.each(verbs)(
  "%s means the other element where it names the one that is redirected, and nothing else changes",
  (verb) =>
    Effect.gen(function* () {
      const plain = yield* callsOf((elements) => elements, verb)
      const aimed = yield* callsOf((elements) => redirected(elements, from, "//new"), verb)
      assert.deepEqual(aimed, JSON.parse(JSON.stringify(plain).replaceAll(`"${from}"`, '"//new"')))
      assert.deepEqual(yield* callsOf((elements) => redirected(elements, "//another", "//new"), verb), plain)
    })
)

it.effect.each(verbs)("%s is watched where it acts on an element that it is given, and is done after that", (verb) =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const watch = ({ selector }: ElementQuery) => Effect.sync(() => void seen.push(selector))
    const plain = yield* callsOf((elements) => elements, verb)
    assert.deepEqual(yield* callsOf((elements) => tapped(elements, watch), verb), plain)
    const calledWith = {
      check: [from],
      click: [from],
      clickToCopy: [from],
      drag: [from, from],
      dropFile: [from],
      select: [from],
      type: [from]
    }
    assert.deepStrictEqual(seen, Object.hasOwn(calledWith, verb) ? calledWith[verb as keyof typeof calledWith] : [])
  })
)

it.effect("a watcher that fails keeps the verb from being done", () =>
  Effect.gen(function* () {
    const { called, elements } = noting()
    const gone = new PageFailure({ kind: "mismatch", reason: "it went away", selector: from })
    const failure = yield* Effect.flip(tapped(elements, () => Effect.fail(gone)).click(query, "click"))
    assert.strictEqual(failure, gone)
    assert.deepStrictEqual(called, [])
  })
)
