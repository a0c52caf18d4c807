/** How the pages of the gauntlet are written. */
import type { Written } from "./Challenge.ts"

/** A whole page. Its script may use `$` for the first element of a CSS selector, and `say` for the text of `#result`. */
export const page = (body: string, script = ""): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The gauntlet</title>
<style>body { font: 16px/1.4 sans-serif; margin: 1em } .hidden { display: none }</style></head>
<body>${body}
<script>
const $ = (selector, within = document) => within.querySelector(selector)
const say = (text) => { $("#result").textContent = text }
${script}
</script></body></html>`

/** The element in which pages write the result of an action. */
export const result = `<p id="result"></p>`

export const json = (value: unknown): Written => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value)
})

export const redirect = (to: string, status = 302): Written => ({ status, headers: { location: to } })
