/** Scenarios of runs that the server executes: their version, their window and their credentials. */
import * as Executed from "../Executed.ts"
import { cookie } from "../Receiver.ts"
import { entry, expectTime, newPair, openIn, type Scenario, windowOf } from "../Scenario.ts"
import * as Sealed from "../Sealed.ts"
import { expect, field, listOf, type Server, skip, smallest } from "../Server.ts"

/** Creates a credential of the page with fields that only the vault takes, and answers the pair that identifies it. */
const userWith = (server: Server, fields: Readonly<Record<string, unknown>>) =>
  entry(server, fields, newPair(server.receiver?.url))

const stepOf = async (server: Server, session: string) =>
  field(field(await Executed.questionOf(server, session), "payload"), "current_step")

/**
 * Expects a run to wait for a credential. A run that was submitted later, with a credential that is free, has begun
 * meanwhile: so the server had room for it.
 */
const expectWaits = async (server: Server, id: string, session: string): Promise<void> => {
  const other = await Executed.begun(server, id, (await Executed.user(server)).permissioned_user_id)
  await Executed.questionOf(server, other)
  const status = field(await server.expect(200, "GET", `/run/${session}`), "status")
  expect(status === "execution.queued", "a run without a free credential to be execution.queued", status)
  await Executed.interrupt(server, other)
}

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "run-version-fixed",
    section: "Versioning",
    promise: "A run executes the version at its submission, also when the workflow was edited while it was held",
    needs: ["runs"],
    run: async (server) => {
      const { permissioned_user_id } = await Executed.user(server)
      const id = await server.workflow(Executed.typing(server, { name: "First" }))
      await server.expect(200, "PUT", windowOf(id), { json: openIn(server, 100) })
      const before = await Executed.begun(server, id, permissioned_user_id)
      const edited = { ...smallest, ...Executed.typing(server, { name: "Second" }) }
      await server.expect(200, "PUT", `/workflows/${id}`, { json: edited })
      await server.expect(200, "DELETE", windowOf(id))
      const first = await stepOf(server, before)
      expect(first === "First", 'the step "First" of version 1', first)
      await Executed.interrupt(server, before)
      const second = await stepOf(server, await Executed.begun(server, id, permissioned_user_id))
      expect(second === "Second", 'the step "Second" of version 2 in a later run', second)
    }
  },
  {
    name: "running-not-held",
    section: "States and transitions",
    promise: "A run that is in progress when its window closes continues to its end",
    needs: ["runs"],
    run: async (server) => {
      const { permissioned_user_id } = await Executed.user(server)
      const id = await server.workflow(Executed.typing(server))
      const session = await Executed.begun(server, id, permissioned_user_id)
      await Executed.questionOf(server, session)
      await server.expect(200, "PUT", windowOf(id), { json: openIn(server, 100) })
      const status = field(await server.expect(200, "GET", `/run/${session}`), "status")
      expect(status !== "execution.paused", "a status but execution.paused", status)
      await Executed.answer(server, session, Executed.newCode())
      const kinds = (await Executed.expectSuccess(server, session)).map(Executed.kindOf)
      expect(!kinds.includes("execution.paused"), "no event execution.paused", kinds)
    }
  },
  {
    name: "credential-busy",
    section: "Vault entry (complete record)",
    promise: "Without allow_multiple_sessions, one run at a time uses a credential, and the next one waits for its end",
    needs: ["runs"],
    run: async (server) => {
      const { permissioned_user_id } = await Executed.user(server, { allow_multiple_sessions: false })
      const id = await server.workflow(Executed.typing(server))
      const first = await Executed.begun(server, id, permissioned_user_id)
      await Executed.questionOf(server, first)
      const second = await Executed.begun(server, id, permissioned_user_id)
      await expectWaits(server, id, second)
      await Executed.interrupt(server, first)
      await Executed.questionOf(server, second)
    }
  },
  {
    name: "credential-shared",
    section: "Vault entry (complete record)",
    promise: "With allow_multiple_sessions, several runs use a credential at once",
    needs: ["runs"],
    run: async (server) => {
      const { permissioned_user_id } = await Executed.user(server, { allow_multiple_sessions: true })
      const id = await server.workflow(Executed.typing(server))
      const first = await Executed.begun(server, id, permissioned_user_id)
      const second = await Executed.begun(server, id, permissioned_user_id)
      for (const session of [first, second]) await Executed.questionOf(server, session)
      for (const session of [first, second]) {
        await Executed.answer(server, session, Executed.newCode())
        await Executed.expectSuccess(server, session)
      }
    }
  },
  {
    name: "credential-pool",
    section: "Vault entry (complete record)",
    promise: "Runs with a list of users use its credentials side by side, and the next one waits until one is free",
    needs: ["runs"],
    run: async (server) => {
      const make = () => Executed.user(server, { allow_multiple_sessions: false })
      const users = [await make(), await make()].map(({ permissioned_user_id }) => permissioned_user_id)
      const id = await server.workflow(Executed.typing(server))
      const json = { workflow_id: id, run_input_variables: { SITE: users } }
      const asked = await server.send("POST", "/run", { json })
      if (asked.status === 400) skip("the server takes no list of users for a credential: POST /run answers 400")
      const first = String(field(asked.body, "session_id"))
      server.later(() => Executed.interrupt(server, first))
      const [second, third] = [await Executed.begun(server, id, users), await Executed.begun(server, id, users)]
      for (const session of [first, second]) await Executed.questionOf(server, session)
      await expectWaits(server, id, third)
      await Executed.interrupt(server, first)
      await Executed.questionOf(server, third)
    }
  },
  {
    name: "credential-limit",
    section: "Vault entry (complete record)",
    promise: "max_concurrency runs use a credential at once, and the next one waits for the end of one of them",
    needs: ["runs"],
    run: async (server) => {
      const { permissioned_user_id } = await userWith(server, { allow_multiple_sessions: true, max_concurrency: 2 })
      const id = await server.workflow(Executed.typing(server))
      const first = await Executed.begun(server, id, permissioned_user_id)
      const second = await Executed.begun(server, id, permissioned_user_id)
      for (const session of [first, second]) await Executed.questionOf(server, session)
      const third = await Executed.begun(server, id, permissioned_user_id)
      await expectWaits(server, id, third)
      await Executed.interrupt(server, first)
      await Executed.questionOf(server, third)
    }
  },
  {
    name: "credential-login",
    section: "Vault entry (complete record)",
    promise:
      "With prevent_concurrency_during_login, a run does not begin while another one signs in with its credential",
    needs: ["runs"],
    run: async (server) => {
      const one = { allow_multiple_sessions: true, prevent_concurrency_during_login: true }
      const { permissioned_user_id } = await userWith(server, one)
      const id = await server.workflow(Executed.typing(server))
      const first = await Executed.begun(server, id, permissioned_user_id)
      await Executed.questionOf(server, first)
      const second = await Executed.begun(server, id, permissioned_user_id)
      await expectWaits(server, id, second)
      await Executed.answer(server, first, Executed.newCode())
      await Executed.expectSuccess(server, first)
      await Executed.questionOf(server, second)
    }
  },
  {
    name: "session-kept",
    section: "Vault entry (complete record)",
    promise: "With persist_cookies the cookies of a run are stored and kept by the next run, and not stored without it",
    needs: ["runs"],
    run: async (server) => {
      const [following, opening] = [Executed.following(server), Executed.opening(server)]
      const [sets, opens] = [await server.workflow(following), await server.workflow(opening)]
      const cookiesAfter = async (pair: Readonly<Record<"domain" | "permissioned_user_id", string>>, id: string) => {
        await Executed.expectSuccess(server, await Executed.begun(server, id, pair.permissioned_user_id))
        const read = await server.expect(200, "GET", `/vault?${new URLSearchParams(pair)}`)
        const cookies = listOf(field(read, "cookies") ?? [], "cookies")
        return {
          read,
          has: cookies.some((one) => Object.entries(cookie).every(([name, is]) => field(one, name) === is))
        }
      }
      const keeping = await Executed.user(server, { persist_cookies: true })
      for (const id of [sets, opens]) {
        const { has, read } = await cookiesAfter(keeping, id)
        expect(has, "the cookie of the page among the cookies of the credential", field(read, "cookies"))
        expectTime(read, "session_data_set_at")
      }
      const other = await cookiesAfter(await Executed.user(server, { persist_cookies: false }), sets)
      expect(!other.has, "no cookie without persist_cookies", field(other.read, "cookies"))
    }
  },
  {
    name: "run-authenticator",
    section: "What the service does",
    promise: "A run makes the code of an authenticator from the stored secret, and asks no person",
    needs: ["runs", "encryption key"],
    run: async (server) => {
      // A new secret, as a server may use each time step of a secret only once.
      const tfa_secret = await Sealed.seal(server.encryptionKey, Sealed.newSecret())
      const { permissioned_user_id } = await Executed.user(server, { tfa_method: "AUTHENTICATOR", tfa_secret })
      const id = await server.workflow(Executed.typing(server, { type: "AUTHENTICATOR" }))
      const session = await Executed.begun(server, id, permissioned_user_id)
      const kinds = (await Executed.expectSuccess(server, session)).map(Executed.kindOf)
      expect(!kinds.includes("interaction.waiting"), "no event interaction.waiting", kinds)
    }
  }
]
