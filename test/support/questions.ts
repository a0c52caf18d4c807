/**
 * Questions of runs, for tests that answer them.
 */
import type { Schema } from "effect"
import type { Asker, Question } from "../../core/run/interaction/Interaction.ts"
import type { Run } from "../../core/run/Run.ts"
import { VersionId } from "../../core/workspace/Ids.ts"

/** The schema of a prompt for a one-time code. */
export const code: Schema.JsonObject = {
  type: "object",
  properties: { code: { type: "string", pattern: "^\\d{6}$" } },
  required: ["code"]
}

/** A started run whose attempt asks a question. */
export const runOf = ({ fence, runId, workflowId, workspaceId }: Asker): Run => ({
  id: runId,
  workspaceId,
  workflowId,
  versionId: VersionId.make("00000000-0000-4000-8000-000000000000"),
  credentials: [],
  status: "execution.start",
  input: {},
  options: {},
  createdAt: 0,
  startedAt: 0,
  endedAt: null,
  trigger: "api",
  tags: [],
  attempts: 1,
  retries: 0,
  maxRetries: 0,
  notBefore: 0,
  expiresAt: null,
  priority: 0,
  startBy: null,
  retry: null,
  release: null,
  lease: { worker: "w", fence, until: 1_000_000 },
  progress: { acted: true, committed: false, mark: null },
  data: {},
  errors: [],
  warnings: [],
  warningCount: 0,
  modelCalls: { spent: 0, saved: 0 }
})

/** A question for data. */
export const questionOf = (schema: Schema.JsonObject): Question => ({
  subject: { _tag: "interaction" },
  node: { id: "00000000-0000-4000-8000-000000000001", name: "Ask" },
  message: "The code?",
  schema
})
