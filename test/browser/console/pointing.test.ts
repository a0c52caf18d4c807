/**
 * A workflow for a billing portal, made new in the console by a person who only sees the page: by roles and texts, without a
 * selector or JSON.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { graphOf } from "../../support/browser.ts"
import { sampled } from "../../support/scale.ts"
import { seal } from "../../support/sealed.ts"
import * as BillingPortal from "./BillingPortal.ts"
import { Desk, type Hand, hand, looked, pictures } from "./Desk.ts"

/** How a workflow finds what is on the portal, where it is found in another way than it is recorded. */
interface Finding {
  readonly user?: string
  readonly password?: string
  readonly rows?: string
}

/** The workflow of the portal as it is recorded, without a condition around the banner. */
const workflowFor = (origin: string, finding: Finding) => {
  const { password = "//input[@name='password']", user = "//input[@name='user']" } = finding
  const { rows = "/html/body/table/tbody/tr[td]" } = finding
  const file = `(${rows})[{{context.runtime.row_number + 1}}]/td[3]/a`
  const items = { type: "object", properties: { total: { type: "number", path: "/td[2]" } } }
  const properties = { rows: { type: "array", path: rows, items } }
  return {
    name: "Invoices",
    max_retries: 0,
    vault_schema: { DESK: { type: "credential", domain: origin } },
    ...graphOf(`${origin}/`, [
      { action: "CLICK", parameters: { selector: "//button[.='Accept all']", wait_time: 1_000 } },
      {
        action: "INPUT_TEXT",
        parameters: { selector: user, text: "{{context.inputs.DESK.USER_NAME}}", wait_time: 1_000 }
      },
      {
        action: "INPUT_TEXT",
        parameters: { selector: password, text: "{{context.inputs.DESK.PASSWORD}}", wait_time: 1_000 }
      },
      { action: "CLICK", parameters: { selector: "//button[.='Sign in']", wait_time: 1_000 } },
      {
        action: "EXTRACT_DATAMODEL",
        parameters: {
          selector: rows,
          wait_time: 3_000,
          extract_data_model: { type: "object", overwriteArrayKeys: ["rows"], properties }
        }
      },
      {
        action: "LOOP",
        parameters: {
          variable_over: "{{context.rows}}",
          variable_current_item: "row",
          variable_current_index: "row_number"
        },
        to: { body: 7, done: 10 }
      },
      { action: "CLICK", parameters: { selector: file, wait_time: 2_000 } },
      { action: "FILE_DOWNLOAD" },
      { action: "TAB_MANAGEMENT", parameters: { tabAction: "SWITCH", tab_index: 0 }, to: 6 },
      {
        action: "BOOL_CONDITION",
        parameters: {
          comparison_operator: "IS_NOT_NULL",
          comparison_value_1: "<<xpath://a[.='Next']>>",
          wait_time: 1_000
        },
        to: { yes: 11, no: 12 }
      },
      { action: "CLICK", parameters: { selector: "//a[.='Next']", wait_time: 2_000 }, to: 5 }
    ])
  }
}

/** Points the step that failed at another element of the page. */
const pointAt =
  (name: string, column?: string) =>
  async ({ press, ...others }: Hand) => {
    await press(column === undefined ? "Choose another element" : `Choose another element for ${column}`)
    await press(`Choose: ${name}`)
    await press(/^Use this one/)
    await toEnd({ press, ...others })
  }

const toEnd = ({ press }: Hand) => press("Run to the end")

interface Repair {
  readonly change: string
  readonly changes: BillingPortal.Changes
  readonly finding?: Finding
  /** Mends the step that fails by the change, and runs to the end. */
  readonly mend: (one: Hand) => Promise<unknown>
}

