/** The columns of named limits besides those of a collection. */
import type { NamedLimit } from "../../../core/run/limit/NamedLimit.ts"
import * as Table from "./Table.ts"

const column = Table.of<NamedLimit>()

/** What runs draw on a limit by. */
export const drawn = Table.make(
  "limits",
  {
    workflow_ids: column(Table.texts, ({ workflowIds }) => workflowIds),
    credential_ids: column(Table.texts, ({ credentialIds }) => credentialIds),
    tags: column(Table.texts, ({ tags }) => tags)
  },
  []
)
