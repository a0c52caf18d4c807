/** Lists as sites have them: on pages whose last one leads to itself, below each other, only the rows in view, and of files. */
import { html, serve } from "../../support/site.ts"

/** How many rows a list has. */
export const size = { below: 9, inView: 40, files: 3 }

const page = (body: string, script = "") =>
  html(`<!doctype html><html lang="en"><title>List</title><link rel="icon" href="data:,">
    <style>body { font: 16px sans-serif; margin: 2em } td, th { padding: 8px 16px; text-align: left } li { height: 30px }</style>
    <h1>List</h1>${body}<script>${script}</script></html>`)

const table = (rows: string) => `<table><thead><tr><th>Number<th>Name</tr></thead><tbody>${rows}</tbody></table>`

/** The rows from one number to another. */
const rowsIn = `const rowsIn = (from, to) => Array.from({ length: to - from + 1 }, (_, at) =>
  "<tr><td>N-" + (from + at) + "</td><td>Item " + (from + at) + "</td></tr>").join("")`

/** The link to the next page is on the last one too, and leads there again. The last rows of both pages are equal. */
const onPages = page(
  `${table("")}<a href="#">Next</a>`,
  `${rowsIn}
  const number = Math.min(Number(new URLSearchParams(location.search).get("page") ?? 1), 2)
  document.querySelector("tbody").innerHTML = rowsIn(3 * number - 2, 3 * number - 1) + rowsIn(0, 0)
  document.querySelector("a").href = "?page=" + (number + 1)`
)

/** A button loads three more rows, a moment later, and stays when there are no more. */
const below = page(
  `${table("")}<button>Load more</button>`,
  `${rowsIn}
  const body = document.querySelector("tbody")
  body.innerHTML = rowsIn(1, 3)
  document.querySelector("button").onclick = () => fetch("/moment").then(() => {
    if (body.rows.length < ${size.below}) body.innerHTML += rowsIn(body.rows.length + 1, body.rows.length + 3)
  })`
)

/** Only the rows in view are there. */
const inView = page(
  `<div style="height: 240px; width: 400px; overflow: auto"><ul style="position: relative; height: ${30 * size.inView}px; margin: 0"></ul></div>`,
  `const box = document.querySelector("div")
  const show = () => {
    const first = Math.floor(box.scrollTop / 30)
    const last = Math.min(first + 9, ${size.inView})
    box.firstChild.innerHTML = Array.from({ length: last - first }, (_, at) => first + at).map((at) =>
      "<li style='position: absolute; top: " + 30 * at + "px'><b>N-" + (at + 1) + "</b> <i>Item " + (at + 1) + "</i></li>").join("")
  }
  box.onscroll = show
  show()`
)

const files = page(
  table(
    Array.from(
      { length: size.files },
      (_, at) => `<tr><td>N-${at + 1}</td><td><a href="/files/N-${at + 1}.pdf">PDF</a></td></tr>`
    ).join("")
  )
)

export const open = serve({
  "/pages": onPages,
  "/below": below,
  "/moment": (_, response) => void setTimeout(() => response.writeHead(204).end(), 200),
  "/view": inView,
  "/files": files,
  ...Object.fromEntries(
    Array.from({ length: size.files }, (_, at) => [
      `/files/N-${at + 1}.pdf`,
      ({ url }: { readonly url?: string }, response: Parameters<ReturnType<typeof html>>[1]) =>
        void response.writeHead(200, { "content-type": "application/pdf" }).end(`%PDF-1.4\n% ${url}\n%%EOF`)
    ])
  )
})
