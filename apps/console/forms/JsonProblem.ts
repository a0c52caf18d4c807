/** What is wrong with a text as JSON, and where. */

/** The problem of a text as JSON, with its line where that is known; `null` for JSON. */
export const jsonProblem = (text: string): string | null => {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    const lines = text.split("\n")
    // Browsers say the place in different words, some with a place from the start of the text, and some none.
    const [, line, column] = /line (\d+),? column (\d+)/i.exec(said) ?? []
    const at = /position (\d+)/i.exec(said)?.[1]
    const before = at === undefined ? null : text.slice(0, Number(at)).split("\n")
    const place =
      line !== undefined
        ? `Line ${line}, column ${column}`
        : before !== null
          ? `Line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`
          : /end of/i.test(said)
            ? `Line ${lines.length}, at its end`
            : "Somewhere"
    const [reason = ""] = said
      .replace(/^JSON(\.parse| Parse error)?: ?/i, "")
      .split(/,? ?(?:in JSON )?at (?:position|line) /i, 1)
      .map((text) => text.replace(/, "[\s\S]*$/, ""))
    return `${place}: ${reason}. Expected JSON, with names and texts in double quotes and no comma before an end`
  }
}