/** What a site may change, and how a person mends it. */
const repairs: ReadonlyArray<Repair> = [
  {
    change: "a column has another heading",
    changes: { total: "Amount" },
    finding: { rows: "//table[.//th[.='Total']]/tbody/tr[td]" },
    mend: pointAt("cell “25”", "total")
  },
  {
    change: "the files of the rows are in another column",
    changes: { filesFirst: true },
    mend: pointAt("link “PDF”")
  },
  {
    change: "a field has another name and label",
    changes: { user: ["Account", "login"] },
    mend: pointAt("textbox “Account”")
  },
  { change: "a button has another text", changes: { signIn: "Log in" }, mend: pointAt("button “Log in”") },
  {
    change: "a field stands in another box",
    changes: { wrapped: true },
    finding: { user: "/html/body/form/p[1]/label/input" },
    mend: (one) => one.press("Use it and go on: textbox “User”")
  },
  {
    change: "the sign-in asks for a code",
    changes: { withoutCode: false },
    mend: async (one) => {
      await one.press("Type into: textbox “Digit 1”")
      await one.press("Enter the code")
      await one.said(/Done: Enter the code/)
      await toEnd(one)
    }
  },
  {
    change: "a message covers the page",
    changes: { news: true },
    mend: async (one) => {
      await one.press("Click: button “Not now”")
      await one.said(/Done: Click Not now/)
      await toEnd(one)
    }
  },
  {
    change: "the banner is gone",
    changes: { withoutBanner: true },
    mend: async (one) => {
      await one.press("Delete")
      await one.said(/Deleted "CLICK 1"/)
      await toEnd(one)
    }
  },
  {
    change: "the links to the next page are above the list too",
    changes: { pagerTwice: true },
    mend: (one) => one.press("Use it and go on: link “Next”")
  },
  {
    change: "its labels are in another language",
    changes: { labels: ["Benutzer", "Passwort"], signIn: "Anmelden" },
    finding: { user: "//label[contains(., 'User')]/input", password: "//label[contains(., 'Password')]/input" },
    mend: async (one) => {
      await one.press("Use it and go on: textbox “Benutzer”")
      await one.press("Use it and go on: password field “Passwort”")
      await one.press("Use it and go on: button “Anmelden”")
    }
  }
]

