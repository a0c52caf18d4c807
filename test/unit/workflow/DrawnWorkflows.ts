/** Workflows in code that are drawn by a seed: steps, branches and loops inside of each other, and jumps between them. */
import * as Code from "../../../core/workflow/code/WorkflowCode.ts"

type Drawn = Code.Steps<string>

/** Numbers from 0 up to a bound, by a seed (mulberry32). */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** A workflow. The same for the same seed. */
export const drawn = (seed: number): Code.WorkflowCode => {
  const below = numbers(seed)
  const names: Array<string> = []
  const variables = ["total", "rows", "link"]
  const variable = (): string => variables[below(variables.length)] ?? ""
  /** Some names occur twice, and some steps have an id of their own. */
  const name = (): string => {
    const one = below(8) === 0 ? "Again" : `Step ${names.length}`
    names.push(one)
    return one
  }
  let ids = 0
  const node = () => {
    ids++
    const id = `00000000-0000-4000-8000-${String(ids).padStart(12, "0")}`
    return below(6) === 0 ? { id, description: `Step with the text "${variable()}"` } : below(6) === 0 ? { id } : {}
  }
  const step = (steps: Drawn): Drawn => {
    const title = name()
    switch (below(7)) {
      case 0:
        return steps.click(title, { selector: `//a[.='${below(9)}']`, copied_as: variable() }, node())
      case 1:
        return steps.navigate(title, { url: `https://site.example/{{context.${variable()}}}` }, node())
      case 2:
        return steps.inputText(
          title,
          { selector: "//input", text: `{{context.inputs.month}} "${below(99)}"\n` },
          node()
        )
      case 3:
        return steps.extractDatamodel(
          title,
          {
            execution: "STATIC",
            extract_data_model: Code.record({ [variable()]: Code.text(`//td[${below(9) + 1}]`) })
          },
          node()
        )
      case 4:
        return steps.transform(
          title,
          { operations: [{ type: "SET", target: `context.${variable()}`, value: `context.${variable()}` }] },
          node()
        )
      default:
        return steps.delay(title, { delay_time: below(5) }, node())
    }
  }
  const moves = (steps: Drawn, length: number, depth: number): Drawn => {
    let written = steps
    for (let at = 0; at < length; at++) {
      const kind = depth > 3 ? 9 : below(10)
      if (kind < 2) {
        const condition = { comparison_operator: "IS_NULL", comparison_value_1: `{{context.${variable()}}}` } as const
        const [yes, no] = [below(4), below(3)]
        written = written.when(
          name(),
          condition,
          // A condition whose edges lead to one node cannot be saved.
          {
            yes: (inner) => moves(step(inner), yes, depth + 1),
            ...(no === 0 ? {} : { no: (inner) => moves(inner, no, depth + 1) })
          },
          node()
        )
      } else if (kind === 2) {
        const loop = { variable_over: below(9), variable_current_item: "item", variable_current_index: "index" }
        written = written.each(name(), loop, (inner) => moves(inner, below(4), depth + 1), node())
      } else written = step(written)
    }
    const jumps = names.filter((one) => one !== "Again" && names.indexOf(one) === names.lastIndexOf(one))
    if (depth > 0 && below(5) === 0)
      return jumps.length > 0 && below(3) > 0 ? written.goTo(jumps[below(jumps.length)] ?? "") : written.end(name())
    return written
  }
  const { start } = Code.workflow({
    name: `Drawn ${seed}`,
    inputs: { type: "object", properties: { month: { type: "string" } } },
    ...(below(2) === 0 ? {} : { credentials: { PORTAL: "https://site.example" }, max_retries: below(3) }),
    ...(below(2) === 0 ? {} : { tags: ["drawn"], enable_popup_handling: true })
  })
  return moves(start(name(), { url: "https://site.example/" }, node()) as Drawn, 1 + below(8), 0)
}
