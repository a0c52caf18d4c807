/**
 * The page at `/docs` with the reference of the interface. It loads nothing from other hosts and cannot be embedded in
 * frames.
 */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { Api } from "./Api.ts"
import * as Guide from "./Guide.ts"
import * as InlineScripts from "./InlineScripts.ts"

const html = { contentType: "text/html; charset=utf-8" }

/** The content security policy of the page: only its inline scripts. */
const policy = (page: string): string => {
  return [
    "default-src 'none'",
    `script-src ${InlineScripts.hashesOf(page).join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

const headers = (page: string) => ({
  "content-security-policy": policy(page),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
})

/** The bar above the reference: a link to the guide, or how to build it. */
const bar = (isBuilt: boolean): string => {
  const text = isBuilt
    ? '<a href="docs/guide/">Read the guide</a>'
    : "The guide is not built here: run <code>npm run docs</code>"
  return `<nav style="padding: 8px 16px; font: 14px system-ui, sans-serif">${text}</nav>`
}

/** The page is the same for every reader, so it is made once for each bar. */
const guarded = Layer.unwrap(
  Effect.sync(() => {
    const made = new Map<boolean, HttpServerResponse.HttpServerResponse>()
    return HttpRouter.middleware((answer) =>
      Effect.suspend(() => {
        const isBuilt = Guide.isBuilt()
        const page = made.get(isBuilt)
        if (page !== undefined) return Effect.succeed(page)
        return Effect.map(answer, (response) => {
          const { body } = response
          const plain = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
          const text = plain.replace("<body>", () => `<body>${bar(isBuilt)}`)
          const whole = HttpServerResponse.text(text, { ...html, headers: headers(text) })
          made.set(isBuilt, whole)
          return whole
        })
      })
    ).layer
  })
)

export const layer = HttpApiScalar.layer(Api, { path: "/docs", scalar: { withDefaultFonts: false } }).pipe(
  Layer.provide(guarded)
)
