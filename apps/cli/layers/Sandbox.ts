/**
 * The threads in which the content of users is processed.
 */
import * as ThreadSandbox from "../../../adapters/threads/ThreadSandbox.ts"

/** All parts of a process share the same threads. */
export const layerSandbox = ThreadSandbox.layer()
