import { connect } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import * as SmtpServer from "../../../adapters/mail/SmtpServer.ts"
import { Tables } from "../../../adapters/memory/Tables.ts"
import { makeWorkspace } from "../../support/fixtures.ts"
import { latest, makeCredential, smtp } from "../../support/inbox.ts"
import { scale } from "../../support/scale.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

const megabytes = () => {
  collect()
  return process.memoryUsage().heapUsed / 1_048_576
}

/** A mail of some 210 kB, as sites send them. */
const mail = (address: string, code: string, number: number): string =>
  [
    "From: Acme <site@sender.example>",
    `To: ${address}`,
    `Message-ID: <${number}@sender.example>`,
    "Subject: Your verification code",
    "MIME-Version: 1.0",
    "Content-Type: text/html; charset=utf-8",
    "",
    `<html><head><style>${".a{color:#123456}".repeat(12_800)}</style></head><body><p>Your verification code is</p><h1>${code}</h1>`,
    `<p>It expires in 10 minutes. ${"Lorem ipsum dolor sit amet. ".repeat(40)}</p></body></html>`,
    ".",
    ""
  ].join("\r\n")

/** Sends mails over one connection, one after another; answers how many were accepted. */
const sendAll = (port: number, mails: ReadonlyArray<{ readonly to: string; readonly raw: string }>) =>
  new Promise<number>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    let accepted = 0
    let current = -1
    let step = 0
    let heard = ""
    socket.on("error", reject)
    socket.on("close", () => resolve(accepted))
    const next = () => {
      current++
      step = 0
      const one = mails[current]
      if (one === undefined) return socket.end("QUIT\r\n")
      return socket.write("MAIL FROM:<site@sender.example>\r\n")
    }
    socket.on("data", (chunk) => {
      heard += chunk.toString("latin1")
      if (!/^\d{3} [^\n]*\n$/m.test(heard)) return
      const status = heard.trimEnd().split("\n").at(-1)?.slice(0, 3)
      heard = ""
      if (current < 0) {
        if (status === "220") socket.write("EHLO sender.example\r\n")
        else next()
        return
      }
      const one = mails[current]
      if (one === undefined) return
      step++
      if (step === 1) socket.write(`RCPT TO:<${one.to}>\r\n`)
      else if (step === 2) socket.write("DATA\r\n")
      else if (step === 3) socket.write(one.raw)
      else {
        if (status === "250") accepted++
        next()
      }
    })
  })

const connections = 40
const perConnection = 10 * scale

describe(`a burst of ${connections * perConnection} mails`, () => {
  it.live("loses no code, and keeps no mail in memory", () =>
    Effect.gen(function* () {
      const { port } = yield* SmtpServer.SmtpServer
      const { receivedCodes } = yield* Tables
      const caller = yield* makeWorkspace()
      const addresses = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, index) => `user${index}`),
        (user) => makeCredential(caller, user)
      )
      let isWatched = false
      let highest = 0
      const code = (number: number) => String(100_000 + number)
      const round = (from: number, count: number) =>
        Effect.promise(() =>
          Promise.all(
            Array.from({ length: connections }, (_, connection) =>
              sendAll(
                port,
                Array.from({ length: count }, (_, index) => {
                  const number = from + connection * count + index
                  const to = addresses[number % addresses.length] ?? ""
                  // Made when it is sent, as the sender's memory is in the same process.
                  return {
                    to,
                    get raw() {
                      if (isWatched && number % 50 === 0) highest = Math.max(highest, megabytes())
                      return mail(to, code(number), number)
                    }
                  }
                })
              )
            )
          )
        )
      yield* round(500_000, 2)
      const before = megabytes()
      const keptBefore = receivedCodes.size
      isWatched = true
      const accepted = yield* round(0, perConnection)
      assert.strictEqual(
        accepted.reduce((sum, one) => sum + one, 0),
        connections * perConnection
      )
      assert.strictEqual(receivedCodes.size - keptBefore, connections * perConnection)
      // The kept mails take some memory; 400 mails of 210 kB would take 84 MB.
      assert.isBelow(Math.max(highest, megabytes()) - before, 60)
      for (const address of addresses.slice(0, 5)) {
        assert.match(String((yield* latest(caller.workspaceId, address))?.value), /^1\d{5}$/)
      }
    }).pipe(Effect.provide(Layer.fresh(smtp({})).pipe(Layer.provideMerge(Logger.layer([])))))
  )
})
