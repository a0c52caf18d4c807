/** Lists that keep only the rows in view: all of their rows are read once they were scrolled to their end. */
import { challenge } from "../Challenge.ts"
import { page } from "../Html.ts"
import { list, read, step, text, texts } from "../Workflow.ts"

const toEnd = step("SCROLL", { scroll_mode: "region", container_xpath: "//*[@id='list']", goal: "full-container" })

/** Draws the rows in view by `row`, and one before and behind them. */
const windowed = (row: string, when: string) => `
  const list = $("#list")
  const row = ${row}
  const draw = () => {
    const first = Math.max(Math.floor(list.scrollTop / 40) - 1, 0)
    const last = Math.min(first + 7, 100)
    let html = ""
    for (let at = first; at < last; at++) html += row(at)
    $("#rows").innerHTML = html
    $("#rows").style.transform = "translateY(" + first * 40 + "px)"
  }
  draw()
  list.onscroll = ${when}`

const container = `<style>#list { height: 200px; overflow: auto; width: 300px } #rows > * { height: 40px; box-sizing: border-box }</style>
  <div id="list"><div style="height: 4000px"><div id="rows"></div></div></div>`

const all = Array.from({ length: 100 }, (_, at) => at)

export const challenges = [
  challenge({
    name: "list of the rows in view",
    difficulty: "Only the rows in view are in the page, and no row says which one it is.",
    routes: { "": page(container, windowed(`(at) => "<div>Row " + at + "</div>"`, "draw")) },
    workflow: [toEnd, read({ rows: texts("//*[@id='rows']/div") })],
    expected: { rows: all.map((at) => `Row ${at}`) }
  }),
  challenge({
    name: "list of equal rows",
    difficulty: "Rows that are equal stand beside each other, and only their places tell them apart.",
    routes: {
      "": page(
        container,
        windowed(`(at) => "<div>" + (at < 60 ? "same" : "Row " + Math.floor(at / 3)) + "</div>"`, "draw")
      )
    },
    workflow: [toEnd, read({ rows: texts("//*[@id='rows']/div") })],
    expected: { rows: all.map((at) => (at < 60 ? "same" : `Row ${Math.floor(at / 3)}`)) }
  }),
  challenge({
    name: "grid that numbers its rows",
    difficulty: "The rows of a grid are numbered, drawn late, and a heading stays in view.",
    routes: {
      "": page(
        container.replace(
          `<div style="height: 4000px">`,
          `<div role="grid" aria-rowcount="101" style="height: 4000px">`
        ),
        windowed(
          `(at) => "<div role=row aria-rowindex=" + (at + 2) + "><b>" + at + "</b><i>Name " + at % 7 + "</i></div>"`,
          "() => { clearTimeout(list.timer); list.timer = setTimeout(draw, 120) }"
        )
      )
    },
    workflow: [toEnd, read({ rows: list("//*[@role='row']", { number: text("/b"), name: text("/i") }) })],
    expected: { rows: all.map((at) => ({ number: `${at}`, name: `Name ${at % 7}` })) }
  }),
  challenge({
    name: "list that keeps its rows",
    difficulty: "More rows come at the end of a list, and those before stay: they are read once.",
    routes: {
      "": page(
        container.replace(`<div style="height: 4000px"><div id="rows"></div></div>`, `<div id="rows"></div>`),
        `const more = () => { for (let at = 0; at < 10; at++) $("#rows").insertAdjacentHTML("beforeend", "<div>Row " + $("#rows").children.length + "</div>") }
        more()
        $("#list").onscroll = () => {
          const list = $("#list")
          if (list.scrollTop + list.clientHeight > list.scrollHeight - 60 && $("#rows").children.length < 40) more()
        }`
      )
    },
    workflow: [toEnd, read({ rows: texts("//*[@id='rows']/div") })],
    expected: { rows: all.slice(0, 40).map((at) => `Row ${at}`) }
  })
]
