/**
 * What each operation of the interface does, in one sentence, for its description.
 */

/** By the id of the operation. */
export const operations: Readonly<Record<string, string>> = {
  "authentication.createAuthentication": "Keep the credentials and sessions of a new user of a site",
  "authentication.getAuthentication": "Read the entries of a user, with domain the one for a site",
  "authentication.listAuthentication": "List the entries of the vault, or the one of a user for a site",
  "authentication.updateAuthentication": "Change the given fields of the entry of a user for a site",
  "decisions.list": "List what models were asked in a run and what they decided",
  "encryptionKey.beginRotation":
    "Give the workspace a new encryption key, which is told this once; values under the former one are still accepted",
  "encryptionKey.finishRotation":
    "End the acceptance of the former encryption key, once everything is under the new one",
  "encryptionKey.rotation": "Read how far the exchange of the encryption key has come",
  "errorCodes.changeErrorCode": "Change the given fields of an error code",
  "errorCodes.findOrCreateErrorCode":
    "Answer the error code with this name, whatever its case, and create it when there is none",
  "errorCodes.getErrorCode": "Read an error code",
  "errorCodes.listErrorCodes": "List error codes; with workflow_id, those that its latest version names",
  "errorCodes.removeErrorCode": "Remove an error code; nodes that name it must name another when they are next saved",
  "events.clientEvents": "Stream the events of the runs that a client started, the ones that it missed first",
  "events.runEvents": "Stream the events of one run, from the one after Last-Event-ID",
  "evidence.debugSnapshot": "Read how the page looked when a node of a debugged run began, or failed",
  "evidence.errors": "Group the errors of the runs of a workflow within a time",
  "evidence.network": "List what the pages of a run asked of the network",
  "evidence.reportedErrors": "Group the errors of the runs of a workflow within a time, as older clients ask for it",
  "interactions.answer": "Answer what a run asks a person",
  "interactions.correct": "Give a run that waits for it corrected inputs, or a choice",
  "interactions.openQuestion": "Read what a run asks a person now",
  "live.connection": "Open the live view of a running run for once",
  "notifications.listRunSubscriptions":
    "List the subscriptions that the user of the key made, with all=true those of everybody in the workspace",
  "notifications.subscribeToRuns":
    "Subscribe to events of the runs of the workspace or of some workflows; without a channel they go to the log",
  "notifications.unsubscribeFromRuns":
    "End the subscriptions of the workspace or of some workflows, for the given events or for all of them",
  "patches.applyPatch":
    "Save a workflow with a change that its runs offer, as its next version; its run window stays as it is",
  "patches.dismissPatch": "Decide against a change that the runs of a workflow offer; it is not offered again",
  "patches.listPatches": "List the changes of a workflow that its runs found out to help",
  "runWindows.getRunWindow": "Read the run window of a workflow and whether it is open now",
  "runWindows.pause": "Hold the runs of a workflow until it is unpaused, or until an instant",
  "runWindows.previewRunWindow":
    "Tell what setting this run window would do now and when it would open, without setting it",
  "runWindows.removeRunWindow": "Remove the run window of a workflow and release the runs that it holds",
  "runWindows.unpause": "Lift the closed run windows of workflows, or end their manual pauses",
  "runs.failedItem": "Stop a run with an error code and a reason, as the oldest clients do",
  "runs.interrupt": "Stop a run, waiting or running",
  "runs.listRuns": "List runs, newest first; without start_time, those of the last 24 hours",
  "runs.record": "Read the record of a run: its state, its results, its errors and its events",
  "runs.start": "Start a run of a workflow, or let it wait while something holds it",
  setRunWindow: "Replace the run window of a workflow; waiting runs are held or released at once",
  "secretProviders.listSecretItems": "List the items of a secret provider",
  "secretProviders.changeSecretProvider":
    "Change a secret provider: what the body leaves out stays, and a new configuration is tried first",
  "secretProviders.createSecretProvider": "Connect a secret provider, which is tried first unless test=false",
  "secretProviders.removeSecretProvider": "Remove a secret provider that no credential is bound to",
  "secretProviders.testSecretProvider": "Try a secret provider: whether it answers, and accepts the access",
  "secretProviders.listSecretProviders": "List the secret providers of the workspace",
  "vault.clearBrowserState": "Forget the cookies and the storage of the entry of a user for a site",
  "vault.createEntry": "Keep the sealed credentials of a user for a site",
  "vault.listEntries": "List the entries of the vault, or read the one of a user for a site",
  "vault.removeEntry": "Remove the entry of a user for a site and answer what it was",
  "vault.tfaCode": "Answer a one-time code of a user for a site",
  "vault.updateEntry": "Change the given fields of the entry of a user for a site",
  "webhooks.changeEndpoint":
    "Change the given fields of a webhook; what is still to be delivered goes to where it points then",
  "webhooks.createEndpoint":
    "Register a webhook for all workflows or for one; its secret is made when none is given, and told this once",
  "webhooks.getEndpoint": "Read a registered webhook",
  "webhooks.listDeliveries": "List deliveries to webhooks, newest first; with status=dead, those that were given up",
  "webhooks.listEndpoints": "List the registered webhooks of the workspace",
  "webhooks.removeEndpoint": "Remove a webhook; what is still to be delivered to it is given up",
  "webhooks.replayWebhooks": "Send all events of a run once more to all webhooks that are subscribed to them now",
  "webhooks.retryDelivery": "Take up a delivery again that was given up",
  "webhooks.testEndpoint": "Send a webhook a signed message of the kind webhook.test, and tell what it answered",
  "webhooks.webhookEvents": "Read what was sent to webhooks of one run, and what came of it",
  "workflowBuilder.draft": "Read the workflow that a conversation builds, as it would be saved now",
  "workflowBuilder.endSession": "End a conversation and give its browser back",
  "workflowBuilder.html": "Read the document of the page that a conversation has open",
  "workflowBuilder.interruptSession": "Stop what a conversation does; its page stays open",
  "workflowBuilder.listSessions": "List the conversations that have not ended, the newest first",
  "workflowBuilder.messages": "Read the messages of a conversation, with tail=true those from its end",
  "workflowBuilder.openSession": "Open an address in a browser, to build a new workflow by messages",
  "workflowBuilder.openSessionFromFailedRun":
    "Open the workflow of a failed run in a browser, with its inputs and up to the node that failed",
  "workflowBuilder.openSessionFromWorkflow": "Open a workflow in a browser, up to one of its nodes, to change it",
  "workflowBuilder.respond": "Answer what a conversation asks",
  "workflowBuilder.save": "Save what a conversation has built, as a new workflow or as a next version",
  "workflowBuilder.say": "Send a message: one action, which becomes the next step of the workflow when it succeeds",
  "workflowBuilder.screenshot": "Take a picture of the page that a conversation has open",
  "workflowBuilder.status": "Tell what a conversation is doing",
  "workflowBuilder.stream": "Stream the messages and the statuses of a conversation until it ends",
  "workflowComponents.componentUsage": "List the workflows whose latest version holds a component",
  "workflowComponents.componentVersion": "Read one version of a component",
  "workflowComponents.componentVersions": "List the versions of a component, newest first",
  "workflowComponents.createComponent": "Create a component with its first version; its name need not be unique",
  "workflowComponents.getComponent": "Read a component with its latest version",
  "workflowComponents.listComponents": "List the components of the workspace, oldest first",
  "workflowComponents.removeComponent": "Delete a component; the workflows that hold it keep its nodes as their own",
  "workflowComponents.renameComponent": "Give a component another name, without a new version",
  "workflowComponents.saveComponent":
    "Save a next version of a component and, unless propagate is false, carry it into the workflows that hold it",
  "workflows.create": "Create a workflow with its first version, and its run window if the body has one",
  "workflows.examplePayloads":
    "Give inputs that satisfy the input schema, made from its examples, defaults and choices",
  "workflows.export": "Read a workflow as a bundle that can be imported elsewhere",
  "workflows.folders": "Read one folder of workflows by page, with the folders below it",
  "workflows.fork": "Copy a workflow, from its latest version or a named one",
  "workflows.get": "Read a workflow with its latest version",
  "workflows.import": "Create a workflow from a bundle, with the components that it needs",
  "workflows.list": "List the workflows of the workspace, the one changed last first",
  "workflows.metadata": "Tell what a run of the workflow must be given",
  "workflows.remove": "Delete a workflow; its waiting runs are stopped, the records of its runs stay",
  "workflows.save":
    "Save a next version of a workflow; its run window stays unless the body has run_window, and null removes it",
  "workflows.upsert": "Save the workflow with this id, or with this name in its folder, or create it",
  "workflows.validateInput": "Check an input as a submission would, and start nothing",
  "workflows.version": "Read a workflow as one of its versions has it",
  "workflows.versions": "List the versions of a workflow, newest first",
  "workspaces.changeSettings": "Change the given settings of the workspace",
  "workspaces.getSettings": "Read the settings of the workspace",
  "workspaces.listApiKeys": "List the API keys of the workspace, revoked ones included; never the keys themselves",
  "workspaces.listWorkspaces": "List the workspaces of the key, with load_members=true also who works in them",
  "workspaces.makeApiKey": "Make an API key of a new user; the key is shown this once",
  "workspaces.me": "Tell who the key speaks for",
  "workspaces.myWorkspaces": "List the workspaces that the key belongs to, which is one",
  "workspaces.revokeApiKey": "Revoke an API key at once, unless it is the last one with the role Owner"
}

