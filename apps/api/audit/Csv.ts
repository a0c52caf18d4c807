/** Lines of CSV as RFC 4180 describes them. */

/**
 * A line with its line break. A cell that a spreadsheet would interpret as a formula is prefixed with an apostrophe.
 */
export const line = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(",")}\r\n`

const cell = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
