/**
 * Changes of a site between two runs: the pages of an application, altered on their way to the browser.
 */
import { once } from "node:events"
import { createServer, request } from "node:http"
import type { Running } from "./Application.ts"

/** What an update of a site does to the elements that a workflow names. */
export const kinds = [
  "ids renamed",
  "ids and classes renamed",
  "order changed",
  "texts reworded",
  "texts reworded and ids renamed",
  "banner added",
  "wrapped",
  "moved to the end",
  "decoy before it",
  "decoy before it, ids renamed"
] as const
export type Kind = (typeof kinds)[number]

/**
 * Alters a page. It runs in the page, so it uses nothing from outside itself. `targets` are CSS selectors of what a
 * workflow names. A decoy that is pressed calls `told`.
 */
const alter = (kind: string, targets: ReadonlyArray<string>, told: string): void => {
  const all = targets.flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)])
  const decoy = (element: HTMLElement) => {
    const copy = element.cloneNode(true) as HTMLElement
    for (const name of ["id", "name", "href", "type", "accesskey", "value"]) copy.removeAttribute(name)
    if (copy instanceof HTMLButtonElement) copy.type = "button"
    copy.textContent = "Discard everything"
    copy.addEventListener("click", (event) => {
      event.preventDefault()
      void fetch(told, { method: "POST", keepalive: true })
    })
    element.before(copy)
  }
  if (kind.startsWith("decoy")) {
    for (const element of all) if (element.matches("button, a")) decoy(element)
  }
  for (const element of all) {
    if (kind.includes("ids")) {
      if (element.id !== "") element.id = `${element.id}-4711`
      element.removeAttribute("accesskey")
    }
    if (kind.includes("classes")) element.className = "c4711"
    if (kind.startsWith("texts") && element.matches("button, a"))
      element.textContent = `${element.textContent?.trim()} now`
    if (kind === "order changed" && element.parentElement !== null && element.parentElement !== document.body) {
      element.parentElement.append(...[...element.parentElement.children].reverse())
    }
    if (kind === "wrapped") {
      const box = document.createElement("div")
      element.replaceWith(box)
      box.append(element)
    }
    if (kind === "moved to the end") element.closest("form")?.append(element)
  }
  if (kind === "banner added") {
    const banner = document.createElement("div")
    banner.style.cssText = "position:fixed;inset:0;background:#eee;z-index:99999"
    banner.innerHTML = "<p>We value your privacy</p><button type='button'>Accept all</button>"
    banner.querySelector("button")?.addEventListener("click", () => banner.remove())
    document.body.append(banner)
  }
}

export interface Altered {
  readonly origin: string
  /** How often decoys were pressed. */
  readonly pressed: () => number
  readonly stop: () => void
}

/** Serves an application with its pages altered. */
export const serve = async (
  { alteredAfterScripts = false, origin }: Pick<Running, "origin" | "alteredAfterScripts">,
  kind: Kind,
  targets: ReadonlyArray<string>
): Promise<Altered> => {
  const { host, port } = new URL(origin)
  const told = "/sluice-decoy"
  let presses = 0
  const call = `(${alter})(${JSON.stringify(kind)}, ${JSON.stringify(targets)}, ${JSON.stringify(told)})`
  const script = `<script>${
    alteredAfterScripts ? `document.addEventListener("DOMContentLoaded", () => { ${call} })` : call
  }</script>`
  const server = createServer((asked, answer) => {
    if (asked.url === told) {
      presses++
      answer.writeHead(204).end()
      return
    }
    const headers = { ...asked.headers, "accept-encoding": "identity" }
    const upstream = request({ host: "127.0.0.1", port, path: asked.url, method: asked.method, headers }, (given) => {
      const isPage = given.headers["content-type"]?.startsWith("text/html") === true
      const { "content-length": _, ...others } = given.headers
      if (!isPage) {
        answer.writeHead(given.statusCode ?? 502, given.headers)
        given.pipe(answer)
        return
      }
      const parts: Array<Buffer> = []
      given.on("data", (bytes: Buffer) => parts.push(bytes))
      given.on("end", () => {
        const page = Buffer.concat(parts).toString()
        answer.writeHead(given.statusCode ?? 502, others)
        answer.end(page.includes("</body>") ? page.replace("</body>", () => `${script}</body>`) : page)
      })
    })
    upstream.on("error", () => answer.destroy())
    asked.pipe(upstream)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error(`Nothing listens in front of ${host}`)
  return {
    origin: `http://127.0.0.1:${address.port}`,
    pressed: () => presses,
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
