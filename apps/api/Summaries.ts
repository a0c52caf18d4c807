/**
 * One-sentence summaries of the operations and groups of the API, for the OpenAPI description.
 */

/** Summaries by operation id. */
export const operations: Readonly<Record<string, string>> = {
  "authentication.createAuthentication": "Store the credentials and sessions of a new user of a site",
  "authentication.getAuthentication": "Read the vault entries of a user; with domain, only the entry for that site",
  "authentication.listAuthentication": "List the entries of the vault, or read the entry of a user for a site",
  "authentication.updateAuthentication": "Change the given fields of the entry of a user for a site",
  "decisions.list": "List the questions that a run asked language models, and their decisions",
  "encryptionKey.beginRotation":
    "Create a new encryption key and return it once; values sealed with the former key are still accepted",
  "encryptionKey.finishRotation":
    "Stop accepting the former encryption key, once all values are sealed with the new one",
  "encryptionKey.rotation": "Read the progress of the rotation of the encryption key",
  "errorCodes.changeErrorCode": "Change the given fields of an error code",
  "errorCodes.findOrCreateErrorCode":
    "Return the error code with this name, ignoring case; create it if it does not exist",
  "errorCodes.getErrorCode": "Read an error code",
  "errorCodes.listErrorCodes":
    "List error codes; with workflow_id, only those that the latest version of the workflow uses",
  "errorCodes.removeErrorCode":
    "Delete an error code; nodes that use it must use another one when their workflow is next saved",
  "events.clientEvents":
    "Stream the events of the runs that a client started, beginning with the events that it missed",
  "events.runEvents": "Stream the events of one run that follow Last-Event-ID",
  "evidence.debugSnapshot": "Read the snapshot of the page taken when a node of a debugged run started or failed",
  "evidence.errors": "List the errors of the runs of a workflow in a period, grouped",
  "evidence.network": "List the network requests that the pages of a run made",
  "evidence.reportedErrors":
    "List the errors of the runs of a workflow in a period, grouped, in the form of older clients",
  "interactions.answer": "Answer the open question of a run",
  "interactions.correct": "Send corrected inputs, or a chosen option, to a run that waits for them",
  "interactions.openQuestion": "Read the open question of a run",
  "live.connection": "Create a single-use link to the live view of a running run",
  "notifications.listRunSubscriptions":
    "List the subscriptions of the user of the key; with all=true, those of all users of the workspace",
  "notifications.subscribeToRuns":
    "Subscribe to events of the runs of the workspace or of some workflows; without a channel, notices go to the log",
  "notifications.unsubscribeFromRuns":
    "Delete the subscriptions of the workspace or of some workflows, for the given events or for all events",
  "patches.applyPatch":
    "Apply a suggested change and save the result as the next version; the run window is not changed",
  "patches.dismissPatch": "Dismiss a suggested change; it is not suggested again",
  "patches.listPatches": "List suggested changes to a workflow",
  "runWindows.getRunWindow": "Read the run window of a workflow and whether it is open now",
  "runWindows.pause": "Pause a workflow until it is unpaused, or until a given instant; its runs wait",
  "runWindows.previewRunWindow":
    "Show what setting this run window would do now and when it would open, without setting it",
  "runWindows.removeRunWindow": "Delete the run window of a workflow and release the runs that it holds",
  "runWindows.unpause": "Let held runs of workflows start: lift their closed run windows, or end their manual pauses",
  "runs.failedItem": "Stop a run with an error code and a reason, in the form of the oldest clients",
  "runs.interrupt": "Stop a waiting or running run",
  "runs.listRuns": "List runs, newest first; without start_time, only those of the last 24 hours",
  "runs.record": "Read a run: its status, results, errors and events",
  "runs.start": "Start a run of a workflow; it waits while its run window, a pause or a limit holds it",
  setRunWindow: "Replace the run window of a workflow; waiting runs are held or released at once",
  "secretProviders.listSecretItems": "List the items of a secret provider",
  "secretProviders.changeSecretProvider":
    "Change the given fields of a secret provider; a new configuration is tested before it is stored",
  "secretProviders.createSecretProvider": "Connect a secret provider; it is tested first unless test=false",
  "secretProviders.removeSecretProvider": "Delete a secret provider that no credential is bound to",
  "secretProviders.testSecretProvider": "Test whether a secret provider answers and accepts the configured access",
  "secretProviders.listSecretProviders": "List the secret providers of the workspace",
  "vault.clearBrowserState": "Delete the stored cookies and browser storage of the entry of a user for a site",
  "vault.createEntry": "Store the sealed credentials of a user for a site",
  "vault.listEntries": "List the entries of the vault, or read the entry of a user for a site",
  "vault.removeEntry": "Delete the entry of a user for a site and return it",
  "vault.tfaCode": "Return a current one-time code of a user for a site",
  "vault.updateEntry": "Change the given fields of the entry of a user for a site",
  "webhooks.changeEndpoint": "Change the given fields of a webhook; pending deliveries go to its new address",
  "webhooks.createEndpoint":
    "Register a webhook for all workflows or for one; the secret is generated unless given, and returned only once",
  "webhooks.getEndpoint": "Read a registered webhook",
  "webhooks.listDeliveries":
    "List deliveries to webhooks, newest first; with status=dead, only those that were given up",
  "webhooks.listEndpoints": "List the registered webhooks of the workspace",
  "webhooks.removeEndpoint": "Delete a webhook; its pending deliveries are given up",
  "webhooks.replayWebhooks": "Send all events of a run again to the webhooks that are subscribed to them now",
  "webhooks.retryDelivery": "Retry a delivery that was given up",
  "webhooks.testEndpoint": "Send a signed message of type webhook.test to a webhook, and return its answer",
  "webhooks.webhookEvents": "List the deliveries of the events of one run, and their results",
  "workflowBuilder.draft": "Read the workflow of a conversation as it would be saved now",
  "workflowBuilder.endSession": "End a conversation and close its browser",
  "workflowBuilder.html": "Read the HTML of the page that a conversation has open",
  "workflowBuilder.interruptSession": "Stop the current action of a conversation; its page stays open",
  "workflowBuilder.listSessions": "List the conversations that have not ended, newest first",
  "workflowBuilder.messages": "Read the messages of a conversation; with tail=true, the latest ones",
  "workflowBuilder.openSession": "Start a conversation that builds a new workflow, with an address open in a browser",
  "workflowBuilder.openSessionFromFailedRun":
    "Start a conversation on the workflow of a failed run, with its inputs, run up to the node that failed",
  "workflowBuilder.openSessionFromWorkflow": "Start a conversation that changes a workflow, run up to one of its nodes",
  "workflowBuilder.respond": "Answer the open question of a conversation",
  "workflowBuilder.save": "Save the workflow of a conversation, as a new workflow or as the next version",
  "workflowBuilder.say":
    "Send a message that describes one action; if it succeeds, it becomes the next step of the workflow",
  "workflowBuilder.screenshot": "Take a screenshot of the page that a conversation has open",
  "workflowBuilder.status": "Read the status of a conversation",
  "workflowBuilder.stream": "Stream the messages and status changes of a conversation until it ends",
  "workflowComponents.componentUsage": "List the workflows whose latest version contains a component",
  "workflowComponents.componentVersion": "Read one version of a component",
  "workflowComponents.componentVersions": "List the versions of a component, newest first",
  "workflowComponents.createComponent":
    "Create a component with its first version; several components may have the same name",
  "workflowComponents.getComponent": "Read a component with its latest version",
  "workflowComponents.listComponents": "List the components of the workspace, oldest first",
  "workflowComponents.removeComponent": "Delete a component; workflows that contain it keep its nodes as their own",
  "workflowComponents.renameComponent": "Rename a component without creating a new version",
  "workflowComponents.saveComponent":
    "Save the next version of a component and, unless propagate is false, update the workflows that contain it",
  "workflows.create": "Create a workflow with its first version, and its run window if the body contains one",
  "workflows.examplePayloads": "Generate inputs that satisfy the input schema from its examples, defaults and choices",
  "workflows.export": "Export a workflow as a bundle that can be imported elsewhere",
  "workflows.folders": "List one folder of workflows page by page, with its subfolders",
  "workflows.fork": "Copy a workflow from its latest version or from a given one",
  "workflows.get": "Read a workflow with its latest version",
  "workflows.import": "Create a workflow from a bundle, with the components that it needs",
  "workflows.list": "List the workflows of the workspace, last changed first",
  "workflows.metadata": "Read which inputs and credentials a run of the workflow needs",
  "workflows.remove": "Delete a workflow; its waiting runs are stopped, and the records of its runs are kept",
  "workflows.save":
    "Save the next version of a workflow; its run window changes only if the body has run_window, and null deletes it",
  "workflows.upsert":
    "Save the next version of the workflow with this id, or with this name in its folder; create it if there is none",
  "workflows.validateInput": "Validate an input as a submission would, without starting a run",
  "workflows.version": "Read one version of a workflow",
  "workflows.versions": "List the versions of a workflow, newest first",
  "workspaces.changeSettings": "Change the given settings of the workspace",
  "workspaces.getSettings": "Read the settings of the workspace",
  "workspaces.listApiKeys":
    "List the API keys of the workspace, including revoked ones; the secret values are never returned",
  "workspaces.listWorkspaces": "List the workspaces of the key; with load_members=true, with their members",
  "workspaces.makeApiKey": "Create an API key for a new user; the key is returned only once",
  "workspaces.me": "Read the user, role and workspace of the key",
  "workspaces.myWorkspaces": "List the workspaces of the key, which is exactly one",
  "workspaces.revokeApiKey": "Revoke an API key immediately, unless it is the last one with the role Owner"
}

