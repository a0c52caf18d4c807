/** The pieces of hostile pages: parts of documents, and ways to send them. */
import type { ServerResponse } from "node:http"

export interface Piece {
  readonly head?: string
  readonly body?: string
  /** Runs when the document has been read; what it throws is ignored. */
  readonly script?: string
  /** Runs when the button `#go` is clicked. */
  readonly onClick?: string
}

export const documents: Readonly<Record<string, Piece>> = {
  "2,000 levels": { body: "<div>".repeat(2_000) },
  "30,000 elements": {
    script:
      "const f = document.createDocumentFragment(); for (let i = 0; i < 30000; i++) f.append(document.createElement('i')); document.body.append(f)"
  },
  "elements that are not closed": { body: "<table><tr><p><form><a><b><select><option><svg><p><math><mi><table>" },
  "the same id many times": { body: "<button id=go>x</button><p id=text>y</p>".repeat(50) },
  "shadow roots in shadow roots": {
    script:
      "let at = document.body; for (let i = 0; i < 200; i++) { const d = document.createElement('div'); at.append(d); at = d.attachShadow({ mode: i % 2 ? 'open' : 'closed' }) }"
  },
  "frames in frames": { body: "<iframe srcdoc=\"<iframe srcdoc='<button id=go>'></iframe>\"></iframe>".repeat(10) },
  "a frame of itself": { body: "<iframe src='/?again'></iframe>" },
  "a form that hides what it is": {
    body: "<form id=text name=body><input name=parentNode><input name=children><input name=tagName><input name=textContent><input name=innerText></form>"
  },
  "names that shadow globals": {
    body: "<img name=getElementById><img name=querySelector><form name=defaultView></form><a id=JSON></a>"
  },
  "prototypes that throw": {
    script:
      "for (const name of ['getBoundingClientRect', 'getAttribute', 'matches', 'closest', 'contains']) Element.prototype[name] = () => { throw new Error('no') }"
  },
  "prototypes that lie": {
    script:
      "Element.prototype.getBoundingClientRect = () => ({ x: 1e308, y: NaN, width: -1, height: Infinity, top: '0', left: {} }); Object.defineProperty(Node.prototype, 'textContent', { get: () => ({}) })"
  },
  "prototypes that never return": {
    onClick: "Object.defineProperty(Node.prototype, 'textContent', { get: () => { for (;;); } })"
  },
  "built-ins that are gone": {
    script:
      "window.JSON = null; window.Promise = null; window.Map = null; window.Symbol = null; window.Array.from = null; window.getComputedStyle = null"
  },
  "built-ins that are replaced": {
    script:
      "Array.prototype.push = function () { throw 1 }; Array.prototype.map = () => 7; JSON.stringify = () => '{'; Object.keys = () => [1, 2]; String.prototype.trim = () => null"
  },
  "a toJSON on everything": { script: "Object.prototype.toJSON = () => 'x'; Object.prototype.then = (f) => f(1)" },
  "a polluted prototype": {
    script: "Object.prototype.selector = 'x'; Object.prototype.value = {}; Object.prototype[0] = 'zero'"
  },
  "texts that are no characters": {
    body: "&#0;&#xd800;&#xdfff;&#xffff;\u202e\u200b",
    script: "document.querySelector('#text').textContent = '\\u0000\\ud800\\udfff'"
  },
  "a text of 300,000 characters": { script: "document.querySelector('#text').textContent = 'a'.repeat(300000)" },
  "a text of backslashes": { script: "document.querySelector('#text').textContent = '\\\\'.repeat(10000)" },
  "a text of brackets": { script: "document.querySelector('#text').textContent = '[(<{'.repeat(20000)" },
  "an attribute of a megabyte": { script: "document.querySelector('#go').setAttribute('class', 'x '.repeat(500000))" },
  "5,000 attributes": {
    script: "for (let i = 0; i < 5000; i++) document.querySelector('#go').setAttribute('a' + i, i)"
  },
  "10,000 options": { body: `<select>${"<option>x".repeat(10_000)}</select>` },
  "a title that changes": { script: "setInterval(() => { document.title = Math.random() }, 1)" },
  "elements that come and go": {
    script:
      "setInterval(() => { const go = document.querySelector('#go'); if (go) { go.remove(); document.body.append(go.cloneNode(true)) } }, 20)"
  },
  "a button that runs away": {
    script:
      "let x = 0; setInterval(() => { document.querySelector('#go').style.marginLeft = (x = (x + 37) % 900) + 'px' }, 10)"
  },
  "a button that comes late": {
    script: "const go = document.querySelector('#go'); go.remove(); setTimeout(() => document.body.append(go), 600)"
  },
  "a button that goes": { script: "setTimeout(() => document.querySelector('#go')?.remove(), 200)" },
  "a veil over everything": { body: "<div style='position:fixed;inset:0;z-index:2147483647'></div>" },
  "nothing that shows": { head: "<style>* { display: none !important }</style>" },
  "endless animation": {
    head: "<style>@keyframes s { to { transform: rotate(1turn) scale(3) } } * { animation: s .1s infinite }</style>"
  },
  "a page of a million pixels": { head: "<style>body { height: 1000000px; width: 200000px }</style>" },
  "scrolling that is undone": { script: "addEventListener('scroll', () => scrollTo(0, 0))" },
  "a document that is written anew": { onClick: "document.open(); document.write('<p id=text>new'); document.close()" },
  "a document that is emptied": { onClick: "document.documentElement.remove()" },
  "a base of no address": { head: "<base href='javascript:alert(1)'>" },
  "a refresh without end": { head: "<meta http-equiv=refresh content='0; url=/?refreshed'>" },
  "another address at once": { script: "setTimeout(() => { location.href = '/?moved' + Math.random() }, 150)" },
  "another address at a click": { onClick: "location.href = 'about:blank'" },
  "an address that does not answer": { onClick: "location.href = 'http://10.255.255.1/'" },
  "a stay on leaving": { script: "onbeforeunload = (event) => { event.preventDefault(); return 'stay' }" },
  "a question at a click": { onClick: "prompt('x'.repeat(100000)); confirm('\\u0000'); alert({})" },
  "windows at a click": { onClick: "for (let i = 0; i < 20; i++) open('/plain')" },
  "a window that closes": { onClick: "close()" },
  "a busy page": {
    script: "setInterval(() => { const end = performance.now() + 80; while (performance.now() < end); }, 100)"
  },
  "a loop at a click": { onClick: "for (;;);" },
  "a flood on the console": { script: "for (let i = 0; i < 20000; i++) console.log('x', i, { a: i })" },
  "a flood of errors": {
    script:
      "for (let i = 0; i < 3000; i++) { setTimeout(() => { throw { get message() { throw 1 } } }); Promise.reject(i) }"
  },
  "a flood of requests": { script: "for (let i = 0; i < 300; i++) fetch('/plain?' + i).catch(() => {})" },
  "a flood of frames": {
    script: "for (let i = 0; i < 60; i++) document.body.append(document.createElement('iframe'))"
  },
  "a flood of history": { script: "for (let i = 0; i < 150; i++) history.pushState({}, '', '?' + i)" },
  "downloads at a click": {
    onClick:
      "for (let i = 0; i < 20; i++) { const a = document.createElement('a'); a.download = '../../x' + i; a.href = 'data:,x'; a.click() }"
  },
  printing: { onClick: "print()" },
  "a file dialog": { onClick: "const i = document.createElement('input'); i.type = 'file'; i.click()" },
  "full screen and locks": {
    onClick:
      "document.body.requestFullscreen(); document.body.requestPointerLock(); navigator.locks?.request('x', () => new Promise(() => {}))"
  },
  "a worker of the site": { script: "new Worker(URL.createObjectURL(new Blob(['for (;;);'])))" },
  "a canvas of many pixels": {
    script:
      "const c = document.createElement('canvas'); c.width = c.height = 8000; document.body.append(c); c.getContext('2d').fillRect(0, 0, 8000, 8000)"
  },
  "MathML and SVG": {
    body: "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math><svg><foreignObject><p id=text>x</p></foreignObject></svg>"
  },
  "styles that never end": {
    head: `<style>${":not(".repeat(500)}a${")".repeat(500)} {} ${"@media all {".repeat(1_000)}</style>`
  }
}

