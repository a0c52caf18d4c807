/**
 * What runs inside the page. Each function is sent there as its source, so it uses nothing from outside itself.
 */
import type { ExtractionPlan } from "../../core/agent/Extraction.ts"

/** Carries out a plan on the document, in one go. */
export const extract = (plan: ExtractionPlan): unknown => {
  const nodes = (path: string, scope: Node): Array<Node> => {
    if (path.startsWith("css=")) return [...(scope as ParentNode & Node).querySelectorAll(path.slice(4))]
    const found = document.evaluate(path, scope, null, XPathResult.ANY_TYPE, null)
    if (found.resultType === XPathResult.STRING_TYPE) return [document.createTextNode(found.stringValue)]
    if (found.resultType === XPathResult.NUMBER_TYPE) return [document.createTextNode(String(found.numberValue))]
    if (found.resultType === XPathResult.BOOLEAN_TYPE) return [document.createTextNode(String(found.booleanValue))]
    const list: Array<Node> = []
    for (let node = found.iterateNext(); node !== null; node = found.iterateNext()) list.push(node)
    return list
  }
  const textOf = (node: Node): string => {
    if (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement || node instanceof HTMLSelectElement) {
      return node.value
    }
    return (node.nodeValue ?? node.textContent ?? "").trim()
  }
  const asNumber = (text: string): number | null => {
    const digits = text.replace(/[^\d.,-]/g, "")
    const decimal = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","))
    const grouped = decimal >= 0 && /^-?\d{1,3}([.,]\d{3})+$/.test(digits) && new Set(digits.match(/[.,]/g)).size === 1
    const plain =
      decimal < 0 || (grouped && digits[decimal] === ",")
        ? digits.replace(/[.,]/g, "")
        : `${digits.slice(0, decimal).replace(/[.,]/g, "")}.${digits.slice(decimal + 1)}`
    const number = plain === "" ? Number.NaN : Number(plain)
    return Number.isFinite(number) ? number : null
  }
  const asBoolean = (node: Node): boolean | null => {
    if (node instanceof HTMLInputElement && /^(checkbox|radio)$/.test(node.type)) return node.checked
    const text = textOf(node).toLowerCase()
    if (/^(true|yes|1|on|checked)$/.test(text)) return true
    return /^(false|no|0|off)$/.test(text) ? false : null
  }
  const relative = (path: string, within: boolean): string =>
    within && path.startsWith("/") && !path.startsWith("css=") ? `.${path}` : path

  const carryOut = (one: ExtractionPlan, scope: Node, within: boolean): unknown => {
    switch (one.kind) {
      case "known":
        return one.value
      case "object": {
        const fields: Record<string, unknown> = {}
        for (const name of Object.keys(one.fields)) {
          const field = one.fields[name]
          if (field !== undefined) fields[name] = carryOut(field, scope, within)
        }
        return fields
      }
      case "list":
        return nodes(relative(one.path, within), scope).map((row) => carryOut(one.item, row, true))
      case "value": {
        const node = one.path === null ? (within ? scope : undefined) : nodes(relative(one.path, within), scope)[0]
        if (node === undefined) return null
        return one.type === "boolean" ? asBoolean(node) : one.type === "number" ? asNumber(textOf(node)) : textOf(node)
      }
    }
  }
  return carryOut(plan, document, false)
}

/** The text of the first match of a selector, or `null`. */
export const read = (selector: string): string | null => {
  if (selector.startsWith("css=")) return document.querySelector(selector.slice(4))?.textContent?.trim() ?? null
  const found = document.evaluate(selector, document, null, XPathResult.ANY_TYPE, null)
  if (found.resultType === XPathResult.STRING_TYPE) return found.stringValue
  if (found.resultType === XPathResult.NUMBER_TYPE) return String(found.numberValue)
  if (found.resultType === XPathResult.BOOLEAN_TYPE) return String(found.booleanValue)
  const node = found.iterateNext()
  if (node === null) return null
  return (node instanceof HTMLInputElement ? node.value : (node.nodeValue ?? node.textContent ?? "")).trim()
}

/** What is to be seen of a field for a one-time code, of all elements that a selector matches. */
export const codeField = (elements: ReadonlyArray<Element>) => {
  const [first] = elements
  const isSeen = (element: Element) =>
    element.getClientRects().length > 0 && getComputedStyle(element).visibility !== "hidden"
  const field = first instanceof HTMLInputElement || first instanceof HTMLTextAreaElement ? first : null

  /** Texts of errors beside the field: in its form and around that, or around the field where there is no form. */
  const errorsNear = (of: Element): string => {
    let around: Element | null = of.closest("form")?.parentElement ?? null
    if (around === null) {
      around = of
      for (let level = 0; level < 3 && around.parentElement !== null; level++) around = around.parentElement
    }
    const marks =
      "[role=alert],[aria-live=assertive],[class*=error i],[class*=invalid i],[class*=danger i],[id*=error i]"
    const named = (of.getAttribute("aria-errormessage") ?? "").split(" ").filter((id) => id !== "")
    const marked = [...around.querySelectorAll(marks), ...named.flatMap((id) => document.getElementById(id) ?? [])]
    return marked
      .filter((element) => isSeen(element) && !element.contains(of))
      .map((element) => (element.textContent ?? "").trim().replace(/\s+/g, " "))
      .filter((text) => text !== "")
      .join("; ")
  }
  const near = first === undefined ? "" : errorsNear(first)
  const isInvalid = elements.some((element) => element.getAttribute("aria-invalid") === "true")
  return {
    matched: elements.length,
    split: field instanceof HTMLInputElement && field.maxLength === 1,
    shown: first !== undefined && isSeen(first) && field?.disabled !== true && field?.readOnly !== true,
    empty: field === null ? (first?.textContent ?? "") === "" : field.value === "",
    complaint: near === "" && isInvalid ? "the field is marked as invalid" : near,
    document: String(performance.timeOrigin),
    loading: document.readyState === "loading"
  }
}

/**
 * The index of the option of a select element that fits a value: by its value, by its text, or with `fuzzy` the one whose
 * text shares most with it. `null` when none fits.
 */
export const chooseOption = (element: Element, { fuzzy, value }: { value: string; fuzzy: boolean }): number | null => {
  if (!(element instanceof HTMLSelectElement)) return null
  const options = [...element.options].map((option) => ({ value: option.value, text: option.text.trim() }))
  const plain = (text: string) => text.toLowerCase().replace(/\s+/g, " ").trim()
  const tests: Array<(option: { value: string; text: string }) => boolean> = [
    (option) => option.value === value,
    (option) => option.text === value.trim(),
    (option) => plain(option.text) === plain(value)
  ]
  for (const test of tests) {
    const index = options.findIndex(test)
    if (index >= 0) return index
  }
  if (!fuzzy) return null
  const pairs = (text: string) => {
    const letters = plain(text)
    return new Set(Array.from({ length: Math.max(letters.length - 1, 0) }, (_, at) => letters.slice(at, at + 2)))
  }
  const wanted = pairs(value)
  const likeness = options.map((option) => {
    const own = pairs(option.text)
    const shared = [...own].filter((pair) => wanted.has(pair)).length
    return own.size + wanted.size === 0 ? 0 : (2 * shared) / (own.size + wanted.size)
  })
  const best = Math.max(...likeness)
  const enough = best >= 0.4 && likeness.filter((one) => one === best).length === 1
  return enough ? likeness.indexOf(best) : null
}
