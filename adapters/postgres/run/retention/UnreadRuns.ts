/** Runs whose events the consumers of an installation have not read. */
import type { SqlClient } from "effect/sql"
import { consumers } from "../../../../core/event/EventLog.ts"

/**
 * Whether a run of the table `runs` has an event that a consumer has not read: behind its place, or put off. A consumer
 * that never read holds none.
 */
export const isUnread = (sql: SqlClient.SqlClient) => sql`exists (
  select from event_consumers consumer join run_events event on event.run_id = runs.id
  where ${sql.in("consumer.name", Object.values(consumers))}
    and ((event.tx, event.sequence) > (consumer.tx, consumer.sequence)
      or exists (select from event_backlogs late where late.consumer = consumer.name
        and late.workflow_id = runs.workflow_id
        and (event.tx, event.sequence) > (late.from_tx, late.from_sequence)
        and (event.tx, event.sequence) <= (late.to_tx, late.to_sequence))))`
