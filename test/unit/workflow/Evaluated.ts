/** Code of workflows, executed as it is written. */
import type { codeOf } from "../../../core/workflow/code/CodeText.ts"
import * as Code from "../../../core/workflow/code/WorkflowCode.ts"

type Fields = Parameters<typeof codeOf>[0]

/** The body of a workflow whose code is a program without types, as `codeOf` writes it. */
export const evaluated = (code: string): Code.WorkflowBody => {
  const [head = "", ...rest] = code.split("\nexport default ")
  if (!head.startsWith("import * as Code from ")) throw new Error(`Code begins with: ${head}`)
  const made = new Function("Code", `return ${rest.join("\nexport default ")}`) as (
    code: typeof Code
  ) => Code.WorkflowCode
  return Code.body(made(Code))
}

/** The parts of a body that its code has to keep: all fields of a graph, but for the order of its nodes. */
export const kept = ({ edges, nodes, ...fields }: Fields) => ({
  ...Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => !(value === null || value === false || (Array.isArray(value) && value.length === 0))
    )
  ),
  max_retries: fields.max_retries ?? 0,
  input_schema: fields.input_schema ?? {},
  output_schema: fields.output_schema ?? {},
  vault_schema: fields.vault_schema ?? {},
  edges,
  nodes: new Map(
    (nodes as ReadonlyArray<{ readonly id: string }>).map((node) => [node.id, { parameters: {}, ...node }] as const)
  )
})
