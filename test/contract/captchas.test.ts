import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { CaptchaSolver, type CaptchaType, widgets } from "../../core/agent/action/CaptchaSolver.ts"
import { Browser, type BrowserSession } from "../../core/browser/Browser.ts"
import * as Session from "../../core/browser/Session.ts"
import * as ScriptedBrowser from "../kit/browser/ScriptedBrowser.ts"
import * as CaptchaContract from "../kit/contracts/agent/CaptchaContract.ts"
import * as Contract from "../kit/contracts/Contract.ts"

const types: ReadonlyArray<CaptchaType> = ["turnstile", "hcaptcha"]

/** Pages with the answer field of each type, and a field that is none. */
const site: ScriptedBrowser.ScriptedSite = Object.fromEntries(
  types.map((type) => [
    `https://${type}.example/`,
    [
      { selector: widgets[type].marks },
      { selector: widgets[type].answer, value: "" },
      { selector: "#other", value: "" }
    ]
  ])
)

/** What the service behind the solver says about the puzzle of a page. */
type Verdict =
  | { readonly _tag: "solvable" | "unsolvable" }
  | { readonly _tag: "endless"; readonly begun: Deferred.Deferred<void> }

const verdicts = new WeakMap<BrowserSession, Verdict>()

const puzzle = Effect.fnUntraced(function* (type: CaptchaType, verdict: Verdict) {
  const page = yield* (yield* Browser).open(Session.empty)
  yield* page.navigation.goto(`https://${type}.example/`)
  verdicts.set(page, verdict)
  const held = (selector: string) =>
    Effect.orDie(Effect.map(page.elements.inspect(selector), ({ empty }) => (empty ? "" : "filled in")))
  return { page, answer: held(widgets[type].answer), rest: held("#other") }
}, Effect.orDie)

const puzzles = Layer.effect(
  CaptchaContract.Puzzles,
  Effect.map(Browser, (browser) => {
    const of = (type: CaptchaType, verdict: Verdict) => Effect.provideService(puzzle(type, verdict), Browser, browser)
    return {
      types,
      solvable: (type) => of(type, { _tag: "solvable" }),
      unsolvable: (type) => of(type, { _tag: "unsolvable" }),
      endless: (type) =>
        Effect.suspend(() => {
          const begun = Deferred.makeUnsafe<void>()
          return Effect.map(of(type, { _tag: "endless", begun }), (one) => ({ ...one, begun: Deferred.await(begun) }))
        })
    }
  })
).pipe(Layer.provide(ScriptedBrowser.layer(site)))

type Solver = NonNullable<typeof CaptchaSolver.Service>

const typing = { strokes: ["token"], existing: "replace", delayMillis: 0, paste: false } as const

const fill = (page: BrowserSession, selector: string) =>
  Effect.ignore(page.elements.type({ selector, waitMillis: 0 }, typing))

const sound: Solver = {
  solve: Effect.fnUntraced(function* (type, page) {
    const { matched } = yield* Effect.orElseSucceed(page.elements.inspect(widgets[type].marks), () => ({ matched: 0 }))
    const verdict = verdicts.get(page)
    if (matched === 0 || verdict === undefined) return
    yield* Effect.yieldNow
    if (verdict._tag === "endless") {
      yield* Deferred.succeed(verdict.begun, undefined)
      return yield* Effect.never
    }
    if (verdict._tag === "solvable") yield* fill(page, widgets[type].answer)
  })
}

const brokenBy = (solver: Solver | null) =>
  Effect.map(
    Contract.broken(CaptchaContract.promises, (keeps) =>
      keeps.pipe(Effect.provideService(CaptchaSolver, solver), Effect.provide(Layer.fresh(puzzles)))
    ),
    (broken) => broken.map(({ title }) => title.replace("a solver of captchas ", ""))
  )

const titles = {
  fills: "fills in the answer of a puzzle, and changes nothing else",
  cannot: "changes nothing where it cannot solve the puzzle, and does not fail",
  other: "leaves a page alone that has another puzzle",
  interrupted: "ends promptly when it is interrupted, and changes nothing after that",
  several: "solves the puzzles of several pages at once, each on its own page"
}

const faults: Readonly<Record<string, readonly [Solver | null, ReadonlyArray<string>]>> = {
  "that is none": [null, Object.values(titles)],
  "that fills in more than the answer": [
    { solve: (type, page) => Effect.andThen(sound.solve(type, page), fill(page, "#other")) },
    [titles.fills, titles.cannot, titles.other]
  ],
  "that never solves": [{ solve: () => Effect.void }, [titles.fills, titles.interrupted, titles.several]],
  "that dies where it cannot solve": [
    {
      solve: (type, page) =>
        verdicts.get(page)?._tag === "unsolvable" ? Effect.die(new Error("unsolvable")) : sound.solve(type, page)
    },
    [titles.cannot, titles.several]
  ],
  "that takes every puzzle for one it knows": [
    {
      solve: (type, page) =>
        Effect.andThen(
          sound.solve(type, page),
          verdicts.get(page)?._tag === "solvable"
            ? Effect.forEach(types, (one) => fill(page, widgets[one].answer), { discard: true })
            : Effect.void
        )
    },
    [titles.other]
  ],
  "that cannot be interrupted": [
    { solve: (type, page) => Effect.onInterrupt(sound.solve(type, page), () => Effect.never) },
    [titles.interrupted]
  ],
  "that solves on the page that it was given last": [
    (() => {
      let last: BrowserSession | null = null
      return {
        solve: (type, page) =>
          Effect.suspend(() => {
            last = page
            return Effect.andThen(
              Effect.yieldNow,
              Effect.suspend(() => sound.solve(type, last ?? page))
            )
          })
      } satisfies Solver
    })(),
    [titles.several]
  ]
}

describe("the contract of solvers of captchas", () => {
  it.live("is kept by a solver on the scripted browser", () =>
    Effect.map(brokenBy(sound), (broken) => assert.deepStrictEqual(broken, []))
  )

  it.live.each(Object.keys(faults))("finds one %s", (fault) =>
    Effect.gen(function* () {
      const [solver, titled] = faults[fault] ?? [sound, []]
      const hangs = titled.includes(titles.interrupted)
      const broken = hangs ? Effect.provideService(brokenBy(solver), Contract.Patience, 1_000) : brokenBy(solver)
      assert.deepStrictEqual(yield* broken, [...titled])
    })
  )
})