/** What holds for every operation that answers with a stream of events. */
export const ofStreams =
  "A key and its workspace may have so many streams and live views open at once, 200 and 1,000 in each process unless set otherwise; one more is answered with 429 until another one is closed. The connection of a client that reads nothing for 30 seconds, unless set otherwise, is closed; its next stream goes on from what it took, after `Last-Event-ID` where the stream reads that."

/** What the operations of each group are about. */
export const groups: Readonly<Record<string, string>> = {
  authentication: "Credentials and sessions of users of sites, by the names of the first clients",
  decisions: "What models decided in runs",
  "error codes": "What a workspace calls the failures of its workflows, and what follows when a run fails with one",
  events: "What happens to runs, as it happens",
  evidence: "What runs leave behind for whoever looks for the reason of a failure",
  interactions: "What runs ask of people",
  live: "Watching a run while it goes on",
  notifications: "Who is told when runs start, succeed, fail or are tried again",
  patches: "Changes of workflows that their runs found out to help; none is made before a person says so",
  "run windows": "The hours in which the runs of a workflow may start, and what else holds them",
  runs: "Single executions of workflows",
  "encryption key": "What the credentials of the workspace are sealed with, and how it is exchanged",
  "secret providers": "Where secrets are read from that the vault does not keep itself",
  vault: "Sealed credentials, sessions and one-time codes for sites",
  webhooks: "Who is told of events by HTTP, and what became of each delivery",
  "workflow components":
    'Parts of graphs that workflows share. A node of a workflow that came from a component carries `source_component_instance_id`: the id of the component, followed by ":" and a UUID of the instance where the workflow holds the component more than once. `source_component_node_id` is the id of the node within the component, where that is not its own id. A new version is carried into the latest version of every workflow that holds the component, as a next version of each; a workflow that would not be valid any more is left alone and reported under `skipped`. Deleting a component leaves its nodes in the workflows, without these marks. Several components may have the same name.',
  "workflow builder": "Conversations that build a workflow on an open page, one action after the other",
  workflows: "What is automated, in numbered versions of which each is fixed for ever",
  workspaces: "The workspace of a key: who works in it, how it is set, and its API keys"
}
