/** Elements that the pointer meets in unusual ways. */
import { challenge, failing } from "../Challenge.ts"
import { page, result } from "../Html.ts"
import { click, press, read, step, text, type } from "../Workflow.ts"

const picture = (width: number, color: string) => ({
  headers: { "content-type": "image/svg+xml" },
  after: 150,
  body: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="40"><rect width="${width}" height="40" fill="${color}"/></svg>`
})

const said = read({ result: text("//*[@id='result']") })

/** A list that shows what begins with the text, and takes the item that it was told last that the pointer is on. */
const suggestions = `
  const names = ["Guadeloupe", "Guatemala", "Guernsey", "Guyana"]
  let active = null, isNew = true
  const focus = (item) => { active = item }
  $("input").oninput = () => {
    isNew = true
    $("ul").replaceChildren(...names.map((name) => Object.assign(document.createElement("li"), { textContent: name })))
    for (const item of document.querySelectorAll("li")) item.onmouseenter = () => {
      if (!isNew) return focus(item)
      isNew = false
      addEventListener("mousemove", () => focus(item), { once: true })
    }
  }
  $("ul").onclick = () => say(active?.textContent ?? "none")`

const hiddenBoxes: ReadonlyArray<readonly [how: string, style: string]> = [
  ["see-through", "opacity: 0; position: absolute; width: 0; height: 0"],
  [
    "clipped",
    "position: absolute; clip: rect(0 0 0 0); clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden"
  ],
  ["off the screen", "position: absolute; left: -9999px"],
  ["not displayed", "display: none"],
  ["invisible", "visibility: hidden; position: absolute"]
]

export const challenges = [
  challenge({
    name: "icon of another picture under the pointer",
    difficulty: "The picture is swapped for another when the pointer is on it, which has to be loaded first.",
    routes: {
      "": page(
        `<style>#like { content: url(a.svg) } #like:hover { content: url(b.svg) }</style>
        <p><img id="like" onclick="say('liked')" alt=""></p>${result}`
      ),
      "a.svg": { ...picture(40, "gray"), after: 0 },
      "b.svg": picture(40, "red")
    },
    workflow: [click("//img[@id='like']"), said],
    expected: { result: "liked" }
  }),
  challenge({
    name: "button that grows under the pointer",
    difficulty: "The button slides away from under the pointer that comes to it, to where it stays.",
    routes: {
      "": page(
        `<style>#go { position: relative; left: 0; transition: left 200ms } div:hover #go { left: 200px }</style>
        <div style="width: 400px; padding: 1em"><button id="go" onclick="say('gone')">Go</button></div>${result}`
      )
    },
    workflow: [click("//button[@id='go']"), said],
    expected: { result: "gone" }
  }),
  challenge({
    name: "list that opens under the pointer",
    difficulty:
      "An item of the list comes up under the pointer that rests there, and is taken for the one that is meant.",
    routes: {
      "": page(
        `<style>li { height: 30px; list-style: none } ul { margin: 0; padding: 0 }</style>
        <button style="position: absolute; top: 60px; left: 10px; height: 30px" onclick="this.remove(); $('input').focus()">Clear</button>
        <input><div style="position: absolute; top: 60px; left: 10px; width: 200px"><ul></ul></div>
        <div style="margin-top: 200px">${result}</div>`,
        suggestions
      )
    },
    workflow: [click("//button"), type("//input", "Gu"), click("//li[.='Guernsey']"), said],
    expected: { result: "Guernsey" }
  }),
  ...Object.entries({
    "dragged over": [step("DRAG", { selector: "//p[@id='text']", text: "Lacus" })],
    "made by three clicks": [click("//p[@id='text']", { click_type: "triple_click" })],
    "made by keys": [click("//p[@id='text']"), press("{{Ctrl+A}}")]
  }).map(([how, select]) =>
    challenge({
      name: `selection ${how}`,
      difficulty:
        "The toolbar acts on the selection that the editor was last told of, which it is after the next frame.",
      routes: {
        "": page(
          `<button onmousedown="event.preventDefault()" onclick="say(range)">Bold</button>
          <p id="text" contenteditable>Lacus</p>${result}`,
          `let range = "nothing"
          document.onselectionchange = () => requestAnimationFrame(() => setTimeout(() => { range = String(getSelection()).trim() }))`
        )
      },
      workflow: [...select, click("//button"), said],
      expected: { result: "Lacus" }
    })
  ),
  challenge({
    name: "shape that its label covers",
    difficulty: "The label of a shape in a drawing lies over it and takes the click.",
    routes: {
      "": page(
        `<svg width="200" height="100"><path id="state" d="M0 0H200V100H0Z" fill="silver" onclick="say('state')"/>
        <rect id="label" width="200" height="100" fill="white"/></svg>${result}`
      )
    },
    workflow: [click("//*[@id='state']", { wait_time: 2_000 }), said],
    expected: failing("UNEXPECTED_UI_STATE", `visible, enabled and still within 2000 ms: <rect id="label"`)
  }),
  challenge({
    name: "area of a picture",
    difficulty: "The link is an area of a map of the picture, and has no box of its own.",
    routes: {
      "": page(
        `<img src="map.svg" usemap="#map" width="200" height="100" alt=""><map name="map">
        <area id="west" shape="rect" coords="0,0,100,100" href="#west" onclick="say('west')" alt="West">
        <area id="east" shape="poly" coords="110,10,190,10,190,90" href="#east" onclick="say('east')" alt="East"></map>${result}`
      ),
      "map.svg": { ...picture(200, "green"), after: 0 }
    },
    workflow: [click("//area[@id='east']"), said],
    expected: { result: "east" }
  }),
  challenge({
    name: "link without a height",
    difficulty: "All that the link shows floats beside it, so that its own box has no height.",
    routes: {
      "": page(
        `<div><a id="link" href="#x" style="display: block" onclick="say('followed')"><span style="float: left">Card</span></a></div>
        <div style="clear: both">${result}</div>`
      )
    },
    workflow: [click("//a[@id='link']"), said],
    expected: { result: "followed" }
  }),
  ...hiddenBoxes.map(([how, style]) =>
    challenge({
      name: `checkbox ${how}`,
      difficulty: "The checkbox itself is not to be seen: people click its label.",
      routes: {
        "": page(
          `<style>input { ${style} }</style><p><input type="checkbox" id="terms" onchange="say(this.checked)">
          <label for="terms">I agree</label></p>${result}`
        )
      },
      workflow: [click("//input[@id='terms']", { wait_time: 4_000 }), said],
      expected: { result: "true" }
    })
  )
]
