/**
 * The data of the demo site: orders of a wholesaler, the same at every start.
 */

export type Status = "open" | "shipped" | "cancelled"

export interface Line {
  readonly article: string
  readonly quantity: number
  readonly unitCents: number
}

export interface Order {
  readonly number: string
  readonly date: string
  readonly customer: string
  readonly city: string
  readonly status: Status
  readonly lines: ReadonlyArray<Line>
}

const customers = [
  ["Lindenhof Bakery", "Bremen"],
  ["Atelier Moreau", "Lyon"],
  ["Harbour Books", "Bristol"],
  ["Cicala Coffee", "Trieste"],
  ["Nordlys Cycles", "Bergen"],
  ["Alcázar Ceramics", "Sevilla"],
  ["Granary & Sons", "Leeds"]
] as const

const articles = [
  ["Paper bags, 500", 1_890],
  ["Oak shelf, 80 cm", 6_450],
  ["Linen apron", 2_320],
  ["Glass jars, 24", 3_175],
  ["Brass hooks, 10", 1_240],
  ["Wool blanket", 8_900]
] as const

const statuses: ReadonlyArray<Status> = ["open", "shipped", "shipped", "open", "cancelled"]

/** The orders, the newest first. */
export const orders: ReadonlyArray<Order> = Array.from({ length: 34 }, (_, index): Order => {
  const [customer, city] = customers[index % customers.length] ?? customers[0]
  const lines = Array.from({ length: 1 + (index % 3) }, (_, line): Line => {
    const [article, unitCents] = articles[(index + 2 * line) % articles.length] ?? articles[0]
    return { article, quantity: 1 + ((index * 7 + line * 3) % 9), unitCents }
  })
  return {
    number: `A-${1_034 - index}`,
    date: `2026-${String(9 - Math.floor(index / 14)).padStart(2, "0")}-${String(28 - ((index * 2) % 27)).padStart(2, "0")}`,
    customer,
    city,
    status: statuses[index % statuses.length] ?? "open",
    lines
  }
})

export const totalCents = (order: Order): number =>
  order.lines.reduce((total, line) => total + line.quantity * line.unitCents, 0)
