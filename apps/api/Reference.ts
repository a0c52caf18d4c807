/**
 * The page at `/docs` with the reference of the interface. It loads nothing from other hosts and cannot be embedded in
 * frames.
 *
 * The page has 3 MB, and a parser of HTML is loaded to make it, so it is made with the first request for it.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { Api } from "./Api.ts"
import * as Guide from "./Guide.ts"

/** The content security policy of the page: only its inline scripts. */
const policyOf = async (page: string): Promise<string> => {
  const { hashesOf } = await import("./InlineScripts.ts")
  return [
    "default-src 'none'",
    `script-src ${hashesOf(page).join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

/** The bar above the reference: a link to the guide, or how to build it. */
const bar = (isBuilt: boolean): string => {
  const text = isBuilt
    ? '<a href="docs/guide/">Read the guide</a>'
    : "The guide is not built here: run <code>npm run docs</code>"
  return `<nav style="padding: 8px 16px; font: 14px system-ui, sans-serif">${text}</nav>`
}

/** The text of the reference, without the bar. */
const reference = Effect.gen(function* () {
  const scalar = HttpApiScalar.layer(Api, { path: "/docs", scalar: { withDefaultFonts: false } })
  const { body } = yield* Effect.flatten(HttpRouter.toHttpEffect(scalar))
  return body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
}).pipe(Effect.scoped, Effect.orDie)

const pageWith = (isBuilt: boolean) =>
  Effect.gen(function* () {
    const text = (yield* reference).replace("<body>", () => `<body>${bar(isBuilt)}`)
    const headers = {
      "content-security-policy": yield* Effect.promise(() => policyOf(text)),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer"
    }
    return HttpServerResponse.text(text, { contentType: "text/html; charset=utf-8", headers })
  })

/** The page is the same for every reader, so it is made once for each bar. */
const answer = Effect.gen(function* () {
  const pages = { built: yield* Effect.cached(pageWith(true)), unbuilt: yield* Effect.cached(pageWith(false)) }
  return Effect.suspend(() => (Guide.isBuilt() ? pages.built : pages.unbuilt))
})

export const layer = HttpRouter.use((router) => Effect.flatMap(answer, (page) => router.add("GET", "/docs", page)))
