/** Many runs in sequence on one browser layer, and the memory and processes that they leave. */
import { Effect } from "effect"
import * as Processes from "../../adapters/playwright/Processes.ts"
import { graphOf, type Step, walk } from "./browser.ts"
import { chromiumsOf, withDescendants } from "./chromiums.ts"
import { html, serve } from "./site.ts"

const rows = Array.from({ length: 200 }, (_, row) => `<tr><td>${row}</td><td>name ${row}</td></tr>`).join("")

/** Pages that use memory: a table, storage, timers, listeners. */
export const site = serve({
  "/": html(`<a id=next href=/list>next</a>`),
  "/list": html(`<table>${rows}</table><input id=name><button id=go>go</button><p id=said></p><script>
    const kept = new Uint8Array(2e6).fill(1)
    localStorage.kept = "x".repeat(1e5)
    setInterval(() => kept[0]++, 50)
    document.querySelector("#go").onclick = () => {
      document.querySelector("#said").textContent = document.querySelector("#name").value
    }
  </script>`)
})

const steps: ReadonlyArray<Step> = [
  { action: "CLICK", parameters: { selector: "css=#next" } },
  { action: "INPUT_TEXT", parameters: { selector: "css=#name", text: "somebody" } },
  { action: "CLICK", parameters: { selector: "css=#go" } },
  {
    action: "EXTRACT_DATAMODEL",
    parameters: {
      execution: "STATIC",
      extract_data_model: {
        type: "object",
        properties: { said: { type: "string", path: "//p[@id='said']" } }
      }
    }
  },
  { action: "SCREENSHOT", parameters: {} }
]

/** The memory in use, in bytes. */
export interface Memory {
  readonly worker: number
  readonly browsers: number
}

/** The memory of this process, after a garbage collection where the runtime allows one, and of its browsers. */
export const memory = Effect.gen(function* () {
  yield* Effect.sleep("500 millis")
  globalThis.gc?.()
  const browsers = withDescendants(chromiumsOf(process.pid))
  return {
    worker: process.memoryUsage().heapUsed + process.memoryUsage().external,
    browsers: browsers.reduce((sum, pid) => sum + Processes.ownMemory(pid), 0)
  } satisfies Memory
})

/** Executes runs in sequence. Dies when one does not succeed. */
export const runs = Effect.fnUntraced(function* (origin: string, count: number) {
  for (let run = 0; run < count; run++) {
    const { outcome } = yield* walk(graphOf(`${origin}/`, steps))
    if (outcome._tag === "Failed") return yield* Effect.die(new Error(`Run ${run}: ${outcome.failure.message}`))
  }
})
