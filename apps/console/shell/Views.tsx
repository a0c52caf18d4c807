/** The view of each address. Views that are rarely needed first are loaded when they are opened. */
import type { ComponentChildren, ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { HomeView } from "../home/HomeView.tsx"
import type { Route } from "../kit/Route.ts"
import { RunsView } from "../runs/RunsView.tsx"

/** The places of the main navigation. */
export const places: ReadonlyArray<{
  readonly name: string
  readonly word: string
  readonly icon: string
  readonly role?: string
}> = [
  { name: "", word: "Home", icon: "M2.5 7.5 8 3l5.5 4.5V13h-4V9.5h-3V13h-4z" },
  { name: "runs", word: "Runs", icon: "M2.5 4h11M2.5 8h11M2.5 12h7" },
  { name: "workflows", word: "Workflows", icon: "M3 3h4v4H3zM9 9h4v4H9zM5 7v4h4" },
  { name: "author", word: "Author", icon: "M3 13l.8-3.2 7-7a1.5 1.5 0 0 1 2.4 2.4l-7 7zM9.5 4l2.5 2.5" },
  { name: "schedules", word: "Schedules", icon: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M8 5v3l2 1.5" },
  { name: "limits", word: "Limits", icon: "M2.5 11a5.5 5.5 0 0 1 11 0M8 11l2.5-3.5M2.5 13.5h11" },
  { name: "vault", word: "Vault", icon: "M3.5 7h9v6h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2" },
  { name: "webhooks", word: "Webhooks", icon: "M5 5h8m-2-2 2 2-2 2M11 11H3m2-2-2 2 2 2" },
  {
    name: "alerts",
    word: "Alerts",
    icon: "M4 11.5h8M5 11.5V7a3 3 0 0 1 6 0v4.5M8 4V2.5M7 13.5h2",
    role: "Owner"
  },
  { name: "files", word: "Files", icon: "M4 2.5h5l3 3v8H4zM9 2.5v3h3M8 11.5v-4m-1.5 2.5L8 11.5 9.5 10" },
  { name: "error-codes", word: "Error codes", icon: "M8 2.5 14 13H2zM8 6.5v3M8 11v.5" },
  {
    name: "members",
    word: "Members",
    icon: "M6 3a2.2 2.2 0 1 1 0 4.4A2.2 2.2 0 0 1 6 3M2 13c0-2.4 1.8-4 4-4s4 1.6 4 4M11 4.2a2 2 0 0 1 0 3.6M11.5 9.5c1.6.4 2.5 1.8 2.5 3.5"
  },
  {
    name: "keys",
    word: "Keys",
    icon: "M9.5 6.5a2.5 2.5 0 1 0-2 2.45L9 10.5h1.5V12H12v1.5h1.5v-2L9.4 7.4",
    role: "Owner"
  },
  { name: "audit", word: "Audit", icon: "M4 2.5h6l2.5 2.5v8.5H4zM6 7h5M6 9.5h5", role: "Owner" },
  { name: "settings", word: "Settings", icon: "M2.5 5h6m3 0h2M2.5 11h2m3 0h6M10 3.5v3M6 9.5v3" }
]

/** A view that is loaded when it is first drawn. */
const later = <P extends object>(load: () => Promise<ComponentType<P>>) => {
  let loaded: ComponentType<P> | null = null
  return (props: P) => {
    const [View, show] = useState<{ readonly view: ComponentType<P> } | null>(loaded === null ? null : { view: loaded })
    const [isMissing, setMissing] = useState(false)
    useEffect(() => {
      if (View !== null) return
      load().then(
        (view) => {
          loaded = view
          show({ view })
        },
        () => setMissing(true)
      )
    }, [])
    if (isMissing) return <NotLoaded />
    return View === null ? <div class="page" role="status" aria-label="Loading" /> : <View.view {...props} />
  }
}

/** The service cannot be reached, or was updated: then the files of the page have other names. */
const NotLoaded = () => (
  <div class="page">
    <h1>This view could not be loaded</h1>
    <div class="problem" role="alert">
      <span>The service cannot be reached, or it was updated since this page was loaded.</span>
      <button type="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </div>
  </div>
)

const RunView = later(async () => (await import("../run/RunView.tsx")).RunView)
const WorkflowsView = later(async () => (await import("../workflow/WorkflowsView.tsx")).WorkflowsView)
const WorkflowView = later(async () => (await import("../workflow/WorkflowView.tsx")).WorkflowView)
const WindowView = later(async () => (await import("../window/WindowView.tsx")).WindowView)
const VaultView = later(async () => (await import("../vault/VaultView.tsx")).VaultView)
const WebhooksView = later(async () => (await import("../webhooks/WebhooksView.tsx")).WebhooksView)
const AlertsView = later(async () => (await import("../alerts/AlertsView.tsx")).AlertsView)
const FilesView = later(async () => (await import("../files/FilesView.tsx")).FilesView)
const KeysView = later(async () => (await import("../keys/KeysView.tsx")).KeysView)
const SchedulesView = later(async () => (await import("../schedules/SchedulesView.tsx")).SchedulesView)
const LimitsView = later(async () => (await import("../limits/LimitsView.tsx")).LimitsView)
const AuthorView = later(async () => (await import("../author/AuthorView.tsx")).AuthorView)
const ErrorCodesView = later(async () => (await import("../errorCodes/ErrorCodesView.tsx")).ErrorCodesView)
const MembersView = later(async () => (await import("../members/MembersView.tsx")).MembersView)
const SettingsView = later(async () => (await import("../settings/SettingsView.tsx")).SettingsView)
const SpendingView = later(async () => (await import("../spending/SpendingView.tsx")).SpendingView)
const BringView = later(async () => (await import("../bring/BringView.tsx")).BringView)
const AuditView = later(async () => (await import("../audit/AuditView.tsx")).AuditView)

interface View {
  readonly place: string
  /** A new key resets the state of the view. */
  readonly key: string
  readonly draw: () => ComponentChildren
}

export const viewOf = ({ path, query }: Route): View => {
  const [place = "", id, part = "outline"] = path
  switch (place) {
    case "":
      return { place, key: place, draw: () => <HomeView /> }
    case "runs":
      return id === undefined
        ? { place, key: place, draw: () => <RunsView query={query} /> }
        : { place, key: `run ${id}`, draw: () => <RunView id={id} /> }
    case "workflows":
      if (id === undefined) return { place, key: place, draw: () => <WorkflowsView query={query} /> }
      return part === "window"
        ? { place, key: `window ${id}`, draw: () => <WindowView id={id} /> }
        : { place, key: `workflow ${id}`, draw: () => <WorkflowView id={id} part={part} /> }
    case "bring":
      return { place: "workflows", key: place, draw: () => <BringView /> }
    case "author":
      return { place, key: `author ${id}`, draw: () => <AuthorView id={id} /> }
    case "vault":
      return { place, key: place, draw: () => <VaultView /> }
    case "webhooks":
      return { place, key: place, draw: () => <WebhooksView /> }
    case "alerts":
      return { place, key: place, draw: () => <AlertsView /> }
    case "files":
      return { place, key: place, draw: () => <FilesView /> }
    case "keys":
      return { place, key: place, draw: () => <KeysView /> }
    case "error-codes":
      return { place, key: place, draw: () => <ErrorCodesView /> }
    case "members":
      return { place, key: place, draw: () => <MembersView /> }
    case "settings":
      return { place, key: place, draw: () => <SettingsView /> }
    case "model-spending":
      return { place: "settings", key: place, draw: () => <SpendingView query={query} /> }
    case "schedules":
      return { place, key: place, draw: () => <SchedulesView query={query} /> }
    case "limits":
      return { place, key: place, draw: () => <LimitsView /> }
    case "audit":
      return { place, key: place, draw: () => <AuditView query={query} /> }
    default:
      return {
        place: "none",
        key: "none",
        draw: () => (
          <div class="page">
            <h1>This page does not exist</h1>
            <p>
              This address has no page. <a href="#/">Go home</a>
            </p>
          </div>
        )
      }
  }
}
