/** Pages that are drawn before their scripts have taken over: until then a click is lost, and a text is emptied. */
import { challenge, type Route } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, read, text, type } from "../Workflow.ts"

const drawn = `<button>Count</button><form><input></form>${result}`

/** Takes over the page: the field is emptied, and the elements begin to answer. */
const takesOver = `
  const said = document.querySelector("#result")
  const field = document.querySelector("input")
  let count = 0
  field.value = ""
  document.querySelector("button").onclick = () => { said.textContent = "counted " + ++count + " for " + field.value }`

const script = (body: string, after: number): Route<undefined> => ({
  headers: { "content-type": "text/javascript" },
  body,
  after
})

const document = (head: string): string => `<!doctype html><html lang="en"><body>${drawn}${head}</body></html>`

const counted = {
  workflow: [type("//input", "Ada"), click("//button"), read({ result: text("//*[@id='result']") })],
  expected: { result: "counted 1 for Ada" }
}

export const challenges = [
  challenge({
    name: "asynchronous script",
    difficulty: "The script that takes over is loaded beside the page, and comes after it.",
    routes: { "": document(`<script async src="app.js"></script>`), "app.js": script(takesOver, 700) },
    ...counted
  }),
  challenge({
    name: "imported script",
    difficulty: "The script that takes over is imported by a small one.",
    routes: {
      "": document(`<script>import("./main.js")</script>`),
      "main.js": script(`import "./app.js"`, 300),
      "app.js": script(takesOver, 400)
    },
    ...counted
  }),
  challenge({
    name: "module that waits for its configuration",
    difficulty: "The module that takes over stops at its top until an answer has come.",
    routes: {
      "": document(`<script type="module" src="app.js"></script>`),
      "app.js": script(`await fetch("configuration")\n${takesOver}`, 0),
      configuration: { body: "{}", after: 700 }
    },
    ...counted
  }),
  challenge({
    name: "script that a script adds",
    difficulty: "The script that takes over is added by another one before the page is loaded, and comes late.",
    routes: {
      "": document(
        `<script>document.head.append(Object.assign(document.createElement("script"), { src: "app.js" }))</script>`
      ),
      "app.js": script(takesOver, 300)
    },
    ...counted
  }),
  challenge({
    name: "script that is added after the load",
    difficulty: "The script that takes over is added once the page is loaded, and comes late.",
    routes: {
      "": document(`<script>addEventListener("load", () => setTimeout(() =>
        document.head.append(Object.assign(document.createElement("script"), { src: "app.js" })), 100))</script>`),
      "app.js": script(takesOver, 300)
    },
    ...counted
  }),
  challenge({
    name: "page that takes over a little later",
    difficulty: "The script is there at once, and takes over a while after.",
    routes: { "": page(drawn, `setTimeout(() => { ${takesOver} }, 400)`) },
    ...counted
  }),
  challenge({
    name: "script in a frame",
    difficulty: "The page is in a frame, whose script comes late.",
    routes: {
      "": `<!doctype html><iframe src="inner"></iframe>`,
      inner: document(`<script async src="app.js"></script>`),
      "app.js": script(takesOver, 500)
    },
    ...counted
  }),
  challenge({
    name: "statistics that never come",
    difficulty: "A script that counts visitors hangs, and the page works without it.",
    routes: {
      "": page(drawn, takesOver).replace("<body>", `<body><script async src="statistics.js"></script>`),
      "statistics.js": () => () => undefined
    },
    ...counted
  })
]
