/**
 * The page that shows a run in progress. It is the same for every run: the run is in its address, and the token is in
 * the fragment, which is never sent to a server, or is posted by the embedding page.
 */
import { createHash } from "node:crypto"
import { expressionOf } from "../../../adapters/script/Script.ts"

const style = `
  /* Without a background here, the page around this one would show behind the text. */
  :root { color-scheme: light dark; background: Canvas; color: CanvasText; font: 15px/1.4 system-ui, sans-serif }
  body { margin: 0; min-height: 100vh; display: flex; flex-direction: column }
  header { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; padding: .6rem 1rem; border-bottom: 1px solid #8884 }
  #status { font-weight: 600 }
  #note { flex: 1 1 14rem; opacity: .8 }
  button { font: inherit; padding: .3rem .8rem }
  main { flex: 1; display: grid; place-items: center; padding: 1rem; min-height: 0 }
  img { max-width: 100%; max-height: calc(100vh - 6rem); border: 1px solid #8884; border-radius: 4px }
  .mine img { outline: 3px solid #e8590c; cursor: default; touch-action: none; user-select: none }
  .mine img:focus-visible { outline-style: double; outline-width: 5px }
  [hidden] { display: none }
`

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/**
 * The permissions of the page: its own script and style, pictures that it was given, and questions to where it came
 * from.
 */
const policyOf = (script: string) =>
  [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "img-src blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors *"
  ].join("; ")

const htmlOf = (script: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Live view of a run</title>
<style>${style}</style>
</head>
<body>
<header>
<span role="status"><span id="status">Connecting</span> <span id="step"></span></span>
<span id="note" role="status"></span>
<button id="control" type="button" aria-pressed="false" hidden>Take control</button>
</header>
<main><img id="picture" alt="The page that the run is at" draggable="false" hidden><p id="hint">Waiting for the first picture</p></main>
<script>${script}</script>
</body>
</html>
`

const made = () => {
  /** The modules of `page`, as JavaScript. Nothing in them may end the element that they stand in. */
  const script = expressionOf(new URL("./page/Main.ts", import.meta.url))
  return { html: htmlOf(script), policy: policyOf(script) }
}

let page: ReturnType<typeof made> | undefined

/** The page and its policy, made when they are first asked for: a process that shows no run need not link its modules. */
export const get = () => {
  page ??= made()
  return page
}
