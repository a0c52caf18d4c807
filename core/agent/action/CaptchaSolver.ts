/**
 * The port to a solver of captchas.
 */
import { Context, type Effect } from "effect"
import type { BrowserSession } from "../../browser/Browser.ts"

export type CaptchaType = "turnstile" | "recaptcha_v2" | "hcaptcha"

/**
 * Solves a puzzle on a page by filling in its answer field. The caller checks afterwards whether it is solved, so a
 * failed solver simply changes nothing. Without a solver, a person is asked.
 */
export const CaptchaSolver = Context.Reference<{
  readonly solve: (type: CaptchaType, page: BrowserSession) => Effect.Effect<void>
} | null>("sluice/core/agent/action/CaptchaSolver", { defaultValue: () => null })

/** How the widgets show in a page, as their documentation names it. */
export const widgets: Readonly<Record<CaptchaType, { readonly marks: string; readonly answer: string }>> = {
  turnstile: {
    marks: "css=.cf-turnstile, [name='cf-turnstile-response'], iframe[src*='challenges.cloudflare.com']",
    answer: "css=[name='cf-turnstile-response']"
  },
  recaptcha_v2: {
    marks:
      "css=.g-recaptcha:not([data-size='invisible']), iframe[src*='/recaptcha/api2/anchor']:not([src*='size=invisible']), iframe[src*='/recaptcha/enterprise/anchor']:not([src*='size=invisible'])",
    answer: "css=[name='g-recaptcha-response']"
  },
  hcaptcha: {
    marks: "css=.h-captcha:not([data-size='invisible']), [name='h-captcha-response'], iframe[src*='hcaptcha.com']",
    answer: "css=[name='h-captcha-response']"
  }
}

/** How long a widget may take to solve itself before a person is asked, in milliseconds. */
export const ownMillis: Readonly<Record<CaptchaType, number>> = { turnstile: 5_000, recaptcha_v2: 0, hcaptcha: 15_000 }
