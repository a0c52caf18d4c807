/** The frame around every view: navigation, the signed-in user, and notices. */
import { Component, type ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { isLost, useConnection } from "../data/Live.ts"
import { KeyForm } from "../forms/KeyForm.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { dismiss, notices } from "../kit/Notices.ts"
import { useAtom } from "../kit/Registry.ts"
import { route, to } from "../kit/Route.ts"
import { begin, isOver, leave, offered, offerLink, session, takeInvitation } from "../kit/Session.ts"
import { Accept } from "./Accept.tsx"
import { Offer } from "./Offer.tsx"
import { Palette } from "./Palette.tsx"
import { Logo, SignIn } from "./SignIn.tsx"
import { places, viewOf } from "./Views.tsx"

export const App = () => {
  const [problem, setProblem] = useState<string | null>(null)
  const [invitation, setInvitation] = useState(takeInvitation)
  useEffect(() => {
    // A link that is opened in the open console changes only the part after the `#`.
    const look = () => {
      setInvitation((before) => takeInvitation() ?? before)
      offerLink()
    }
    window.addEventListener("hashchange", look)
    return () => window.removeEventListener("hashchange", look)
  }, [])
  const signedIn = useAtom(session)
  const link = useAtom(offered)
  useEffect(() => void begin().then(setProblem), [])
  if (signedIn === null) return <div class="starting" role="status" aria-label="Loading" />
  return (
    <>
      {link !== null ? (
        <Offer link={link} />
      ) : invitation !== null ? (
        <Accept token={invitation} onEnd={() => setInvitation(null)} />
      ) : signedIn === "none" ? (
        <SignIn problem={problem} />
      ) : (
        <Frame />
      )}
      <Notices />
    </>
  )
}

const Frame = () => {
  const here = useAtom(route)
  const isAway = useAtom(isLost)
  const hasEnded = useAtom(isOver)
  useConnection()
  const signedIn = useAtom(session)
  const [isSearching, setSearching] = useState(false)
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault()
        setSearching((is) => !is)
      }
    }
    window.addEventListener("keydown", pressed)
    return () => window.removeEventListener("keydown", pressed)
  }, [])
  const view = viewOf(here)
  // On a narrow screen the navigation is a strip that scrolls.
  useEffect(() => {
    document.querySelector(".rail nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" })
  }, [view.place])
  if (signedIn === null || signedIn === "none") return null
  return (
    <div class="frame">
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault()
          document.querySelector<HTMLElement>("#content h1")?.focus()
        }}
      >
        Skip to content
      </a>
      <header class="rail">
        <a class="brand" href="#/" aria-label="Sluice, home">
          <Logo />
          <span>Sluice</span>
        </a>
        <button type="button" class="search" onClick={() => setSearching(true)}>
          <span>Go to or do</span>
          <kbd>Ctrl K</kbd>
        </button>
        <nav aria-label="Main">
          {places
            .filter(({ role }) => role === undefined || role === signedIn.role)
            .map(({ icon, name, word }) => (
              <a
                key={name}
                href={to(name === "" ? [] : [name])}
                aria-current={view.place === name ? "page" : undefined}
              >
                <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                  <path
                    d={icon}
                    fill="none"
                    stroke="currentColor"
                    stroke-width="1.4"
                    stroke-linecap="round"
                    stroke-linejoin="round"
                  />
                </svg>
                {word}
              </a>
            ))}
        </nav>
        <div class="who">
          <p>
            <strong>{signedIn.workspace_name}</strong>
            <span>
              {signedIn.key_name ?? "API key"} · {signedIn.role}
            </span>
          </p>
          <button type="button" class="plain" onClick={() => void leave()}>
            Sign out
          </button>
        </div>
      </header>
      <main id="content">
        {isAway && (
          <p class="lost" role="alert">
            The service cannot be reached. This page continues automatically when it can.
          </p>
        )}
        <Boundary key={view.key}>{view.draw()}</Boundary>
      </main>
      {hasEnded && (
        <Dialog title="Your session has ended" onClose={null}>
          <p class="note">Sign in to continue. What you typed on this page stays there.</p>
          <KeyForm problem={null} />
        </Dialog>
      )}
      {isSearching && <Palette onClose={() => setSearching(false)} />}
    </div>
  )
}

const Notices = () => {
  const all = useAtom(notices)
  return (
    <div class="notices" role="status" aria-live="polite">
      {all.map(({ id, kind, more, text }) => (
        <div key={id} class={`notice ${kind}`}>
          <span>
            {text}
            {more !== undefined && (
              <>
                {" "}
                <a href={more.address}>{more.word}</a>
              </>
            )}
          </span>
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  )
}

/** When a view fails to draw, an error takes its place and the rest of the console continues. */
class Boundary extends Component<{ readonly children: ComponentChildren }, { readonly error: unknown }> {
  override state = { error: null as unknown }
  static override getDerivedStateFromError(error: unknown) {
    return { error }
  }
  override render() {
    if (this.state.error === null) return this.props.children
    return (
      <div class="page">
        <h1>This view could not be drawn</h1>
        <div class="problem" role="alert">
          {String(this.state.error)}
        </div>
        <button type="button" onClick={() => this.setState({ error: null })}>
          Draw it again
        </button>
      </div>
    )
  }
}
