/** The site that `portal.example` stands for in the docs: small pages for the examples of actions to work on. */
import type { IncomingMessage } from "node:http"
import { Effect, type Scope } from "effect"
import { type Answer, html, serve } from "../support/site.ts"

export interface Portal {
  readonly origin: string
  /** Sets the function that is called when the site sends a code or a link. */
  readonly onSent: (send: (what: "code" | "link") => void) => void
  /** Whether the captcha of the page is solved. */
  readonly solve: () => void
  /** The notes that the site was sent, in order. */
  readonly notes: ReadonlyArray<{ readonly body: string }>
}

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title><link rel="icon" href="data:,"></head>
  <body><h1>${title}</h1>${body}</body></html>`

const state = (text: string) => `<p id="state">${text}</p>`

const rows = (numbers: ReadonlyArray<string>) =>
  numbers
    .map((number) => {
      const open = `location.href='/invoices/${number}'`
      return `<tr data-id="${number}" ondblclick="${open}"><td>${number}</td><td>${Number(number.slice(2)) * 10.5}</td></tr>`
    })
    .join("")

const invoices = (of: string | null) => {
  const [numbers, next] =
    of === "2" ? [["A-3"], ""] : [["A-1", "A-2"], `<a rel="next" href="/invoices?page=2">Next</a>`]
  return page("Invoices", `<table id="invoices"><tbody>${rows(numbers)}</tbody></table>${next}`)
}

const invoice = (number: string) =>
  page(
    `Invoice ${number}`,
    `<button id="pay" onclick="state.textContent='paid'">Pay now</button>
    <button onclick="state.textContent='printed'">Print</button>
    <a href="/invoices/${number}/pdf">Download PDF</a> <a href="/broken">Download all</a>
    <button id="share" onclick="navigator.clipboard.writeText('https://portal.example/i/A-1')">Copy the link</button>
    <span onmouseover="menu.hidden=false">Account</span><ul id="menu" hidden><li>Sign out</li></ul>${state("open")}`
  )

/** Pages with forms. */
const forms = {
  "/login": page(
    "Sign in",
    `<form action="/home"><input name="user"><input name="password" type="password"><button>Sign in</button></form>`
  ),
  "/cookies": page(
    "Invoices",
    `<div id="banner"><button onclick="banner.remove()">Accept cookies</button></div>
    <button onclick="if (!document.getElementById('banner')) location.href='/invoices/A-2'">Invoice A-2</button>`
  ),
  "/map": page(
    "Map",
    `<button style="position:absolute;left:100px;top:280px;width:60px;height:40px" onclick="state.textContent='Berlin'">·</button>
    ${state("nowhere")}`
  ),
  "/customers": page(
    "Customers",
    `<form action="/customers/found"><label>Customer <input name="query"></label></form>
    <label>City <input name="city" oninput="state.textContent=this.value"></label>${state("")}`
  ),
  // The account number puts back its country when a script empties it, as some masks do.
  "/claim": page(
    "Claim",
    `<input id="month" maxlength="2"><input id="day" maxlength="2"><input id="year" maxlength="4">
    <label>Country <select id="country"><option value="">Choose</option><option value="DE">Germany</option>
      <option value="NL">Netherlands</option><option value="NO">Norway</option></select></label>
    <label><input type="checkbox" id="paperless" checked> No paper</label>
    <textarea id="note">Paid late.</textarea>
    <input id="iban" value="FR00" oninput="if (this.value==='' && !event.inputType) this.value='FR'">
    <div id="message" contenteditable="true"></div><textarea id="letter" onpaste="state.textContent='pasted'"></textarea>
    <input type="file" id="file" onchange="state.textContent=this.files[0].name+', '+this.files[0].size+' bytes'">${state("")}
    <script>
      let keys = 0
      iban.addEventListener("keydown", () => { keys++; iban.title = keys + " keys" })
    </script>`
  ),
  "/files": page(
    "Files",
    `<div id="drop" style="height:60px;background:#eee">Drop files here</div><ul id="sent"></ul>
    <script>
      const zone = document.getElementById("drop")
      zone.ondragover = (event) => event.preventDefault()
      zone.ondrop = (event) => {
        event.preventDefault()
        send(event.dataTransfer.files)
      }
      zone.onpaste = (event) => {
        event.preventDefault()
        send(event.clipboardData.files)
      }
      const send = ([file]) =>
        fetch("/api/notes", { method: "POST", body: file }).then(() => { sent.innerHTML = "<li>" + file.name + "</li>" })
    </script>`
  ),
  "/filter": page(
    "Invoices",
    `<ul id="list"><li>A-1</li><li>A-2</li></ul>
    <button id="paid" onclick="setTimeout(() => { list.innerHTML = '<li>A-2</li>' }, 300)">Paid</button>`
  ),
  "/offer": page(
    "Offer",
    `<script>setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<div id=offer></div>"), 300)</script>`
  ),
  // What the server checks of a passkey is not of interest here.
  "/passkey": page(
    "Sign in",
    `<button id="register">Register a passkey</button><button id="sign-in">Sign in</button><script>
      const [challenge, title] = [new Uint8Array(16), document.querySelector("h1")]
      const rp = { id: location.hostname, name: "Portal" }
      const user = { id: new Uint8Array([1]), name: "front-desk", displayName: "Front desk" }
      const ask = (button, act, text) => { document.getElementById(button).onclick = () => act().then(() => { title.textContent = text }) }
      ask("register", () => navigator.credentials.create({ publicKey: { challenge, rp, user,
        pubKeyCredParams: [{ type: "public-key", alg: -7 }], authenticatorSelection: { residentKey: "required" } } }), "Registered")
      ask("sign-in", () => navigator.credentials.get({ publicKey: { challenge, rpId: rp.id } }), "Signed in")
    </script>`
  ),
  "/code": page(
    "Enter the code",
    `<form action="/code/check"><label>Code <input name="code" autocomplete="off"></label></form>`
  ),
  "/code/sent": page(
    "Enter the code",
    `<form action="/code/check"><label>Code <input name="code" autocomplete="off"></label></form>
    <script>fetch("/send/code")</script>`
  ),
  "/link/sent": page("Check your mail", `<script>fetch("/send/link")</script>`),
  "/turnstile": page(
    "Are you a person?",
    `<div class="cf-turnstile"><input type="hidden" name="cf-turnstile-response" value=""></div>
    <script>
      const look = async () => {
        if (await (await fetch("/turnstile/solved")).text() === "yes") document.querySelector("input").value = "token"
        else setTimeout(look, 50)
      }
      look()
    </script>`
  )
}

