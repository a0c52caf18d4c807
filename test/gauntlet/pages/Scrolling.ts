/** Elements that appear only on scrolling. */
import { challenge } from "../Challenge.ts"
import { json, page, result } from "../Html.ts"
import { click, each, hover, list, number, read, step, text, texts, when } from "../Workflow.ts"

const scroll = (more: Readonly<Record<string, unknown>>) =>
  step("SCROLL", { execution: "STATIC", load_events_triggered_through_scroll: 0, wait_time: 30_000, ...more })

export const challenges = [
  challenge({
    name: "infinite scroll",
    difficulty: "More entries come each time that the end of the page is in sight, until there are no more.",
    routes: {
      "": page(
        `<ul></ul><div id="end">…</div>`,
        `let at = 0, busy = false
        const more = async () => {
          if (busy || at >= 20) return
          busy = true
          const { items } = await (await fetch("items?from=" + at)).json()
          at += items.length
          $("ul").insertAdjacentHTML("beforeend", items.map((item) => "<li style='height: 120px'>" + item + "</li>").join(""))
          if (at >= 20) { $("#end").textContent = "That is all"; $("#end").dataset.all = "yes" }
          busy = false
        }
        new IntersectionObserver(([entry]) => { if (entry.isIntersecting) more() }, { rootMargin: "50px" }).observe($("#end"))`
      ),
      items: ({ query }) =>
        json({ items: Array.from({ length: 10 }, (_, index) => `Item ${Number(query.get("from")) + index + 1}`) })
    },
    workflow: [
      each(10, "turn", [
        when(
          ["<<xpath://*[@id='end']/@data-all>>", "IS_NULL"],
          [scroll({ scroll_mode: "simple", direction: "down", load_events_triggered_through_scroll: 10 })]
        )
      ]),
      read(
        { count: number("count(//ul/li)"), last: text("//ul/li[last()]"), end: text("//*[@id='end']") },
        "//*[@id='end'][@data-all]"
      )
    ],
    expected: { count: 20, last: "Item 20", end: "That is all" }
  }),
  challenge({
    name: "more entries by acting on the last",
    difficulty: "More entries come when the end of the page is reached, as by going to the last entry.",
    routes: {
      "": page(
        `<ul>${"<li style='height: 200px'>Entry</li>".repeat(8)}</ul>`,
        `let added = 0
        onscroll = () => {
          if (innerHeight + scrollY < document.body.scrollHeight - 250 || added === 16) return
          added += 8
          setTimeout(() => $("ul").insertAdjacentHTML("beforeend", "<li style='height: 200px'>Entry</li>".repeat(8)), 60)
        }`
      )
    },
    workflow: [
      each(2, "turn", [
        hover("//ul/li[last()]"),
        read({ seen: number("count(//li)") }, "//ul[count(li) >= {{8 * (context.runtime.turn + 2)}}]")
      ])
    ],
    expected: { seen: 24 }
  }),
  challenge({
    name: "scrolled to an element",
    difficulty: "The chart is drawn when its place comes into view, far below the fold.",
    routes: {
      "": page(
        `<div style="height: 3000px"></div><div id="chart" style="height: 100px"></div><div style="height: 1000px"></div>`,
        `new IntersectionObserver(([entry]) => {
          if (entry.isIntersecting) $("#chart").innerHTML = "<b>Peak 812</b>"
        }).observe($("#chart"))`
      )
    },
    workflow: [
      scroll({ scroll_mode: "to-element", xpath: "//*[@id='chart']", position: "center" }),
      read({ peak: number("//*[@id='chart']/b") }, "//*[@id='chart']/b")
    ],
    expected: { peak: 812 }
  }),
  challenge({
    name: "virtualised table",
    difficulty: "Only the rows in sight are in the document, and they are used again for others.",
    routes: {
      "": page(
        `<div id="grid" style="height: 200px; overflow: auto; position: relative"><div id="all" style="height: 20000px"></div></div>${result}`,
        `const grid = $("#grid")
        const draw = () => {
          const first = Math.floor(grid.scrollTop / 40)
          $("#all").innerHTML = Array.from({ length: 7 }, (_, index) => first + index + 1)
            .map((row) => "<div class=row style='position: absolute; height: 40px; top: " + (row - 1) * 40 + "px'>Row " + row + "</div>").join("")
          for (const row of document.querySelectorAll(".row")) row.onclick = () => say("chose " + row.textContent)
        }
        grid.onscroll = draw
        draw()`
      )
    },
    workflow: [
      scroll({
        scroll_mode: "region",
        container_xpath: "//*[@id='grid']",
        xpath: "//div[@class='row'][.='Row 12']",
        goal: "find-element"
      }),
      click("//div[@class='row'][.='Row 12']"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "chose Row 12" }
  }),
  challenge({
    name: "box that loads to its end",
    difficulty: "A box with its own scroll bar loads more messages at its end while the page itself stays.",
    routes: {
      "": page(
        `<div id="box" style="height: 150px; overflow-y: scroll"><ul></ul></div>`,
        `let at = 0
        const more = () => setTimeout(() => {
          if (at >= 10) { $("#box").dataset.whole = "yes"; return }
          for (let end = at + 5; at < end; at++) $("ul").insertAdjacentHTML("beforeend", "<li style='height: 60px'>Message " + (at + 1) + "</li>")
        }, 40)
        $("#box").onscroll = () => { if ($("#box").scrollTop + 160 >= $("#box").scrollHeight) more() }
        more()`
      )
    },
    workflow: [
      read({}, "//*[@id='box']//li[1]"),
      scroll({ scroll_mode: "region", container_xpath: "//*[@id='box']", goal: "full-container" }),
      read({ count: number("count(//li)"), last: text("//li[last()]") }, "//*[@id='box'][@data-whole]")
    ],
    expected: { count: 10, last: "Message 10" }
  }),
  challenge({
    name: "lazy images",
    difficulty: "Images have their real address only in an attribute of the page's own until they are in view.",
    routes: {
      "": page(
        `${[1, 2, 3].map((at) => `<figure style="margin-bottom: 1500px"><img alt="Photo ${at}" data-src="photo-${at}.png" src="data:,"></figure>`).join("")}`
      )
    },
    workflow: [read({ photos: list("//figure/img", { title: text("/@alt"), file: text("/@data-src") }) })],
    expected: {
      photos: [1, 2, 3].map((at) => ({ title: `Photo ${at}`, file: `photo-${at}.png` }))
    }
  }),
  challenge({
    name: "carousel",
    difficulty: "Slides go on by themselves, all are in the document, and only one of them can be clicked.",
    routes: {
      "": page(
        `<div style="overflow: hidden; width: 300px"><div id="band" style="display: flex; width: 900px">${["Spring", "Summer", "Autumn"].map((name) => `<div style="width: 300px"><button>${name}</button></div>`).join("")}</div></div><button id="next">›</button>${result}`,
        `let at = 0
        $("#next").onclick = () => { at = (at + 1) % 3; $("#band").style.transform = "translateX(" + -300 * at + "px)"; $("#band").dataset.at = at }
        $("#band").onclick = ({ target }) => say(target.textContent)`
      )
    },
    workflow: [
      click("//*[@id='next']"),
      click("//*[@id='next']"),
      click("//*[@id='band'][@data-at='2']//button[.='Autumn']"),
      read({ result: text("//*[@id='result']"), all: texts("//*[@id='band']//button") })
    ],
    expected: { result: "Autumn", all: ["Spring", "Summer", "Autumn"] }
  })
]
