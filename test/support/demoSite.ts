/**
 * The demo site with users of a test, and the credential and the workflow with which a run signs each of them in.
 */
import type { DemoUser, SecondFactor } from "../../apps/demo/DemoUsers.ts"
import { graphOf } from "./browser.ts"
import { seal } from "./sealed.ts"

/** The vault's name for a user's second factor; `null` when only a person knows the code. */
const methodOf = (second: SecondFactor | null): string | null => {
  if (second === null) return null
  switch (second._tag) {
    case "app":
      return "AUTHENTICATOR"
    case "link":
      return "MAGIC_LINK"
    case "sent":
      return second.by === "mail" ? "EMAIL" : second.by === "text" ? "SMS" : null
  }
}

/** The body that stores the credential of a user of the site, under the user's name. */
export const credentialOf = (
  name: string,
  { password, second, user }: DemoUser,
  site: string,
  encryptionKey: string
) => {
  const sealed = (value: string) => seal(encryptionKey, value)
  const method = methodOf(second)
  const secret =
    second?._tag !== "app"
      ? {}
      : {
          tfa_secret: sealed(second.counts ? `otpauth://hotp/Marlow?secret=${second.secret}&counter=0` : second.secret)
        }
  return {
    permissioned_user_id: name,
    domain: site,
    user_name: sealed(user),
    password: sealed(password),
    ...secret,
    ...(method === null ? {} : { tfa_method: method })
  }
}

/**
 * A workflow that signs in with the credential `SITE` and a second factor of this user's kind, and reads the heading.
 */
export const signInWorkflow = ({ second }: DemoUser, site: string) => {
  const method = methodOf(second)
  const tfa =
    second === null
      ? []
      : [
          {
            action: "TFA",
            parameters: {
              tfa_type: method ?? "AUTHENTICATOR",
              credential: "SITE",
              ...(second._tag === "link" ? {} : { selector: "//input[@id='code']" })
            }
          }
        ]
  return {
    name: `Sign in by ${method ?? (second === null ? "password" : "a person")}`,
    max_retries: 0,
    input_schema: { type: "object", properties: {} },
    output_schema: {
      type: "object",
      properties: { heading: { type: "string" }, orders: { type: "array" } },
      required: ["heading"]
    },
    vault_schema: { SITE: { type: "credential", domain: site } },
    ...graphOf(`${site}/login`, [
      {
        action: "INPUT_TEXT",
        parameters: { selector: "//input[@id='user']", text: "{{context.inputs.SITE.USER_NAME}}" }
      },
      {
        action: "INPUT_TEXT",
        parameters: { selector: "//input[@id='password']", text: "{{context.inputs.SITE.PASSWORD}}" }
      },
      { action: "CLICK", parameters: { selector: "//button[@id='sign-in']" } },
      ...tfa,
      {
        action: "EXTRACT_DATAMODEL",
        parameters: {
          selector: "//table[@id='orders']",
          wait_time: 5_000,
          extract_data_model: {
            type: "object",
            properties: { heading: { type: "string", path: "//h1" } }
          }
        }
      }
    ])
  }
}
