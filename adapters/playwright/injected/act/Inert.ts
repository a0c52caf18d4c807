/** HTML without scripts and loading elements, as a browser inserts pasted HTML. */

/** Elements that pasted HTML never brings along. */
const active = "script,style,iframe,frame,object,embed,link,meta,base,template,animate,set"

/** Whether an attribute would run a script. Browsers leave out white space and control characters of an address. */
export const runsScript = (name: string, value: string): boolean => {
  const address = [...value].filter((character) => character > " ").join("")
  return /^on|^srcdoc$/i.test(name) || /^(javascript|vbscript):/i.test(address)
}

/** The content of HTML without active elements and attributes. */
export const inert = (html: string): HTMLElement => {
  const { body } = new DOMParser().parseFromString(html, "text/html")
  for (const element of body.querySelectorAll(active)) element.remove()
  for (const element of body.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes]) if (runsScript(name, value)) element.removeAttribute(name)
  }
  return body
}
