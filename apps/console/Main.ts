/** The first script of the page. It loads `Temporal` where the browser lacks it, then starts the console. */
if (!("Temporal" in globalThis)) {
  const { Temporal } = await import("@js-temporal/polyfill")
  Object.assign(globalThis, { Temporal })
}
const { start } = await import("./Start.tsx")
start()

export {}
