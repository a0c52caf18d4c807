/**
 * What each operation of the interface does, in one sentence, for its description.
 */

/** By the id of the operation. */
export const operations: Readonly<Record<string, string>> = {
  "errorCodes.changeErrorCode": "Change the given fields of an error code",
  "errorCodes.findOrCreateErrorCode":
    "Answer the error code with this name, whatever its case, and create it when there is none",
  "errorCodes.getErrorCode": "Read an error code",
  "errorCodes.listErrorCodes": "List error codes; with workflow_id, those that its latest version names",
  "errorCodes.removeErrorCode": "Remove an error code; nodes that name it must name another when they are next saved",
  "events.clientEvents": "Stream the events of the runs that a client started, the ones that it missed first",
  "events.runEvents": "Stream the events of one run, from the one after Last-Event-ID",
  "notifications.listRunSubscriptions":
    "List the subscriptions that the user of the key made, with all=true those of everybody in the workspace",
  "notifications.subscribeToRuns":
    "Subscribe to events of the runs of the workspace or of some workflows; without a channel they go to the log",
  "notifications.unsubscribeFromRuns":
    "End the subscriptions of the workspace or of some workflows, for the given events or for all of them",
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

/** What the operations of each group are about. */
export const groups: Readonly<Record<string, string>> = {
  "error codes": "What a workspace calls the failures of its workflows, and what follows when a run fails with one",
  events: "What happens to runs, as it happens",
  notifications: "Who is told when runs start, succeed, fail or are tried again",
  "run windows": "The hours in which the runs of a workflow may start, and what else holds them",
  runs: "Single executions of workflows",
  "workflow components":
    'Parts of graphs that workflows share. A node of a workflow that came from a component carries `source_component_instance_id`: the id of the component, followed by ":" and a UUID of the instance where the workflow holds the component more than once. `source_component_node_id` is the id of the node within the component, where that is not its own id. A new version is carried into the latest version of every workflow that holds the component, as a next version of each; a workflow that would not be valid any more is left alone and reported under `skipped`. Deleting a component leaves its nodes in the workflows, without these marks. Several components may have the same name.',
  workflows: "What is automated, in numbered versions of which each is fixed for ever",
  workspaces: "The workspace of a key: who works in it, how it is set, and its API keys"
}
