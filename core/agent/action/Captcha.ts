import { Clock, Effect, Option } from "effect"
import type { Port, SessionParts } from "../../browser/Browser.ts"
import { isNavigation } from "../../browser/PageFailure.ts"
import { ofPage, StepFailed } from "../Failure.ts"
import { type Action, next, type StepContext } from "../Step.ts"
import { CaptchaSolver, type CaptchaType, ownMillis, widgets } from "./CaptchaSolver.ts"

/** How long a person may take, in milliseconds. */
const answerMillis = 300_000

/** How often a person is asked again when the puzzle is not solved after their answer. */
const mostQuestions = 3

/** How often to check whether it is solved, and how long after a person said so, in milliseconds. */
const lookMillis = 250
const settleMillis = 3_000

/** A page may add its widget shortly after it was loaded. */
const appearMillis = 500

const names: Readonly<Record<CaptchaType, string>> = {
  turnstile: "Cloudflare Turnstile",
  recaptcha_v2: "reCAPTCHA",
  hcaptcha: "hCaptcha"
}

/**
 * Passes a page without a puzzle, or with one that is solved. A puzzle is given the time in which some solve themselves,
 * then goes to the solver where there is one, and then to a person where the workflow allows it.
 */
export const captcha: Action<"CAPTCHA", Port> = Effect.fnUntraced(function* ({ name, parameters }, context) {
  const { page } = context
  const type = parameters.captcha_type
  if (!(yield* isThere(type, page))) {
    yield* Effect.sleep(appearMillis)
    if (!(yield* isThere(type, page))) return next
  }
  if (yield* isSolvedWithin(type, page, Math.min(parameters.wait_time ?? ownMillis[type], 60_000))) return next
  const solver = yield* CaptchaSolver
  if (solver !== null) {
    yield* solver.solve(type, page)
    if (yield* isSolvedWithin(type, page, settleMillis)) return next
  }
  if (!context.manualCaptcha) {
    return yield* unsolved(
      `${names[type]} is not solved, and a person may not be asked because manual_captcha_solve is off`
    )
  }
  for (let asked = 0; asked < mostQuestions; asked++) {
    const answer = yield* ask(type, name, asked > 0, context)
    if (yield* isSolvedWithin(type, page, settleMillis)) return next
    if (answer === null) return yield* unsolved(`no person solved ${names[type]} in time`)
    if (answer.solved === false) return yield* unsolved(`the person who was asked could not solve ${names[type]}`)
  }
  return yield* unsolved(`${names[type]} is still not solved after ${mostQuestions} questions`)
})

const unsolved = (reason: string) =>
  new StepFailed({ code: "CAPTCHA-E0001", sentence: `Cannot pass the captcha: ${reason}`, original: reason })

const ask = Effect.fnUntraced(function* (
  type: CaptchaType,
  node: string,
  again: boolean,
  { ask: question, page }: StepContext<"observation">
) {
  const shot = yield* Effect.option(page.observation.glimpse())
  const first = again ? "It is not solved yet. " : ""
  return yield* question({
    message: `${first}The workflow needs ${names[type]} to be solved at "${node}": solve it in the live view, then answer that it is solved`,
    schema: {
      type: "object",
      properties: { solved: { type: "boolean", description: "Whether the captcha is solved now" } },
      required: ["solved"]
    },
    timeoutMillis: answerMillis,
    shot: Option.getOrNull(shot)
  })
})

const look = (selector: string, page: SessionParts<"elements">) =>
  page.elements.inspect(selector).pipe(
    // A page that is navigating away cannot be examined.
    Effect.catch((failure) =>
      isNavigation(failure) ? Effect.succeed(null) : Effect.fail(ofPage("look for the captcha", failure))
    )
  )

const isThere = (type: CaptchaType, page: SessionParts<"elements">) =>
  Effect.map(look(widgets[type].marks, page), (found) => found !== null && found.matched > 0)

/** A widget is solved when its answer is filled in, or when it has disappeared. */
const isSolved = Effect.fnUntraced(function* (type: CaptchaType, page: SessionParts<"elements">) {
  const answer = yield* look(widgets[type].answer, page)
  if (answer === null) return false
  return answer.matched > 0 ? !answer.empty : !(yield* isThere(type, page))
})

const isSolvedWithin = Effect.fnUntraced(function* (type: CaptchaType, page: SessionParts<"elements">, millis: number) {
  const until = (yield* Clock.currentTimeMillis) + millis
  while (true) {
    if (yield* isSolved(type, page)) return true
    const left = until - (yield* Clock.currentTimeMillis)
    if (left <= 0) return false
    yield* Effect.sleep(Math.min(left, lookMillis))
  }
})
