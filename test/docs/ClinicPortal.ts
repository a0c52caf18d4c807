/** The billing portal of docs/getting-started.md: a login with a one-time code, invoices on two pages, and their PDFs. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect, type Scope } from "effect"
import { type Answer, html, serve } from "../support/site.ts"

export const visitor = { user: "front-desk@clinic.example", password: "tide-and-timber" }

export interface ClinicPortal {
  readonly origin: string
  /** The number of sign-ins. */
  readonly signIns: () => number
}

const page = (title: string, body: string): Answer =>
  html(`<!doctype html><title>${title}</title><link rel="icon" href="data:,"><h1>${title}</h1>${body}`)

const row = (number: string, total: number) => `<tr><td>${number}</td><td>open</td><td>${total}</td></tr>`

const list = (second: boolean) =>
  page(
    "Invoices",
    `<table id="invoices"><tbody>${second ? row("A-3", 30) : row("A-1", 10.5) + row("A-2", 20)}</tbody></table>
    ${second ? "" : '<a rel="next" href="/invoices?status=open&page=2">Next</a>'}`
  )

const pdf = (number: string) => Buffer.from(`%PDF-1.4\n% ${number}\ntrailer<</Root 1 0 R>>`)

const formOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"))
}

const redirect = (response: ServerResponse, location: string, headers: Readonly<Record<string, string>> = {}) =>
  void response.writeHead(303, { location, ...headers }).end()

/** Serves the portal, which takes the one-time codes that `isCode` accepts. */
export const open = (isCode: (code: string) => boolean): Effect.Effect<ClinicPortal, never, Scope.Scope> =>
  Effect.gen(function* () {
    let signedIn = 0
    const known =
      (answer: Answer): Answer =>
      (request, response) =>
        /session=known/.test(request.headers.cookie ?? "")
          ? answer(request, response)
          : page(
              "Sign in",
              `<form method="post" action="/login"><input name="user"><input name="password" type="password"><button>Sign in</button></form>`
            )(request, response)
    const invoice = (number: string): Readonly<Record<string, Answer>> => ({
      [`/invoices/${number}`]: known(page(number, `<a href="/invoices/${number}.pdf">Download PDF</a>`)),
      [`/invoices/${number}.pdf`]: known(
        (_request, response) =>
          void response
            .writeHead(200, { "content-disposition": `attachment; filename="${number}.pdf"` })
            .end(pdf(number))
      )
    })
    const askForCode = page("Enter the code", `<form method="post" action="/code"><input name="code"></form>`)
    const origin = yield* serve({
      "/invoices": known((request, response) => {
        const second = new URL(request.url ?? "", "http://portal.example").searchParams.get("page") === "2"
        // The second page takes a moment, as it does on real sites.
        setTimeout(() => list(second)(request, response), second ? 300 : 0)
      }),
      ...invoice("A-1"),
      ...invoice("A-2"),
      ...invoice("A-3"),
      "/login": (request, response) =>
        void formOf(request).then((form) =>
          form.get("user") === visitor.user && form.get("password") === visitor.password
            ? askForCode(request, response)
            : page("Sign in", "Wrong user or password")(request, response)
        ),
      "/code": (request, response) =>
        void formOf(request).then((form) =>
          isCode(form.get("code") ?? "")
            ? page("Trust this browser?", `<form method="post" action="/trust"><button>Continue</button></form>`)(
                request,
                response
              )
            : askForCode(request, response)
        ),
      "/trust": (_request, response) => {
        signedIn += 1
        redirect(response, "/invoices?status=open", {
          "set-cookie": "session=known; HttpOnly; Path=/; Max-Age=31536000"
        })
      }
    })
    return { origin, signIns: () => signedIn }
  })
