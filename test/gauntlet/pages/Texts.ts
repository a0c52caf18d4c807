/** Texts and figures as pages write them. */
import { challenge } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, number, read, record, text, texts, type, when, yes } from "../Workflow.ts"

export const challenges = [
  challenge({
    name: "text in pieces",
    difficulty: "The text of the button is spread over several elements, with blanks and breaks in between.",
    routes: {
      "": page(
        `<button onclick="say('subscribed')"><b>Sub</b>scribe
          <i>to <u>all</u></i>   news</button><button>Subscribe to some news</button>${result}`
      )
    },
    workflow: [
      click("//button[normalize-space(.)='Subscribe to all news']"),
      read({ result: text("//*[@id='result']"), label: text("normalize-space(//button[1])") })
    ],
    expected: { result: "subscribed", label: "Subscribe to all news" }
  }),
  challenge({
    name: "blanks that do not break",
    difficulty: "Blanks in names and numbers are of the kind that does not break, and entities stand for letters.",
    routes: {
      "": page(
        `<p id="name">Jean&nbsp;&amp;&#160;Ren&eacute;</p><p id="sum">12&#8239;345,50&nbsp;€</p><a href="#x">A&nbsp;B</a>`
      )
    },
    workflow: [
      click("//a[translate(., '\u00a0', ' ')='A B']"),
      read({ name: text("//*[@id='name']"), sum: number("//*[@id='sum']"), hash: text("{{window.location.hash}}") })
    ],
    expected: { name: "Jean\u00a0&\u00a0René", sum: 12_345.5, hash: "#x" }
  }),
  challenge({
    name: "scripts of the world",
    difficulty: "Names come in Hebrew, Arabic, Japanese and emoji, and go into a field and out again unharmed.",
    routes: {
      "": page(
        `<p dir="rtl" id="he">שלום עולם</p><p dir="rtl" id="ar">مرحبا ١٢٣</p><p id="ja">東京タワー</p><input>${result}`,
        `$("input").oninput = () => say([...$("input").value].length + ":" + $("input").value)`
      )
    },
    workflow: [
      type("//input", "Zoë 👩‍👩‍👧 שלום ½"),
      read({
        he: text("//*[@id='he']"),
        ar: text("//*[@id='ar']"),
        ja: text("//p[contains(., '東京')]"),
        result: text("//*[@id='result']")
      })
    ],
    expected: { he: "שלום עולם", ar: "مرحبا ١٢٣", ja: "東京タワー", result: "16:Zoë 👩‍👩‍👧 שלום ½" }
  }),
  challenge({
    name: "letters composed in two ways",
    difficulty:
      "The same name is written with composed and with combining letters, which look alike and are not equal.",
    routes: {
      "": page(`<ul><li>Cafe\u0301</li><li>Caf\u00e9</li></ul>`)
    },
    workflow: [read({ names: texts("//li"), composed: number("count(//li[.='Caf\u00e9'])") })],
    expected: { names: ["Cafe\u0301", "Caf\u00e9"], composed: 1 }
  }),
  challenge({
    name: "figures of several countries",
    difficulty:
      "Thousands and decimals are parted by points, commas, blanks and apostrophes, and signs are of two kinds.",
    routes: {
      "": page(
        `<dl>${[
          ["us", "$1,234,567.89"],
          ["de", "1.234.567,89 €"],
          ["fr", "1\u202f234\u202f567,89\u00a0€"],
          ["ch", "CHF 1’234’567.89"],
          ["in", "₹ 12,34,567.89"],
          ["whole", "1.234.567"],
          ["lakhs", "₹ 12,34,567"],
          ["francs", "Fr. 12.50"],
          ["owed", "-45,10 €"],
          ["minus", "−45,10 €"],
          ["share", "12,5 %"],
          ["none", "n/a"]
        ]
          .map(([id, figure]) => `<dd id="${id}">${figure}</dd>`)
          .join("")}</dl>`
      )
    },
    workflow: [
      read({
        figures: record(
          Object.fromEntries(
            ["us", "de", "fr", "ch", "in", "whole", "lakhs", "francs", "owed", "minus", "share", "none"].map((id) => [
              id,
              number(`//*[@id='${id}']`)
            ])
          )
        )
      })
    ],
    expected: {
      figures: {
        us: 1_234_567.89,
        de: 1_234_567.89,
        fr: 1_234_567.89,
        ch: 1_234_567.89,
        in: 1_234_567.89,
        whole: 1_234_567,
        lakhs: 1_234_567,
        francs: 12.5,
        owed: -45.1,
        minus: -45.1,
        share: 12.5,
        none: null
      }
    }
  }),
  challenge({
    name: "figures in a canvas",
    difficulty: "The chart is painted, and its figures stand only in what it offers to screen readers.",
    routes: {
      "": page(
        `<canvas width="200" height="100" role="img" aria-label="Sales 2026: 4,812 units"><table><tr><td>Q1</td><td>2,400</td></tr><tr><td>Q2</td><td>2,412</td></tr></table></canvas>`,
        `const pen = $("canvas").getContext("2d")
        pen.fillRect(10, 20, 50, 80)
        pen.fillText("4,812", 80, 50)`
      )
    },
    workflow: [
      read({
        label: text("//canvas/@aria-label"),
        quarters: { type: "array", path: "//canvas//tr", items: { type: "number", path: "/td[2]" } }
      })
    ],
    expected: { label: "Sales 2026: 4,812 units", quarters: [2400, 2412] }
  }),
  challenge({
    name: "values that are not texts",
    difficulty: "What is wanted stands in fields, attributes and states, and what is missing must not break the rest.",
    routes: {
      "": page(
        `<input id="name" value="draft"><textarea id="note">Two
lines</textarea><select id="plan"><option value="a">A</option><option value="b" selected>B</option></select>
        <input id="on" type="checkbox" checked><input id="off" type="checkbox"><a href="https://site.example/x?a=1&amp;b=2">x</a>`,
        `$("#name").value = "typed over"`
      )
    },
    workflow: [
      read({
        name: text("//*[@id='name']"),
        note: text("//*[@id='note']"),
        plan: text("//*[@id='plan']"),
        on: yes("//*[@id='on']"),
        off: yes("//*[@id='off']"),
        link: text("//a/@href"),
        missing: text("//*[@id='nothing']"),
        count: number("count(//input)")
      })
    ],
    expected: {
      name: "typed over",
      note: "Two\nlines",
      plan: "b",
      on: true,
      off: false,
      link: "https://site.example/x?a=1&b=2",
      missing: null,
      count: 3
    }
  }),
  challenge({
    name: "quotes in what is looked for",
    difficulty: "The name to look for has quotes of both kinds, which a selector cannot simply hold.",
    routes: {
      "": page(
        `<ul><li><button onclick="say('found')">O'Brien "Bob"</button></li><li><button>O'Brien</button></li></ul>${result}`
      )
    },
    inputs: { name: `O'Brien "Bob"` },
    workflow: [
      click(`//button[. = concat("O", "'", 'Brien "Bob"')]`),
      when(
        ['<<xpath://button[starts-with(., "O\'")]>>', "EQUAL", "{{context.inputs.name}}"],
        [read({ result: text("//*[@id='result']") })],
        [read({ wrong: text("//button") })]
      )
    ],
    expected: { result: "found" }
  }),
  challenge({
    name: "XPath 3.1",
    difficulty: "The entry differs only by patterns and by letters in either case, which older XPath cannot do.",
    routes: {
      "": page(
        `<ul><li><button>REF-17 open</button></li><li><button onclick="say('found')">Ref-2041 OPEN</button></li><li><button>Ref-2041 closed</button></li></ul>${result}`
      )
    },
    workflow: [
      click("//button[matches(., '^ref-\\d{4}', 'i') and ends-with(lower-case(.), 'open')]"),
      read({ result: text("//*[@id='result']"), all: text("string-join(//button/replace(., '\\D', ''), ',')") })
    ],
    expected: { result: "found", all: "17,2041,2041" }
  })
]
