/** Sessions: the state that a server keeps for a visitor. */
import { challenge } from "../Challenge.ts"
import { page, redirect, result } from "../Html.ts"
import { choose, click, each, list, read, text, type, when } from "../Workflow.ts"

const loginForm = `<form id="login" method="post" action="login"><input name="user"><input name="password" type="password"><button>Sign in</button></form>`

const signIn = [
  type("//input[@name='user']", "{{context.inputs.user}}"),
  type("//input[@name='password']", "{{context.inputs.password}}"),
  click("//form[@id='login']/button")
]

export const challenges = [
  challenge({
    name: "session that expires",
    difficulty: "After every second page the session is over and the login comes up in the place of the page.",
    state: () => ({ session: "", left: 0, logins: 0 }),
    routes: {
      "": page(loginForm),
      login: ({ form, state }) => {
        if (form.get("user") !== "ada" || form.get("password") !== "difference") return page(`<p>Wrong</p>${loginForm}`)
        state.logins++
        state.session = String(state.logins)
        state.left = 2
        return { status: 303, headers: { location: "page?no=1", "set-cookie": `sid=${state.session}; HttpOnly` } }
      },
      page: ({ cookies, query, state }) =>
        cookies.sid === state.session && state.left-- > 0
          ? page(`<h1>Page ${query.get("no")}</h1><p id="logins">${state.logins}</p>`)
          : page(`<h1>Your session has expired</h1>${loginForm}`)
    },
    inputs: { user: "ada", password: "difference" },
    workflow: [
      ...signIn,
      read({}, "//h1[starts-with(., 'Page')]"),
      each([1, 2, 3], "no", [
        { _tag: "Step", action: "NAVIGATE", parameters: { url: "page?no={{context.runtime.no}}" } },
        when(
          ["<<xpath://h1>>", "CONTAINS", "expired"],
          [
            ...signIn,
            read({}, "//h1[starts-with(., 'Page')]"),
            { _tag: "Step", action: "NAVIGATE", parameters: { url: "page?no={{context.runtime.no}}" } }
          ]
        ),
        read({ pages: list("//body", { title: text("/h1"), logins: text("/p[@id='logins']") }) })
      ])
    ],
    expected: {
      pages: [
        { title: "Page 1", logins: "1" },
        { title: "Page 2", logins: "2" },
        { title: "Page 3", logins: "3" }
      ]
    }
  }),
  challenge({
    name: "token in the form",
    difficulty:
      "Every form has a separate token that is good once, and is refused without the cookie that goes with it.",
    state: () => ({ tokens: new Set<string>(), made: 0 }),
    routes: {
      "": ({ state }) => {
        const token = `t${++state.made}`
        state.tokens.add(token)
        return {
          headers: { "set-cookie": `csrf=${token}; HttpOnly; SameSite=Strict` },
          body: page(
            `<form method="post" action="transfer"><input type="hidden" name="token" value="${token}"><input name="amount"><button>Transfer</button></form>`
          )
        }
      },
      transfer: ({ cookies, form, state }) => {
        const token = form.get("token") ?? ""
        return state.tokens.delete(token) && cookies.csrf === token
          ? page(`<p id="result">Transferred ${form.get("amount")} <a href=".">again</a></p>`)
          : { status: 403, body: page(`<p id="result">Forged</p>`) }
      }
    },
    workflow: [
      each(["10", "20"], "amount", [
        type("//input[@name='amount']", "{{context.runtime.amount}}"),
        click("//button"),
        read(
          { results: { type: "array", path: "//*[@id='result']/text()[1]", items: { type: "string" } } },
          "//*[@id='result']"
        ),
        click("//a[.='again']")
      ])
    ],
    expected: { results: ["Transferred 10", "Transferred 20"] }
  }),
  challenge({
    name: "wizard on the server",
    difficulty: "Each step is a separate page that knows what was answered before, and the order cannot be skipped.",
    state: () => ({ answers: new Map<string, string>() }),
    routes: {
      "": page(`<form method="post" action="two"><input name="name"><button>Next</button></form>`),
      two: ({ form, state }) => {
        if (form.get("name")) state.answers.set("name", form.get("name") ?? "")
        if (!state.answers.has("name")) return redirect(".")
        return page(
          `<form method="post" action="three"><p>Hello ${state.answers.get("name")}</p><select name="plan"><option value="s">Small</option><option value="l">Large</option></select><button>Next</button></form>`
        )
      },
      three: ({ form, state }) => {
        if (form.get("plan")) state.answers.set("plan", form.get("plan") ?? "")
        if (!state.answers.has("plan")) return redirect("two")
        return page(
          `<form method="post" action="done"><label><input type="checkbox" name="agree"> I agree</label><button>Order</button></form>`
        )
      },
      done: ({ form, state }) =>
        form.get("agree") === "on"
          ? page(`<p id="result">${[...state.answers.values()].join(" / ")}</p>`)
          : redirect("three")
    },
    workflow: [
      type("//input[@name='name']", "Ada"),
      click("//button[.='Next']"),
      choose("//select[@name='plan']", "Large"),
      click("//form[@action='three']/button"),
      click("//input[@name='agree']"),
      click("//button[.='Order']"),
      read({ result: text("//*[@id='result']") }, "//*[@id='result']")
    ],
    expected: { result: "Ada / l" }
  }),
  challenge({
    name: "things kept in storage",
    difficulty: "The basket lives in the storage of the browser, and the next page shows what is in it.",
    routes: {
      "": page(
        `<button>Add lamp</button><a href="basket">Basket</a>`,
        `$("button").onclick = () => { localStorage.setItem("basket", (localStorage.getItem("basket") ?? "") + "lamp ") }`
      ),
      basket: page(result, `say(localStorage.getItem("basket").trim())`)
    },
    workflow: [
      click("//button"),
      click("//button"),
      click("//a"),
      read({ result: text("//*[@id='result']") }, "//*[@id='result'][. != '']")
    ],
    expected: { result: "lamp lamp" }
  }),
  challenge({
    name: "login that is sometimes asked for",
    difficulty: "One in two visits is signed in already, and the workflow has to see which this is.",
    routes: {
      "": ({ cookies }) =>
        cookies.known === "yes"
          ? page(`<h1>Orders</h1>`)
          : { headers: { "set-cookie": "known=yes" }, body: page(`<h1>Sign in</h1><a href=".">Sign in as Ada</a>`) }
    },
    workflow: [
      each(2, "turn", [
        when(
          ["<<xpath://a[contains(., 'Sign in')]>>", "IS_NOT_NULL"],
          [read({ ways: { type: "array", path: "//h1", items: { type: "string" } } }), click("//a")],
          [read({ ways: { type: "array", path: "//h1", items: { type: "string" } } })]
        )
      ])
    ],
    expected: { ways: ["Sign in", "Orders"] }
  })
]
