/**
 * An application that is not ours, started on loopback, and the tasks that are done in it.
 */
import type { Page } from "playwright-core"
import type { Move } from "../../gauntlet/Workflow.ts"

export interface Running {
  /** The origin of the application, such as `http://127.0.0.1:4000`. */
  readonly origin: string
  readonly tasks: ReadonlyArray<Task>
  readonly stop: () => Promise<void>
  /**
   * Whether changes of its pages come after its own scripts have started. Scripts that look their elements up by class
   * do not work with pages changed before.
   */
  readonly alteredAfterScripts?: boolean
}

export interface Application {
  readonly name: string
  /** The version that is installed. */
  readonly version: string
  /** Installs the application in a folder where it is not there yet, and starts it with nothing in it. */
  readonly start: (folder: string, files: FileServer) => Promise<Running>
}

/** Serves the files that tasks upload. */
export interface FileServer {
  readonly origin: string
  /** The address of a file with this name and text. */
  readonly offer: (name: string, text: string) => string
}

/** A task, done in a browser that has never been there. */
export interface Task {
  /** What is done, such as `edit`. */
  readonly name: string
  /** Brings the application to where the task begins; the task may have been done before. */
  readonly prepare: () => Promise<void>
  readonly url: string
  readonly workflow: ReadonlyArray<Move>
  /** The elements that the workflow names, as CSS selectors: what changes of the site alter. */
  readonly targets?: ReadonlyArray<string>
  /** The same with Playwright, as a good engineer would write it; answers what it read. */
  readonly byHand: (page: Page) => Promise<unknown>
  /** Reads the state of the application itself, and throws where the task was not done. `data` is what was read. */
  readonly verify: (data: unknown) => Promise<void>
}
