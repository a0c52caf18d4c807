/** Ways from one address to another. */
import { challenge } from "../Challenge.ts"
import { page, redirect, result } from "../Html.ts"
import { back, click, open, read, text, type } from "../Workflow.ts"

export const challenges = [
  challenge({
    name: "chain of redirects",
    difficulty: "The address leads over four others, with every status that redirects have.",
    routes: {
      "": redirect("a", 301),
      a: redirect("b", 302),
      b: redirect("c", 307),
      c: redirect("end?via=abc", 308),
      end: ({ query }) => page(`<h1>Arrived via ${query.get("via")}</h1>`)
    },
    workflow: [read({ title: text("//h1"), at: text("{{window.location.search}}") })],
    expected: { title: "Arrived via abc", at: "?via=abc" }
  }),
  challenge({
    name: "refresh by the page",
    difficulty: "The page says that it moved and redirects after it was shown.",
    routes: {
      "": `<!doctype html><meta http-equiv="refresh" content="0; url=moved"><p>One moment</p>`,
      moved: page(`<h1>New home</h1>`)
    },
    workflow: [read({ title: text("//h1") }, "//h1")],
    expected: { title: "New home" }
  }),
  challenge({
    name: "redirect by script",
    difficulty: "A page in between sets a cookie and continues by script a moment later.",
    routes: {
      "": ({ cookies }) =>
        cookies.checked === "1"
          ? page(`<h1>Welcome</h1><a href="inside">Inside</a>`)
          : page("Checking…", `document.cookie = "checked=1"; setTimeout(() => location.reload(), 150)`),
      inside: page(`<h1>Inside</h1>`)
    },
    workflow: [click("//a[.='Inside']"), read({ title: text("//h1") }, "//h1[.='Inside']")],
    expected: { title: "Inside" }
  }),
  challenge({
    name: "views by the hash",
    difficulty: "The views of one page are named by the hash of its address, and no document is ever loaded.",
    routes: {
      "": page(
        `<nav><a href="#/list">List</a> <a href="#/about">About</a></nav><main></main>`,
        `onhashchange = () => setTimeout(() => { $("main").innerHTML = "<h2>" + (location.hash || "#/home") + "</h2>" }, 80)
        onhashchange()`
      )
    },
    workflow: [
      click("//a[.='List']"),
      read({ first: text("//h2") }, "//h2[.='#/list']"),
      open("#/about"),
      read({ second: text("//h2") }, "//h2[.='#/about']"),
      back,
      read({ third: text("//h2"), hash: text("{{window.location.hash}}") }, "//h2[.='#/list']")
    ],
    expected: { first: "#/list", second: "#/about", third: "#/list", hash: "#/list" }
  }),
  challenge({
    name: "views by the history",
    difficulty: "The page changes its address and its content by script, and going back does the same.",
    routes: {
      "": page(
        `<main></main>`,
        `const show = () => setTimeout(() => {
          const id = new URLSearchParams(location.search).get("id")
          $("main").innerHTML = id ? "<h2>Item " + id + "</h2>" : "<ul>" + [1, 2].map((id) => "<li><a href='?id=" + id + "'>Open " + id + "</a></li>").join("") + "</ul>"
        }, 60)
        document.onclick = (event) => {
          if (!event.target.matches("a")) return
          event.preventDefault()
          history.pushState({}, "", event.target.href)
          show()
        }
        onpopstate = show
        show()`
      )
    },
    workflow: [
      click("//a[.='Open 1']"),
      read({ one: text("//h2") }, "//h2"),
      back,
      click("//a[.='Open 2']"),
      read({ two: text("//h2"), at: text("{{window.location.search}}") }, "//h2[.='Item 2']")
    ],
    expected: { one: "Item 1", two: "Item 2", at: "?id=2" }
  }),
  challenge({
    name: "redirect after a form",
    difficulty: "A form is answered by a redirect, and a redirect of that, before the page that says how it went.",
    state: () => ({ names: [] as Array<string> }),
    routes: {
      "": page(`<form method="post" action="save"><input name="name"><button>Save</button></form>`),
      save: ({ form, state }) => {
        state.names.push(form.get("name") ?? "")
        return redirect("saved", 303)
      },
      saved: redirect("done"),
      done: ({ state }) => page(`<p id="result">Saved ${state.names.join(", ")}</p>`)
    },
    workflow: [
      type("//input[@name='name']", "Grace & Söhne", { submit_after_input: true }),
      read({ result: text("//*[@id='result']") }, "//*[@id='result']")
    ],
    expected: { result: "Saved Grace & Söhne" }
  }),
  challenge({
    name: "relative address and back",
    difficulty: "The workflow opens addresses relative to the page it is at, and goes back over two of them.",
    routes: {
      "": page(`<h1>Start</h1>${result}`),
      "deep/one": page(`<h1>One</h1>`),
      "deep/two": page(`<h1>Two</h1>`)
    },
    workflow: [
      open("deep/one"),
      open("two"),
      read({ there: text("//h1") }),
      back,
      back,
      read({ here: text("//h1") }, "//h1[.='Start']")
    ],
    expected: { there: "Two", here: "Start" }
  })
]