layer(Desk.layer, { excludeTestServices: true })("a portal", (it) => {
  it.effect("is automated by pointing alone, in at most 40 actions, and a run gets the invoices of all pages", () =>
    Effect.gen(function* () {
      const portal = yield* BillingPortal.open
      const { owner, page, send } = yield* Desk
      const { password, secret, user } = BillingPortal.customer
      const sealed = (text: string) => seal(owner.encryptionKey, text)
      const json = {
        permissioned_user_id: "desk",
        domain: portal.origin,
        user_name: sealed(user),
        password: sealed(password),
        tfa_secret: sealed(secret)
      }
      assert.strictEqual((yield* send({ method: "POST", path: "/vault", key: owner.key, json })).status, 201)
      const { actions, choose, fill, press, said, steps } = hand(page)
      yield* Effect.promise(async () => {
        await page.reload()
        await fill("Name", "Invoices")
        await fill("First page", `${portal.origin}/`)
        await press("Start recording")
        await press("Click: button “Accept all”")
        await said(/Done: Click Accept all/)
        await press("Type into: textbox “User”")
        await choose("What to type", "User name of desk in the vault")
        await press("Type it")
        await said(/Done: Type into User/)
        // The banner comes once to each browser.
        await press("2 Click Accept all done")
        await press("Put it in a condition")
        await steps.getByText("nothing; goes on below").waitFor()
        await press(/^Type into: .*“Password”$/)
        await press("Type it")
        await said(/Done: Type into Password/)
        await press("Click: button “Sign in”")
        await said(/Done: Click Sign in/)
        await press("Type into: textbox “Digit 1”")
        await page.getByRole("option", { name: "Code of desk, by its authenticator" }).waitFor({ state: "attached" })
        assert.strictEqual(await page.getByRole("button", { name: /“Digit 2”/ }).count(), 0)
        await looked(page, "code")
        await press("Enter the code")
        await said(/Done: Enter the code/)
        await press("Point")
        await press("Choose: link “PDF”")
        await press("For each of the 4 rows")
        await page.getByRole("heading", { name: "For each row" }).waitFor()
        await press("Click: link “PDF”")
        await said(/Keep the file \(R-100\.pdf, \d+ bytes\)/)
        await steps.getByText("R-100.pdf, ").waitFor()
        await looked(page, "download")
        await press("End the loop")
        await said(/^Did \d+ steps\./)
        await press("Point")
        await press("Choose: link “Next”")
        await page.getByRole("button", { name: "Repeat the loop on every page" }).waitFor()
        await looked(page, "pages")
        await press("Repeat the loop on every page")
        await steps.getByText("Go to the next page").waitFor()
        portal.asked()
        await press("Save the workflow")
        await press("Run…")
        await fill("DESK", "desk")
        await press("Run")
        await page.getByText("Succeeded").first().waitFor()
        for (let number = 1; number <= BillingPortal.pages; number++) {
          for (const invoice of BillingPortal.invoicesOf(number))
            await page.getByText(`${invoice}.pdf`).first().waitFor()
        }
        await looked(page, "run")
      })
      const asked = portal.asked().filter((path) => path.startsWith("/rows"))
      assert.deepStrictEqual(asked, ["/rows?page=1", "/rows?page=2", "/rows?page=3"])
      assert.isAtMost(actions(), 40)
    })
  )

  for (const { change, changes, finding = {}, mend } of sampled(repairs, 5)) {
    it.effect(`is mended where ${change}, by pointing in at most 8 actions, and a run proves it`, () =>
      Effect.gen(function* () {
        const portal = yield* BillingPortal.open
        const { owner, page, send } = yield* Desk
        const { password, user } = BillingPortal.customer
        const sealed = (text: string) => seal(owner.encryptionKey, text)
        const post = (path: string, json: unknown) =>
          Effect.map(send({ method: "POST", path, key: owner.key, json }), ({ body, status, text }) => {
            assert.isBelow(status, 300, text)
            return body
          })
        yield* post("/vault", {
          permissioned_user_id: "desk",
          domain: portal.origin,
          user_name: sealed(user),
          password: sealed(password),
          tfa_secret: sealed(BillingPortal.counted)
        })
        portal.change({ withoutCode: true, ...changes })
        const { id } = yield* post("/workflows", workflowFor(portal.origin, finding))
        const run = yield* post("/run", { workflow_id: id, run_input_variables: { DESK: "desk" } })
        const one = hand(page)
        const conversation = yield* Effect.promise(async () => {
          await page.evaluate(`location.hash = "#/runs/${String(run.session_id)}"`)
          await one.press("Repair on the page")
          await page.getByRole("region", { name: "The failure to mend" }).waitFor()
          await page.getByText("the page is as after step").waitFor()
          const [, opened] = /author\/(.*)$/.exec(page.url()) ?? []
          if (pictures !== undefined) await looked(page, `mending, ${change}`)
          await mend(one)
          await one.said(/^Did \d+ steps?.*The end of the workflow comes next/)
          await one.press("Save the workflow")
          portal.asked()
          await one.press("Retry 1 run")
          await page.getByRole("link", { name: "New run" }).first().click()
          await page.getByText("Succeeded").first().waitFor()
          return opened
        })
        // Its page takes one of the places of the host.
        yield* send({ method: "DELETE", path: `/workflow-builder/agent/${conversation}`, key: owner.key })
        const asked = portal.asked().filter((path) => path.endsWith(".pdf"))
        const all = [1, 2, 3].flatMap(BillingPortal.invoicesOf)
        assert.deepStrictEqual(
          [...new Set(asked)],
          all.map((invoice) => `/invoices/${invoice}.pdf`)
        )
        assert.isAtMost(one.actions(), 8)
      })
    )
  }
})