/** Pages for the mouse. Each says in its state what was done. */
const mouse = {
  "/plan": page(
    "Plan",
    `<canvas id="plan" width="200" height="100" style="background:#eee"></canvas><br><button id="hold">Hold</button>${state("")}
    <script>
      const say = (text) => { state.textContent = text }
      plan.onclick = ({ offsetX, offsetY, shiftKey }) => say(offsetX + "," + offsetY + (shiftKey ? " Shift" : ""))
      hold.onmousedown = () => say("pressed")
      hold.onmouseup = () => { if (state.textContent === "pressed") say("released") }
      let size = 100
      plan.addEventListener("wheel", (event) => {
        event.preventDefault()
        if (event.ctrlKey) say("size " + (size -= event.deltaY / 10))
      })
      let from = null
      onpointerdown = (event) => { from = event }
      onpointerup = ({ clientX, clientY, shiftKey }) => {
        if (clientX > 179) say("frame of " + (clientX - from.clientX) + " by " + (clientY - from.clientY) + (shiftKey ? ", Shift" : ""))
      }
    </script>`
  ),
  "/board": page(
    "Board",
    `<ul id="open" style="min-height:60px"><li draggable="true" id="ada">Call Ada</li></ul><ul id="done" style="min-height:60px"></ul>
    <div id="track" style="width:200px;height:10px;background:#ccc;position:relative"><span id="thumb"
      style="position:absolute;left:0;top:-5px;width:20px;height:20px;background:#888"></span></div>
    <textarea id="note" style="width:200px;height:60px"></textarea>
    <canvas id="sign" width="200" height="60" style="background:#eee;display:block"></canvas>
    <p id="terms">Pay within <b>thirty days</b> or less.</p>${state("")}
    <script>
      const say = (text) => { state.textContent = text }
      ada.ondragstart = (event) => event.dataTransfer.setData("text/plain", event.target.id)
      done.ondragover = (event) => event.preventDefault()
      done.ondrop = (event) => {
        event.preventDefault()
        done.append(document.getElementById(event.dataTransfer.getData("text/plain")))
        say(done.textContent.trim())
      }
      let begun = null
      thumb.onpointerdown = (event) => { begun = event.clientX; thumb.setPointerCapture(event.pointerId) }
      thumb.onpointermove = ({ clientX }) => {
        if (begun === null) return
        thumb.style.left = clientX - begun + "px"
        say(thumb.style.left)
      }
      thumb.onpointerup = () => { begun = null }
      new ResizeObserver(() => { if (note.offsetWidth > 210) say("wide and " + (note.offsetHeight > 90 ? "high" : "low")) }).observe(note)
      let line = null
      sign.onmousedown = ({ offsetX, offsetY }) => { line = [offsetX + "," + offsetY] }
      sign.onmousemove = ({ offsetX, offsetY }) => line?.push(offsetX + "," + offsetY)
      sign.onmouseup = () => { say(line.join(" ")); line = null }
      terms.onmouseup = () => say(String(getSelection()))
    </script>`
  )
}