/** What holds for every operation that answers with a stream of events. */
export const ofStreams =
  "A key and its workspace may have so many streams and live views open at once, 200 and 1,000 in each process unless set otherwise; one more is answered with 429 until another one is closed. The connection of a client that reads nothing for 30 seconds, unless set otherwise, is closed; its next stream goes on from what it took, after `Last-Event-ID` where the stream reads that."

/** Descriptions of the groups of operations. */
export const groups: Readonly<Record<string, string>> = {
  authentication: "Credentials and sessions of users of sites, under the names that the first clients use",
  decisions: "Decisions of language models in runs",
  "error codes": "Named failures of workflows, and what the service does when a run fails with one",
  events: "Streams of the events of runs",
  evidence: "Errors, network requests and snapshots that runs record, to find the cause of a failure",
  interactions: "Questions that runs ask people",
  live: "Live view of a running run",
  notifications: "Subscriptions to notices of runs that start, succeed, fail or are retried",
  patches: "Changes to workflows that their runs suggest; each is applied only by request",
  "run windows": "The hours in which the runs of a workflow may start, and manual pauses",
  runs: "Single executions of workflows",
  "encryption key": "The key that seals the credentials of the workspace, and its rotation",
  "secret providers": "External stores that secrets are read from instead of the vault",
  vault: "Sealed credentials, sessions and one-time codes for sites",
  webhooks: "HTTP receivers of events, and the result of each delivery",
  "workflow components":
    'Parts of graphs that several workflows use. A node of a workflow that came from a component carries `source_component_instance_id`: the id of the component, followed by ":" and a UUID of the instance if the workflow contains the component more than once. `source_component_node_id` is the id of the node within the component, if that is not its own id. Saving a new version updates every workflow whose latest version contains the component, as the next version of each; a workflow that would become invalid is left unchanged and reported under `skipped`. Deleting a component leaves its nodes in the workflows, without these marks. Several components may have the same name.',
  "workflow builder": "Conversations that build a workflow on an open page, one action at a time",
  workflows: "Automations, in numbered versions that never change",
  workspaces: "The workspace of a key: its members, its settings and its API keys"
}
