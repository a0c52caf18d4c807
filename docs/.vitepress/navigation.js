// @ts-check
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** @typedef {{ readonly text: string, readonly link: string }} Page */
/** @typedef {{ readonly text: string, readonly collapsed?: boolean, readonly items: ReadonlyArray<Page> }} Group */

const decisions = join(dirname(fileURLToPath(import.meta.url)), "..", "decisions")

/**
 * The title of a decision: its heading.
 *
 * @param {string} name
 */
const titleOf = (name) => /^# (.*)$/m.exec(readFileSync(join(decisions, name), "utf8"))?.[1] ?? name

/** @type {ReadonlyArray<Page>} */
const everyDecision = readdirSync(decisions)
  .filter((name) => /^\d{4}-.*\.md$/.test(name))
  .sort()
  .map((name) => ({ text: titleOf(name), link: `/decisions/${name.replace(/\.md$/, "")}` }))

/**
 * The navigation of the site. Every page of `docs` stands in it; a test compares them.
 *
 * @type {ReadonlyArray<Group>}
 */
export const navigation = [
  {
    text: "Begin",
    items: [
      { text: "What Sluice is", link: "/" },
      { text: "Getting started", link: "/getting-started" }
    ]
  },
  {
    text: "Workflows",
    items: [
      { text: "Describe it", link: "/describe" },
      { text: "Actions", link: "/actions" },
      { text: "Bring what you have", link: "/bring-what-you-have" },
      { text: "Expressions", link: "/expressions" },
      { text: "Workflows as code", link: "/workflows-as-code" },
      { text: "As a program of Playwright", link: "/playwright-export" },
      { text: "Credentials", link: "/credentials" },
      { text: "Canaries", link: "/canary" },
      { text: "Sign-ins that stay well", link: "/sign-in-checks" },
      { text: "Schedules", link: "/schedules" },
      { text: "Recovery", link: "/recovery" },
      { text: "Replays", link: "/replay" },
      { text: "Without a model", link: "/compile" },
      { text: "What models cost", link: "/model-spending" },
      { text: "True success", link: "/true-success" },
      { text: "Uncertain outcomes", link: "/uncertain-outcomes" },
      { text: "Approvals", link: "/approvals" },
      { text: "The console", link: "/console" },
      { text: "The command line", link: "/cli" },
      { text: "Agents and chat hosts", link: "/agents" },
      { text: "Live view", link: "/live-view" },
      { text: "Webhooks", link: "/webhooks" },
      { text: "File delivery", link: "/file-delivery" },
      { text: "Alerts", link: "/alerts" },
      { text: "Streams", link: "/streams" },
      { text: "Sluice in your own program", link: "/embedding" },
      { text: "The entries of the libraries", link: "/api" }
    ]
  },
  {
    text: "Running it",
    items: [
      { text: "Settings", link: "/settings" },
      { text: "Operating", link: "/operating" },
      { text: "The database", link: "/database" },
      { text: "Several runs", link: "/several-runs" },
      { text: "Pace, priority and deadline", link: "/pace" },
      { text: "Limits", link: "/limits" },
      { text: "Audit, starts and evidence", link: "/audit" },
      { text: "Security", link: "/security" }
    ]
  },
  {
    text: "Semantics",
    items: [
      { text: "Run windows", link: "/semantics-windows" },
      { text: "Requests, workflows and runs", link: "/semantics-runs" },
      { text: "Vault", link: "/semantics-vault" }
    ]
  },
  {
    text: "The project",
    items: [
      { text: "Numbers", link: "/numbers" },
      { text: "Architecture", link: "/architecture" },
      { text: "Glossary", link: "/glossary" },
      { text: "Comparison", link: "/compare" },
      { text: "Changes", link: "/changelog" },
      { text: "Contributing", link: "/contributing" }
    ]
  },
  {
    text: "Decisions",
    collapsed: true,
    items: [{ text: "About the decisions", link: "/decisions/" }, ...everyDecision]
  }
]
