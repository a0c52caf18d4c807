/**
 * Walks steps on a page of a local site with a model whose answers a test defines.
 */

import { Effect, Option, Redacted, type Schema } from "effect"
import * as Budget from "../../core/agent/model/Budget.ts"
import * as ModelUse from "../../core/agent/model/ModelUse.ts"
import type { Outcome } from "../../core/agent/Outcome.ts"
import type { Browser } from "../../core/browser/Browser.ts"
import type { Decision } from "../../core/run/evidence/Decision.ts"
import type { Account } from "../../core/vault/Account.ts"
import type { LoginCodes } from "../../core/vault/otp/LoginCodes.ts"
import * as Json from "../../core/workspace/Json.ts"
import { graphOf, type Step, walk } from "./browser.ts"
import { type Asked, answering, calls, type Reply, withModel, wordsOf } from "./modelServer.ts"
import { html, serve } from "./site.ts"

export interface Walked {
  readonly data: Schema.JsonObject
  readonly failure: Extract<Outcome, { readonly _tag: "Failed" }>["failure"] | null
  readonly decisions: ReadonlyArray<Decision>
  readonly asked: ReadonlyArray<Asked>
}

export interface Options {
  readonly budget?: Budget.Budget
  readonly inputs?: Schema.JsonObject
  /** The credentials, as a function of the site's origin. */
  readonly accounts?: (site: string) => ReadonlyArray<Account>
  /** The one-time code of every credential. */
  readonly code?: string
  /** Additional instructions of the run's client. */
  readonly about?: Schema.JsonObject
  /** Further pages, by their path. */
  readonly pages?: Readonly<Record<string, string>>
}

const giving = (code: string): LoginCodes["Service"] => {
  const given = Effect.sync(() => Option.some(Redacted.make(code)))
  return {
    generated: () => given,
    passkey: () => Effect.succeed(null),
    keepPasskey: () => Effect.void,
    addressOf: () => Effect.succeed("robot@inbox.example"),
    received: () =>
      Effect.map(
        given,
        Option.map((one) => [one])
      )
  }
}

/** `page` is the page at the path `/`; `SITE` in it is replaced with the origin. */
export const walked = (
  page: string,
  steps: ReadonlyArray<Step>,
  replies: ReadonlyArray<Reply>,
  options: Options = {}
): Effect.Effect<Walked, unknown, Browser> =>
  Effect.scoped(
    Effect.gen(function* () {
      const bodies = Object.entries({ "/": page, ...options.pages })
      const site = yield* serve(Object.fromEntries(bodies.map(([path, body]) => [path, html(body)])))
      const decisions: Array<Decision> = []
      const record = (one: Decision) => Effect.sync(() => void decisions.push(one))
      const use = ModelUse.make(options.budget ?? Budget.defaultBudget, record, options.about)
      return yield* withModel(replies, (asked) =>
        walk(graphOf(`${site}/`, steps), options.inputs ?? {}, {
          accounts: options.accounts?.(site) ?? [],
          ...(options.code === undefined ? {} : { codes: giving(options.code) })
        }).pipe(
          Effect.provideService(ModelUse.ModelUse, use),
          Effect.map(({ outcome }) => ({
            data: Json.objectOf(outcome.data),
            failure: outcome._tag === "Failed" ? outcome.failure : null,
            decisions,
            asked
          }))
        )
      )
    })
  )

/** The text of the element `out` of a page. */
export const out: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: {
    extract_data_model: { type: "object", properties: { out: { type: "string", path: "//*[@id='out']" } } }
  }
}

/** The ref of the listed element with a name. */
export const refOf = (asked: Asked, name: string): string =>
  new RegExp(`^(\\w+) \\S.*"${name}"`, "m").exec(wordsOf(asked))?.[1] ?? "e999"

/** The middle of the listed element with a name. */
export const pointOf = (asked: Asked, name: string) => {
  const [, x, y] = new RegExp(`"${name}".* @ (\\d+),(\\d+)`).exec(wordsOf(asked)) ?? []
  return { x: Number(x), y: Number(y) }
}

/** Chooses, or clicks, the listed element with a name. */
export const chooses = (name: string, tool = "choose_element") =>
  answering((asked) => calls(tool, { element: refOf(asked, name) }))
