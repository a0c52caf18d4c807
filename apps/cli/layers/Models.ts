/**
 * The model that workflows may ask for, as the settings name it.
 */
import { Effect, Layer, Option, type Redacted, Schema } from "effect"
import { ModelBudget } from "../../../core/agent/model/Budget.ts"
import { ModelAvailability } from "../../../core/workflow/ModelAvailability.ts"
import { settingNames } from "../SettingNames.ts"

export interface ModelSettings {
  readonly modelUrl: Option.Option<string>
  /** The first is the usual one. */
  readonly models: ReadonlyArray<string>
  readonly visionModel: Option.Option<string>
  readonly modelKey: Option.Option<Redacted.Redacted<string>>
  readonly modelCalls: number
  readonly modelTokens: number
  readonly modelSeconds: number
}

/** Raised when one half of what names a model is missing. */
export class ModelMisconfigured extends Schema.TaggedError<ModelMisconfigured>()("ModelMisconfigured", {
  reason: Schema.String
}) {
  override get message() {
    return `Cannot use a model: ${this.reason}`
  }
}

type Named = Pick<ModelSettings, "modelUrl" | "models" | "visionModel">

const namesOf = ({ models, visionModel }: Named): ReadonlyArray<string> => [
  ...new Set([...models, ...Option.toArray(visionModel)])
]

/** What is missing of the settings that name a model. */
export const misconfigured = (settings: Named): Option.Option<ModelMisconfigured> => {
  const hasUrl = Option.isSome(settings.modelUrl)
  if (hasUrl && settings.models.length === 0) {
    return Option.some(
      new ModelMisconfigured({ reason: "SLUICE_MODEL_URL is set; set SLUICE_MODEL to a name as well" })
    )
  }
  if (hasUrl || namesOf(settings).length === 0) return Option.none()
  const named = settings.models.length > 0 ? "SLUICE_MODEL" : "SLUICE_MODEL_VISION"
  return Option.some(new ModelMisconfigured({ reason: `${named} is set; set SLUICE_MODEL_URL as well` }))
}

/** The models that workflows may ask for. */
export const layerAvailability = (settings: ModelSettings) =>
  Layer.effect(
    ModelAvailability,
    Effect.gen(function* () {
      const problem = misconfigured(settings)
      if (Option.isSome(problem)) return yield* problem.value
      return { names: namesOf(settings), setting: settingNames.model }
    })
  )

/** The model itself, and how much of it a run may use. */
export const layer = (settings: ModelSettings) => {
  const budget = Layer.succeed(ModelBudget, {
    calls: settings.modelCalls,
    tokens: settings.modelTokens,
    millis: settings.modelSeconds * 1_000,
    names: settingNames
  })
  const [usual, ...others] = settings.models
  const { modelUrl } = settings
  if (Option.isNone(modelUrl) || usual === undefined) return Layer.merge(budget, layerAvailability(settings))
  const model = Layer.unwrap(
    Effect.gen(function* () {
      // Loaded where there is a model only.
      const OpenAiModel = yield* Effect.promise(() => import("../../../adapters/openai/OpenAiModel.ts"))
      return OpenAiModel.layer({
        ...OpenAiModel.defaults,
        url: modelUrl.value,
        key: Option.getOrNull(settings.modelKey),
        names: [usual, ...others],
        vision: Option.getOrNull(settings.visionModel)
      })
    })
  )
  return Layer.mergeAll(budget, layerAvailability(settings), model)
}