/** Pages that are longer than the window. */
const long = {
  // The list loads 15 more items at its end, up to 45.
  "/list": page(
    "Orders",
    `<div id="list" aria-label="All orders" tabindex="0" style="height:200px;width:300px;overflow:auto"><ul></ul></div>${state("")}
    <script>
      const items = document.querySelector("ul")
      const more = () => {
        const from = items.children.length
        for (let n = from + 1; n <= Math.min(from + 15, 45); n++) {
          items.insertAdjacentHTML("beforeend", '<li data-id="' + n + '" style="height:40px">Order ' + n + '</li>')
        }
      }
      more()
      list.addEventListener("scroll", () => {
        if (list.scrollTop + list.clientHeight > list.scrollHeight - 20) more()
        const box = list.getBoundingClientRect()
        const shown = [...items.children].filter((one) => { const at = one.getBoundingClientRect(); return at.top >= box.top - 1 && at.bottom <= box.bottom + 1 })
        state.textContent = shown.map((one) => one.dataset.id).join(" ")
      })
    </script>`
  ),
  "/feed": page(
    "News",
    `<p id="state" style="position:fixed;right:0;top:0">top</p><div style="height:1500px"></div>
    <h2 id="terms" style="height:40px"><a href="/help">Terms</a></h2><div style="height:1500px"></div><p id="more">0</p>
    <script>
      addEventListener("scroll", () => {
        const { top, bottom } = terms.getBoundingClientRect()
        const middle = Math.abs((top + bottom) / 2 - innerHeight / 2) < 5
        state.textContent = middle ? "terms in the middle" : Math.abs(top) < 15 ? "terms at the start" : scrollY > 0 ? "scrolled" : "top"
        if (scrollY + innerHeight > document.documentElement.scrollHeight - 50 && +more.textContent < 3) {
          more.textContent = 1 + +more.textContent
          more.insertAdjacentHTML("beforebegin", "<div style='height:1000px'></div>")
        }
      })
    </script>`
  )
}

