/**
 * The HTTP interface as a value: its endpoints with their requests and answers. It contains no server code, so that
 * clients can import it.
 */
import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { AlertsGroup } from "./alert/AlertsApi.ts"
import { AuditGroup } from "./audit/AuditApi.ts"
import { BuilderGroup } from "./builder/BuilderApi.ts"
import { BundlesGroup } from "./bundle/BundlesApi.ts"
import { CanariesGroup } from "./canary/CanariesApi.ts"
import { ComponentsGroup } from "./component/ComponentsApi.ts"
import { ConsoleGroup } from "./console/LinksApi.ts"
import * as Description from "./Description.ts"
import { DecisionsGroup } from "./decision/DecisionsApi.ts"
import { ErrorCodesGroup } from "./error-code/ErrorCodesApi.ts"
import { EventsGroup } from "./event/EventsApi.ts"
import { EvidenceGroup } from "./evidence/EvidenceApi.ts"
import { FileDestinationsGroup } from "./file-destination/FileDestinationsApi.ts"
import { GatesGroup } from "./gate/GatesApi.ts"
import { Authorization } from "./http/Authorization.ts"
import { SchemaErrors } from "./http/body/SchemaErrors.ts"
import { EarlyRefusals } from "./http/EarlyRefusals.ts"
import { InstallationGroup } from "./installation/InstallationApi.ts"
import { InteractionsGroup } from "./interaction/InteractionsApi.ts"
import { LimitsGroup } from "./limit/LimitsApi.ts"
import { LiveGroup } from "./live/LiveApi.ts"
import { NotificationsGroup } from "./notification/NotificationsApi.ts"
import { PatchesGroup } from "./patch/PatchesApi.ts"
import { RunsGroup } from "./run/RunsApi.ts"
import { SchedulesGroup } from "./schedule/SchedulesApi.ts"
import { SpendingGroup } from "./spending/SpendingApi.ts"
import { AuthenticationGroup } from "./vault/AuthenticationApi.ts"
import { EncryptionKeyGroup } from "./vault/EncryptionKeyApi.ts"
import { SecretProvidersGroup } from "./vault/SecretProvidersApi.ts"
import { VaultGroup } from "./vault/VaultApi.ts"
import { VerbsGroup } from "./verb/VerbsApi.ts"
import { WebhooksGroup } from "./webhook/WebhooksApi.ts"
import { WorkflowsGroup } from "./workflow/WorkflowsApi.ts"
import { InvitationsGroup } from "./workspace/InvitationsApi.ts"
import { WorkspacesGroup } from "./workspace/WorkspacesApi.ts"

/** The groups, by their names: the type of the interface written out would be too long for a declaration file. */
type Groups =
  | typeof WorkflowsGroup
  | typeof GatesGroup
  | typeof RunsGroup
  | typeof VerbsGroup
  | typeof SchedulesGroup
  | typeof ComponentsGroup
  | typeof EvidenceGroup
  | typeof DecisionsGroup
  | typeof LiveGroup
  | typeof ErrorCodesGroup
  | typeof WorkspacesGroup
  | typeof NotificationsGroup
  | typeof WebhooksGroup
  | typeof FileDestinationsGroup
  | typeof AlertsGroup
  | typeof LimitsGroup
  | typeof EventsGroup
  | typeof InteractionsGroup
  | typeof VaultGroup
  | typeof AuthenticationGroup
  | typeof SecretProvidersGroup
  | typeof EncryptionKeyGroup
  | typeof BuilderGroup
  | typeof CanariesGroup
  | typeof SpendingGroup
  | typeof PatchesGroup
  | typeof AuditGroup
  | typeof BundlesGroup
  | typeof InstallationGroup
  | typeof ConsoleGroup

const described: HttpApi.HttpApi<
  "sluice",
  HttpApiGroup.AddMiddleware<
    HttpApiGroup.AddMiddleware<
      HttpApiGroup.AddMiddleware<Groups, Authorization> | typeof InvitationsGroup,
      SchemaErrors
    >,
    EarlyRefusals
  >
> = HttpApi.make("sluice")
  .add(WorkflowsGroup)
  .add(GatesGroup)
  .add(RunsGroup)
  .add(VerbsGroup)
  .add(SchedulesGroup)
  .add(ComponentsGroup)
  .add(EvidenceGroup)
  .add(DecisionsGroup)
  .add(LiveGroup)
  .add(ErrorCodesGroup)
  .add(WorkspacesGroup)
  .add(NotificationsGroup)
  .add(WebhooksGroup)
  .add(FileDestinationsGroup)
  .add(AlertsGroup)
  .add(LimitsGroup)
  .add(EventsGroup)
  .add(InteractionsGroup)
  .add(VaultGroup)
  .add(AuthenticationGroup)
  .add(SecretProvidersGroup)
  .add(EncryptionKeyGroup)
  .add(BuilderGroup)
  .add(CanariesGroup)
  .add(SpendingGroup)
  .add(PatchesGroup)
  .add(AuditGroup)
  .add(BundlesGroup)
  .add(InstallationGroup)
  .add(ConsoleGroup)
  .middleware(Authorization)
  // Requires a key where its endpoints need one.
  .add(InvitationsGroup)
  .middleware(SchemaErrors)
  .middleware(EarlyRefusals)
  // Report all validation errors, not only the first.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Sluice",
      version: "1.0.0",
      description: "Runs browser-automation workflows, and starts them only within their run windows",
      transform: Description.complete((): HttpApi.Constraint => Api)
    })
  )

/** The whole described interface. */
export class Api extends described {}
