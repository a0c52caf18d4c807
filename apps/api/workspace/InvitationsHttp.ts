/** Answers the endpoints of invitations. */
import { Clock, Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Invitation, Invitations, stateOf } from "../../../core/workspace/invitation/Invitations.ts"
import { invitationSeconds } from "../../../core/workspace/Workspace.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { Proof } from "../http/Proof.ts"
import { iso, isoOrNull } from "../run/RunRecord.ts"
import type { InvitationRecord } from "./InvitationsApi.ts"
import { keyRecord } from "./WorkspacesHttp.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "invitations",
  Effect.fn(function* (handlers) {
    const invitations = yield* Invitations
    return handlers.handleAll({
      listInvitations: Effect.fn(function* () {
        const all = yield* invitations.list(yield* CurrentCaller)
        const now = yield* Clock.currentTimeMillis
        return all.map((one) => record(one, now))
      }),
      createInvitation: Effect.fn(function* ({ payload }) {
        const { invitation, token } = yield* invitations.make(yield* CurrentCaller, {
          role: payload.role,
          name: payload.name ?? null,
          ...(payload.scopes == null ? {} : { scopes: payload.scopes }),
          lifetimeSeconds: payload.expires_in_seconds ?? invitationSeconds.default
        })
        return { ...record(invitation, invitation.createdAt), token: Redacted.value(token) }
      }),
      revokeInvitation: Effect.fn(function* ({ params }) {
        const revoked = yield* invitations.revoke(yield* CurrentCaller, params.invitation_id.toLowerCase())
        return record(revoked, yield* Clock.currentTimeMillis)
      }),
      acceptInvitation: Effect.fn(function* ({ payload }) {
        const { key, stored } = yield* invitations.accept(Redacted.make(payload.token))
        // An invitation is accepted once, so that this is the first request that proves it.
        yield* (yield* Proof)(`invitation of ${stored.id}`)
        return { ...keyRecord(stored), workspace_id: stored.workspaceId, key: Redacted.value(key) }
      })
    })
  })
)

const record = (invitation: Invitation, now: number): typeof InvitationRecord.Type => ({
  id: invitation.id,
  role: invitation.role,
  scopes: invitation.scopes ?? null,
  name: invitation.name,
  state: stateOf(invitation, now),
  created_at: iso(invitation.createdAt),
  created_by: invitation.createdBy,
  expires_at: iso(invitation.expiresAt),
  used_at: isoOrNull(invitation.used?.at ?? null),
  api_key_id: invitation.used?.keyId ?? null,
  user_id: invitation.used?.userId ?? null
})
