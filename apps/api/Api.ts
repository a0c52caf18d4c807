/**
 * The HTTP interface as a value: its endpoints, what they take and what they answer. It holds no server code, so that
 * clients can import it.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { EventsGroup } from "./event/EventsApi.ts"
import { GatesGroup } from "./gate/GatesApi.ts"
import { Authorization } from "./request/Authorization.ts"
import { SchemaErrors } from "./request/SchemaErrors.ts"
import { RunsGroup } from "./run/RunsApi.ts"
import { WebhooksGroup } from "./webhook/WebhooksApi.ts"
import { WorkflowsGroup } from "./workflow/WorkflowsApi.ts"

/** The whole interface that needs a key. */
export class Api extends HttpApi.make("sluice")
  .add(WorkflowsGroup)
  .add(GatesGroup)
  .add(RunsGroup)
  .add(WebhooksGroup)
  .add(EventsGroup)
  .middleware(Authorization)
  .middleware(SchemaErrors)
  // Every problem is reported, not only the first.
  .annotate(HttpApi.PayloadParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Sluice",
      version: "1.0.0",
      description: "Runs browser-automation workflows, and starts them only at the hours when they may run"
    })
  ) {}
