/** Fields that have their own mind about what is typed into them, dates among them. */
import { challenge } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, each, read, text, type, when } from "../Workflow.ts"

/** A field that puts `mask` on the digits that are typed, at each of them. */
const masked = (mask: string) =>
  page(
    `<input inputmode="numeric" placeholder="${mask}">${result}`,
    `$("input").oninput = () => {
      const digits = $("input").value.replace(/\\D/g, "")
      let shown = "", at = 0
      for (const place of "${mask}") {
        if (at >= digits.length) break
        shown += place === "#" ? digits[at++] : place
      }
      $("input").value = shown
      say(shown)
    }`
  )

const months = `["January","February","March","April","May","June","July","August","September","October","November","December"]`

export const challenges = [
  challenge({
    name: "phone number with a mask",
    difficulty: "The field puts brackets and dashes between the digits while they are typed.",
    routes: { "": masked("(###) ###-####") },
    workflow: [
      type("//input", "4155550132", { typing_delay_ms: 2 }),
      read({ result: text("//*[@id='result']"), field: text("//input") })
    ],
    expected: { result: "(415) 555-0132", field: "(415) 555-0132" }
  }),
  challenge({
    name: "card number with a mask",
    difficulty: "The field groups the digits by four, whether they are typed or set at once with spaces of their own.",
    routes: { "": masked("#### #### #### ####") },
    workflow: [type("//input", "4111-1111 11111111"), read({ field: text("//input") })],
    expected: { field: "4111 1111 1111 1111" }
  }),
  challenge({
    name: "date with a mask",
    difficulty: "The field has an old date in it, inserts slashes, and must be emptied key by key.",
    routes: {
      "": page(
        `<input value="01/01/2000">${result}`,
        `$("input").onkeydown = (event) => {
          const field = $("input")
          if (event.key === "Backspace" && field.selectionStart !== field.selectionEnd) field.value = ""
          if (/^\\d$/.test(event.key)) {
            const digits = (field.value.replace(/\\D/g, "") + event.key).slice(0, 8)
            field.value = digits.replace(/^(\\d\\d)(\\d)/, "$1/$2").replace(/^(\\d\\d\\/\\d\\d)(\\d)/, "$1/$2")
          }
          if (event.key !== "Tab" && event.key !== "Control" && !event.ctrlKey) event.preventDefault()
          say(field.value)
        }`
      )
    },
    workflow: [
      type("//input", "12312026", { aggressive_clear: true, typing_delay_ms: 2 }),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "12/31/2026" }
  }),
  challenge({
    name: "amount that is put in form",
    difficulty: "The amount is put in form when the field is left, and calculated with in cents.",
    routes: {
      "": page(
        `<input value="0.00">${result}`,
        `$("input").onblur = () => {
          const cents = Math.round(Number($("input").value.replace(",", ".")) * 100)
          $("input").value = (cents / 100).toLocaleString("de-DE", { minimumFractionDigits: 2 }) + " €"
          say(cents + " cents")
        }`
      )
    },
    workflow: [
      type("//input", "1234,5{{tab}}"),
      read({ result: text("//*[@id='result']"), amount: { type: "number", path: "//input" } })
    ],
    expected: { result: "123450 cents", amount: 1234.5 }
  }),
  challenge({
    name: "code in six boxes",
    difficulty: "Each digit has a separate box, and the page moves the focus.",
    routes: {
      "": page(
        `<div>${"<input maxlength=1 size=1>".repeat(6)}</div>${result}`,
        `const boxes = [...document.querySelectorAll("input")]
        boxes.forEach((box, index) => { box.oninput = () => {
          boxes[index + 1]?.focus()
          if (boxes.every((one) => one.value)) say(boxes.map((one) => one.value).join(""))
        } })`
      )
    },
    workflow: [
      click("(//input)[1]"),
      { _tag: "Step", action: "INPUT_TEXT", parameters: { text: "271828", omit_focus: true, typing_delay_ms: 5 } },
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "271828" }
  }),
  challenge({
    name: "native date",
    difficulty: "A date input takes a date in one form only, whatever it shows.",
    routes: {
      "": page(`<input type="date">${result}`, `$("input").onchange = () => say("on " + $("input").value)`)
    },
    workflow: [type("//input", "2026-12-24"), read({ result: text("//*[@id='result']") })],
    expected: { result: "on 2026-12-24" }
  }),
  challenge({
    name: "date picker by months",
    difficulty: "The date is picked from a calendar that turns month by month, with days of the months around in it.",
    routes: {
      "": page(
        `<input readonly><div id="picker" class="hidden"><button id="back">‹</button> <b></b> <button id="on">›</button><table><tbody></tbody></table></div>${result}`,
        `let year = 2026, month = 10
        const draw = () => {
          $("b").textContent = ${months}[month] + " " + year
          const first = new Date(Date.UTC(year, month, 1))
          const day = new Date(first - (first.getUTCDay() + 6) % 7 * 864e5)
          let rows = ""
          for (let row = 0; row < 6; row++) {
            rows += "<tr>"
            for (let column = 0; column < 7; column++, day.setUTCDate(day.getUTCDate() + 1)) {
              rows += "<td class=" + (day.getUTCMonth() === month ? "in" : "out") + ">" + day.getUTCDate() + "</td>"
            }
            rows += "</tr>"
          }
          $("tbody").innerHTML = rows
        }
        const turn = (by) => setTimeout(() => { month += by; if (month > 11) { month = 0; year++ } if (month < 0) { month = 11; year-- } draw() }, 40)
        $("input").onclick = () => { $("#picker").classList.remove("hidden"); draw() }
        $("#on").onclick = () => turn(1)
        $("#back").onclick = () => turn(-1)
        $("tbody").onclick = ({ target }) => {
          if (target.className !== "in") return say("wrong month")
          $("input").value = target.textContent + " " + $("b").textContent
          $("#picker").classList.add("hidden")
          say($("input").value)
        }`
      )
    },
    inputs: { month: "February 2027", day: "28" },
    workflow: [
      click("//input"),
      each(24, "turn", [
        when(
          ["<<xpath://b>>", "NOT_EQUAL", "{{context.inputs.month}}"],
          [read({ shown: text("//b") }), click("//*[@id='on']"), read({}, "//b[. != '{{context.shown}}']")]
        )
      ]),
      click("//td[@class='in'][.='{{context.inputs.day}}']"),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { shown: "January 2027", result: "28 February 2027" }
  }),
  challenge({
    name: "field that refuses to be pasted into",
    difficulty: "Only real keys are taken, anything that is put in at once is thrown away.",
    routes: {
      "": page(
        `<input>${result}`,
        `let typed = ""
        $("input").onkeydown = ({ key }) => { if (key.length === 1) typed += key }
        $("input").oninput = () => { if ($("input").value !== typed) $("input").value = typed; say(typed) }`
      )
    },
    workflow: [
      type("//input", "s3cret!", { human_mode: true, typing_delay_ms: 3 }),
      read({ result: text("//*[@id='result']") })
    ],
    expected: { result: "s3cret!" }
  }),
  challenge({
    name: "search with a pause",
    difficulty: "A search is sent only after a pause in typing, and each search empties the results first.",
    routes: {
      "": page(
        `<input><ol></ol>`,
        `let timer
        $("input").oninput = () => {
          clearTimeout(timer)
          timer = setTimeout(async () => { $("ol").innerHTML = await (await fetch("find?q=" + encodeURIComponent($("input").value))).text() }, 120)
        }`
      ),
      find: ({ query }) => ({ body: `<li>${query.get("q")}</li><li>${query.get("q")}shade</li>`, after: 60 })
    },
    workflow: [
      type("//input", "lamp", { typing_delay_ms: 5 }),
      read({ first: text("//ol/li[1]"), second: text("//ol/li[2]") }, "//ol[li[1] = 'lamp']")
    ],
    expected: { first: "lamp", second: "lampshade" }
  })
]
