/** The hosts of a database, one of which is used at a time, as the one that accepts connections changes in a failover. */
import type { Host, Target } from "./ConnectionUrl.ts"

export interface Hosts {
  /** The host that new connections go to. */
  readonly host: () => Host
  /** Goes on to the next host, after the last one to the first. */
  readonly next: () => void
  readonly count: number
}

export const make = (hosts: Target["hosts"]): Hosts => {
  let index = 0
  return {
    host: () => hosts[index] ?? hosts[0],
    next: () => {
      index = (index + 1) % hosts.length
    },
    count: hosts.length
  }
}
