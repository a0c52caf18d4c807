/** What became of a file, as lines that a person can compare. */
import type { Converted } from "../../../core/workflow/convert/Assembly.ts"
import * as Json from "../../../core/workspace/Json.ts"

const short = (id: unknown) => String(id).replace(/^[0-]*4000-8000-0*/, "")

/** The nodes of a workflow, each with where it leads. */
export const graph = (workflow: Converted["workflow"]): string => {
  const nodes = Array.isArray(workflow.nodes) ? workflow.nodes.map((node) => Json.objectOf(node)) : []
  const edges = Json.objectOf(workflow.edges)
  return nodes
    .map(({ action, id, name, parameters }) => {
      const ways = Object.entries(Json.objectOf(edges[String(id)])).map(([way, to]) => `${way} ${short(to)}`)
      return `${short(id)} ${action} "${name}" ${JSON.stringify(parameters)} ${ways.join(", ")}`.trimEnd()
    })
    .join("\n")
}

export const text = ({ credentials, format, inputs, report, warnings, workflow }: Converted): string => {
  return [
    `${format}: ${workflow.name}`,
    "",
    ...report.flatMap(({ kind, line, message, nodes: ids, outcome, selectors, step }) => [
      `${step} ${line === null ? "" : `(line ${line}) `}${kind}: ${outcome}${ids.length === 0 ? "" : ` as ${ids.map(short).join(", ")}`}`,
      ...(message === null ? [] : [`  ${message}`]),
      ...selectors.map((selector) => `  or ${selector}`)
    ]),
    "",
    graph(workflow),
    "",
    ...inputs.map(
      ({ example, name, reason }) => `input ${name}${example === undefined ? "" : ` = ${example}`}: ${reason}`
    ),
    ...credentials.map(({ alias, domain, fields }) => `credential ${alias} for ${domain}: ${fields.join(", ")}`),
    ...warnings.map(({ message, path }) => `warning ${path}: ${message}`),
    ""
  ].join("\n")
}
