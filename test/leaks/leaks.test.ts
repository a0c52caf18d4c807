/**
 * The whole service, with secrets that occur nowhere else planted wherever one may be kept or typed: nothing that it produces
 * on the way has one of them in it.
 */
import { randomBytes, randomInt } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { createTransport } from "nodemailer"
import * as Post from "../../apps/demo/Post.ts"
import * as Site from "../../apps/demo/Site.ts"
import type { Visitor } from "../../apps/demo/Visitors.ts"
import { type Canary, canary, codeCanary, type Evidence, leaksIn, plainCanary } from "../support/canaries.ts"
import { openRaw } from "../support/clients.ts"
import { commandLines, filesIn, tablesOf } from "../support/evidence.ts"
import { credentialOf, signInWorkflow } from "../support/marlow.ts"
import { freePort, ownServer } from "../support/ownServer.ts"
import { dataDir, key, masterKey, ready, sluice } from "../support/processes.ts"
import { receiver } from "../support/receiver.ts"
import { seal } from "../support/sealed.ts"

const encryptionKey = randomBytes(32).toString("hex")
const inboundSecret = randomBytes(24).toString("base64url")
const phoneNumber = "+15550104477"

/** Base32 of 20 random bytes. */
const base32 = (): string => Array.from({ length: 32 }, () => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[randomInt(32)]).join("")

/** Everything that is secret, and where it is planted. */
const planted: Array<Canary> = []
const plant = <C extends Canary>(one: C): string => {
  planted.push(one)
  return one.value
}

/** A visitor of the site whose name and password are nobody else's. */
const visitor = (name: string, second: Visitor["second"]): Visitor => ({
  user: plant(canary(`user name of ${name}`)),
  password: plant(canary(`password of ${name}`)),
  second
})

const app = (name: string, counts: boolean): Visitor => {
  const secret = base32()
  planted.push({ name: `TFA secret of ${name}`, value: secret })
  return visitor(name, { _tag: "app", secret, counts })
}
