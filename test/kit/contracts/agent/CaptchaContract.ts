/**
 * The promises of every implementation of `CaptchaSolver`, which solves puzzles on pages of the agent.
 *
 * The pages are yours: of a browser and with puzzles that the solver works with. The scripted browser has pages with the
 * answer field of a puzzle as well.
 */
import { Context, Effect, Exit, Fiber, type Scope } from "effect"
import { CaptchaSolver, type CaptchaType } from "../../../../core/agent/action/CaptchaSolver.ts"
import type { BrowserSession } from "../../../../core/browser/Browser.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"

/** A page with a puzzle that is not solved. */
export interface Puzzle {
  readonly page: BrowserSession
  /** What the answer field of the puzzle holds; empty where it holds nothing. */
  readonly answer: Effect.Effect<string>
  /** Everything else on the page, in any form. */
  readonly rest: Effect.Effect<unknown>
}

/** Puzzles for the solver under test. Each is on a new page. */
export class Puzzles extends Context.Service<
  Puzzles,
  {
    /** The types that the solver knows: at least one. */
    readonly types: ReadonlyArray<CaptchaType>
    /** A puzzle that the solver can solve. */
    readonly solvable: (type: CaptchaType) => Effect.Effect<Puzzle, never, Scope.Scope>
    /** A puzzle that it cannot solve, as where its service says so. */
    readonly unsolvable: (type: CaptchaType) => Effect.Effect<Puzzle, never, Scope.Scope>
    /** A puzzle on which it works until it is interrupted. `begun` ends when it is at work. */
    readonly endless: (
      type: CaptchaType
    ) => Effect.Effect<Puzzle & { readonly begun: Effect.Effect<void> }, never, Scope.Scope>
  }
>()("sluice/test/kit/contracts/agent/CaptchaContract") {}

type Solver = NonNullable<typeof CaptchaSolver.Service>

const promise = <A, E>(
  title: string,
  test: (solver: Solver, puzzles: Puzzles["Service"], type: CaptchaType) => Effect.Effect<A, E, Scope.Scope>
) =>
  Contract.promise(
    `a solver of captchas ${title}`,
    Effect.gen(function* () {
      const solver = yield* CaptchaSolver
      const puzzles = yield* Puzzles
      if (solver === null) throw new assert.PromiseBroken("expected a solver, got none")
      assert.isAbove(puzzles.types.length, 0)
      for (const type of puzzles.types) yield* Effect.scoped(test(solver, puzzles, type))
    })
  )

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Puzzles>> = [
  promise("fills in the answer of a puzzle, and changes nothing else", (solver, puzzles, type) =>
    Effect.gen(function* () {
      const { answer, page, rest } = yield* puzzles.solvable(type)
      const before = yield* rest
      assert.strictEqual(yield* answer, "")
      yield* solver.solve(type, page)
      assert.isAbove((yield* answer).length, 0, type)
      assert.deepStrictEqual(yield* rest, before)
    })
  ),
  promise("changes nothing where it cannot solve the puzzle, and does not fail", (solver, puzzles, type) =>
    Effect.gen(function* () {
      const { answer, page, rest } = yield* puzzles.unsolvable(type)
      const before = yield* rest
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(solver.solve(type, page))), "a solver that gives up")
      assert.deepStrictEqual([yield* answer, yield* rest], ["", before])
    })
  ),
  promise("leaves a page alone that has another puzzle", (solver, puzzles, type) =>
    Effect.gen(function* () {
      const other = puzzles.types.find((one) => one !== type)
      if (other === undefined) return
      const { answer, page, rest } = yield* puzzles.solvable(other)
      const before = yield* rest
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(solver.solve(type, page))), "a solver that finds nothing")
      assert.deepStrictEqual([yield* answer, yield* rest], ["", before])
    })
  ),
  promise("ends promptly when it is interrupted, and changes nothing after that", (solver, puzzles, type) =>
    Effect.gen(function* () {
      const { answer, begun, page, rest } = yield* puzzles.endless(type)
      const before = yield* rest
      const solving = yield* Effect.forkDetach(solver.solve(type, page))
      yield* Effect.race(begun, Fiber.await(solving))
      assert.isUndefined(solving.pollUnsafe(), "a solver at work")
      const ending = yield* Effect.forkDetach(Fiber.interrupt(solving))
      yield* Contract.ends("a solver that was interrupted", Fiber.join(ending))
      yield* Effect.repeat(Effect.yieldNow, { times: 100 })
      assert.deepStrictEqual([yield* answer, yield* rest], ["", before])
    })
  ),
  promise("solves the puzzles of several pages at once, each on its own page", (solver, puzzles, type) =>
    Effect.gen(function* () {
      const kinds = ["solvable", "unsolvable", "solvable"] as const
      const pages = yield* Effect.forEach(kinds, (kind) => puzzles[kind](type))
      yield* Effect.forEach(pages, ({ page }) => solver.solve(type, page), { concurrency: "unbounded" })
      const solved = yield* Effect.forEach(pages, ({ answer }) => Effect.map(answer, (text) => text !== ""))
      assert.deepStrictEqual(solved, [true, false, true])
    })
  )
]
