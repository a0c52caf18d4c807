/** The first script of the page. It brings `Temporal` along where the browser has none, then starts the console. */
if (!("Temporal" in globalThis)) {
  const { Temporal } = await import("@js-temporal/polyfill")
  Object.assign(globalThis, { Temporal })
}
const { start } = await import("./Start.tsx")
start()

export {}
