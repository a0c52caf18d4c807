/** Checks that the user of the process has a home folder. */
import { homedir } from "node:os"

/** The problem of the home folder, as one sentence; `null` for none. `read` answers the folder or throws. */
export const problemOf = (read: () => string = homedir): string | null => {
  try {
    if (read() !== "") return null
  } catch {
    // The list of users has no entry for this one, and HOME is not set.
  }
  return "The user of this process has no home folder, which the browser needs: set HOME to a folder that the user may write to"
}
