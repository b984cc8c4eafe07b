/** Defines the configuration of a judge: model, prompt and scale. */

export interface JudgeConfig {
  readonly connection_id: string
  readonly model: string
  /**
   * System prompt that precedes the built-in rules. Must not contain variables. If null or absent,
   * a default sentence is used.
   */
  readonly system?: string | null
  /** Contains `{{output}}` and, optionally, other variables. */
  readonly prompt: string
  readonly temperature?: number
  readonly max_tokens?: number
  readonly scale: JudgeScale
}

export type JudgeScale = RubricScale | ChoiceScale

interface RubricScale {
  readonly type: 'rubric'
  readonly min: number
  readonly max: number
}

interface ChoiceScale {
  readonly type: 'choice'
  /** Value of each label, from 0 to 1. */
  readonly labels: Readonly<Record<string, number>>
}

export const defaultTemperature = 0
export const defaultTokens = 1024
/**
 * Minimum value of `max_tokens`. With fewer tokens, replies would be truncated in the reasoning,
 * which precedes the grade.
 */
export const tokensMin = 256
export const tokensMax = 32_768