const orders = [
  { id: "B-1", customer: "Ada", status: "open", total: 12.5 },
  { id: "B-2", customer: "Ben", status: "open", total: 7 }
]

const ordersPage = page(
  "Orders",
  `<table id="orders"><tbody>${orders
    .map(
      ({ customer, id, status, total }) =>
        `<tr><td>${id}</td><td>${customer}</td><td>${status}</td><td>${total}</td></tr>`
    )
    .join("")}</tbody></table><p id="cookie"></p>
  <script>
    cookie.textContent = document.cookie || "none"
    document.cookie = "visited=yes"
    fetch("/api/orders?status=open", { headers: { accept: "application/json" } })
  </script>`
)

const pdf = Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>")

const json =
  (value: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value))

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

const query = (request: IncomingMessage) => new URL(request.url ?? "", "http://portal.example").searchParams

/** The interface of the portal. Customers come in two pages. */
const interfaces: Readonly<Record<string, Answer>> = {
  "/api/orders": json({ total: orders.length, orders }),
  "/api/orders/B-1": json(orders[0]),
  "/api/customers": (request, response) =>
    query(request).get("cursor") === "2"
      ? json({ customers: [{ name: "Cleo" }] })(request, response)
      : json({ customers: [{ name: "Ada" }, { name: "Ben" }], next: "2" })(request, response)
}

/** Serves the portal, which takes the one-time codes that `isCode` accepts. */
export const open = (isCode: (code: string) => boolean): Effect.Effect<Portal, never, Scope.Scope> =>
  Effect.gen(function* () {
    const notes: Array<Portal["notes"][number]> = []
    let send: (what: "code" | "link") => void = () => {}
    let solved = false
    const text = (pages: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(pages).map(([path, body]) => [path, html(body)]))
    const sending =
      (what: "code" | "link"): Answer =>
      (_request, response) => {
        send(what)
        response.end()
      }
    const origin = yield* serve({
      ...text({
        ...forms,
        ...long,
        ...mouse,
        "/": page("Welcome", `<a href="/help" target="_blank">Help</a>`),
        "/home": page("Welcome", ""),
        "/note": page("Note", '<p id="note">Paid\n  <b>late</b>.<span hidden> Draft</span></p>'),
        "/help": page("Help", ""),
        "/orders": ordersPage,
        "/signed-in": page("Signed in", ""),
        "/invoices/A-1": invoice("A-1"),
        "/invoices/A-2": invoice("A-2"),
        "/invoices/A-1/paid": page("Thank you", "")
      }),
      ...interfaces,
      "/invoices": (request, response) => html(invoices(query(request).get("page")))(request, response),
      "/invoices/A-1/pdf": (_request, response) =>
        void response.writeHead(200, { "content-disposition": 'attachment; filename="A-1.pdf"' }).end(pdf),
      "/broken": (_request, response) => {
        response.writeHead(200, {
          "content-disposition": 'attachment; filename="all.zip"',
          "content-length": "1000000"
        })
        response.write(Buffer.alloc(1000))
        setTimeout(() => response.destroy(), 50)
      },
      "/files/scan.pdf": (_request, response) => void response.writeHead(200).end(pdf),
      "/customers/found": (request, response) =>
        html(page(`Results for ${query(request).get("query")}`, ""))(request, response),
      "/code/check": (request, response) =>
        html(isCode(query(request).get("code") ?? "") ? page("Signed in", "") : page("Enter the code", "Wrong code"))(
          request,
          response
        ),
      "/send/code": sending("code"),
      "/send/link": sending("link"),
      "/turnstile/solved": (_request, response) => void response.end(solved ? "yes" : "no"),
      "/api/notes": (request, response) =>
        void bodyOf(request).then((body) => {
          notes.push({ body })
          json({ id: notes.length }, { "x-note": `note-${notes.length}` })(request, response)
        })
    })
    return {
      origin,
      notes,
      onSent: (to) => {
        send = to
      },
      solve: () => {
        solved = true
      }
    }
  })