const html = { "content-type": "text/html; charset=utf-8" }

export const responses: Readonly<Record<string, (response: ServerResponse, html: string) => void>> = {
  "plain text": (response, body) => void response.writeHead(200, { "content-type": "text/plain" }).end(body),
  "UTF-16 that it is not": (response, body) =>
    void response.writeHead(200, { "content-type": "text/html; charset=utf-16" }).end(body),
  XHTML: (response, body) => void response.writeHead(200, { "content-type": "application/xhtml+xml" }).end(body),
  "no type": (response, body) => void response.writeHead(200).end(body),
  "bytes to download": (response, body) =>
    void response.writeHead(200, { "content-type": "application/octet-stream" }).end(body),
  "an attachment": (response, body) =>
    void response.writeHead(200, { ...html, "content-disposition": "attachment; filename=../../x" }).end(body),
  "a strict policy": (response, body) =>
    void response.writeHead(200, { ...html, "content-security-policy": "default-src 'none'; sandbox" }).end(body),
  "500": (response, body) => void response.writeHead(500, html).end(body),
  "403": (response, body) => void response.writeHead(403, html).end(body),
  "429": (response, body) => void response.writeHead(429, { ...html, "retry-after": "99999999999" }).end(body),
  "204": (response) => void response.writeHead(204).end(),
  "205": (response) => void response.writeHead(205).end(),
  "a redirect to nowhere": (response) => void response.writeHead(302).end(),
  "a redirect to another scheme": (response) => void response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "a redirect into a private network": (response) =>
    void response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
  "headers of 100 kB": (response, body) =>
    void response.writeHead(200, { ...html, "x-large": Array.from({ length: 20 }, () => "x".repeat(5_000)) }).end(body),
  "500 cookies": (response, body) =>
    void response
      .writeHead(200, { ...html, "set-cookie": Array.from({ length: 500 }, (_, at) => `c${at}=x; Max-Age=9`) })
      .end(body),
  "a refresh header": (response, body) =>
    void response.writeHead(200, { ...html, refresh: "0; url=/?refreshed" }).end(body),
  "a length that is too long": (response, body) => {
    response.writeHead(200, { ...html, "content-length": String(Buffer.byteLength(body) + 100) })
    response.write(body, () => response.socket?.end())
  },
  "bytes that are no gzip": (response, body) =>
    void response.writeHead(200, { ...html, "content-encoding": "gzip" }).end(body),
  slowly: (response, body) => {
    response.writeHead(200, html)
    const pieces = [body.slice(0, 50), body.slice(50, 200), body.slice(200)]
    const timer = setInterval(() => {
      const piece = pieces.shift()
      if (piece !== undefined) return void response.write(piece)
      clearInterval(timer)
      response.end()
    }, 200)
    response.on("close", () => clearInterval(timer))
  },
  "never to its end": (response, body) => void response.writeHead(200, html).write(body),
  late: (response, body) => {
    const timer = setTimeout(() => response.writeHead(200, html).end(body), 800)
    response.on("close", () => clearTimeout(timer))
  },
  "early hints without end": (response, body) => {
    for (let hint = 0; hint < 50; hint++) response.writeEarlyHints({ link: "</x.css>; rel=preload; as=style" })
    response.writeHead(200, html).end(body)
  },
  "a cut connection": (response) => void response.socket?.destroy()
}
