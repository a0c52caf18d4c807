/**
 * The pages of the demo site, as HTML.
 */
import type { SecondFactor } from "./DemoUsers.ts"
import { type Order, type Status, totalCents } from "./Orders.ts"

export const pageSize = 6

export const login = (problem: string | null): string =>
  layout(
    "Sign in",
    `<main class="card narrow">
      <h1>Sign in</h1>
      ${problem === null ? "" : `<p id="problem" class="problem" role="alert">${escape(problem)}</p>`}
      <form method="post" action="/login">
        <label for="user">User name</label><input id="user" name="user" autocomplete="username" required>
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required>
        <button id="sign-in">Sign in</button>
      </form>
    </main>`
  )

/** Asks for the second factor. For a mailed link there is no field. */
export const verify = (second: SecondFactor, problem: string | null): string => {
  const asked = second._tag === "link" ? "link" : second._tag === "app" ? "app" : second.by
  return layout(
    "One more step",
    `<main class="card narrow">
      <h1>One more step</h1>
      <p id="asked" data-asked="${asked}">${asks[asked]}</p>
      ${problem === null ? "" : `<p id="problem" class="problem" role="alert">${escape(problem)}</p>`}
      ${
        second._tag === "link"
          ? ""
          : `<form method="post" action="/verify">
        <label for="code">Code</label>
        <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required${problem === null ? "" : ' aria-invalid="true"'}>
        <button id="verify">Verify</button>
      </form>`
      }
      ${second._tag === "app" ? "" : `<form method="post" action="/verify/again"><button id="again">Send it again</button></form>`}
    </main>`
  )
}

const asks = {
  app: "Enter the code that your authenticator app shows.",
  mail: "We have mailed you a code. Enter it here.",
  text: "We have sent you a text message with a code. Enter it here.",
  person: "We have told you a code. Enter it here.",
  link: "We have mailed you a link. Open it to sign in."
}

export const list = (
  orders: ReadonlyArray<Order>,
  query: { readonly page: number; readonly status: Status | null }
): string => {
  const pages = Math.max(Math.ceil(orders.length / pageSize), 1)
  const shown = orders.slice((query.page - 1) * pageSize, query.page * pageSize)
  const to = (page: number) => `/orders?page=${page}${query.status === null ? "" : `&status=${query.status}`}`
  return layout(
    "Orders",
    `${header}
    <main class="card">
      <h1>Orders</h1>
      <form method="get" action="/orders" class="filter">
        <label for="status">Status</label>
        <select id="status" name="status">
          ${["", "open", "shipped", "cancelled"]
            .map(
              (one) =>
                `<option value="${one}"${one === (query.status ?? "") ? " selected" : ""}>${one === "" ? "Any status" : one}</option>`
            )
            .join("")}
        </select>
        <button id="filter">Show</button>
      </form>
      <table id="orders">
        <thead><tr><th>Order</th><th>Date</th><th>Customer</th><th>Status</th><th class="number">Total</th></tr></thead>
        <tbody>${shown
          .map(
            (order) => `<tr>
          <td><a href="/orders/${order.number}">${order.number}</a></td><td>${order.date}</td>
          <td>${escape(order.customer)}</td><td><span class="status ${order.status}">${order.status}</span></td>
          <td class="number">${money(totalCents(order))}</td></tr>`
          )
          .join("")}</tbody>
      </table>
      <nav aria-label="Pages">
        ${query.page > 1 ? `<a id="previous" href="${to(query.page - 1)}">Previous</a>` : ""}
        <span>Page ${query.page} of ${pages}</span>
        ${query.page < pages ? `<a id="next" href="${to(query.page + 1)}">Next</a>` : ""}
      </nav>
    </main>`
  )
}

/** A script fills in the lines of an order a moment later, as on many sites. */
export const detail = (order: Order): string =>
  layout(
    `Order ${order.number}`,
    `${header}
    <main class="card">
      <h1 id="number">${order.number}</h1>
      <dl>
        <dt>Customer</dt><dd id="customer">${escape(order.customer)}</dd>
        <dt>City</dt><dd id="city">${escape(order.city)}</dd>
        <dt>Date</dt><dd id="date">${order.date}</dd>
        <dt>Total</dt><dd id="total">${money(totalCents(order))}</dd>
      </dl>
      <h2>Lines</h2>
      <table id="lines"><thead><tr><th>Article</th><th class="number">Quantity</th><th class="number">Price</th></tr></thead>
      <tbody></tbody></table>
      <p><a href="/orders">All orders</a></p>
      <script>
        fetch("/orders/${order.number}/lines").then((answer) => answer.json()).then((lines) => {
          const body = document.querySelector("#lines tbody")
          for (const line of lines) {
            const row = body.insertRow()
            for (const text of [line.article, line.quantity, line.price]) row.insertCell().textContent = text
            row.cells[1].className = row.cells[2].className = "number"
          }
          document.querySelector("#lines").dataset.loaded = "true"
        })
      </script>
    </main>`
  )

export const problem = (title: string, message: string): string =>
  layout(title, `<main class="card narrow"><h1>${escape(title)}</h1><p>${escape(message)}</p></main>`)

export const money = (cents: number): string =>
  `€ ${Math.floor(cents / 100).toLocaleString("en")}.${String(cents % 100).padStart(2, "0")}`

const header = `<header><b>Marlow Wholesale</b><a id="sign-out" href="/logout">Sign out</a></header>`

const layout = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
  <title>${escape(title)} · Marlow Wholesale</title><style>${style}</style></head><body>${body}</body></html>`

const style = `
  :root { color-scheme: light; --ink: #1d2433; --line: #dfe3ea; --blue: #2457c5 }
  * { box-sizing: border-box } body { margin: 0; background: #f4f6f9; color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
  header { display: flex; justify-content: space-between; padding: 14px 28px; background: #fff; border-bottom: 1px solid var(--line) }
  .card { max-width: 860px; margin: 32px auto; padding: 28px; background: #fff; border: 1px solid var(--line); border-radius: 10px }
  .narrow { max-width: 380px; margin-top: 96px } h1 { margin: 0 0 18px; font-size: 22px } h2 { font-size: 17px }
  label { display: block; margin: 10px 0 4px; font-weight: 600 } input, select { padding: 8px 10px; border: 1px solid #b9c1ce; border-radius: 6px; font: inherit }
  .narrow input { width: 100% } button { margin-top: 16px; padding: 8px 18px; border: 0; border-radius: 6px; background: var(--blue); color: #fff; font: inherit; cursor: pointer }
  .filter { display: flex; gap: 10px; align-items: center; margin-bottom: 18px } .filter * { margin: 0 }
  table { width: 100%; border-collapse: collapse } th, td { padding: 9px 8px; border-bottom: 1px solid var(--line); text-align: left }
  .number { text-align: right; font-variant-numeric: tabular-nums } a { color: var(--blue) }
  .status { padding: 2px 9px; border-radius: 20px; background: #e8ecf3; font-size: 13px } .open { background: #fdf0d3 } .shipped { background: #dcf3e3 }
  nav { display: flex; gap: 18px; margin-top: 18px } dl { display: grid; grid-template-columns: 110px 1fr; gap: 4px } dt { color: #667085 } dd { margin: 0 }
  .problem { padding: 10px; border-radius: 6px; background: #fde7e7; color: #9b1c1c }`

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
