/** A typed limit: a number, `null` for none, or the problem as a text. */
export const limitFrom = (typed: string, most: number): number | null | string => {
  const text = typed.trim()
  if (text === "") return null
  const limit = Number(text)
  return /^\d+$/.test(text) && limit >= 1 && limit <= most
    ? limit
    : `Expected a whole number from 1 to ${most.toLocaleString("en")}, or nothing for any number`
}
