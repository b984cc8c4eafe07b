/** The configuration of a judge: which model is asked, with what words, on what scale. */

export interface JudgeConfig {
  readonly connection_id: string
  readonly model: string
  /** Goes before our own rules; null or absent: a sentence of ours. Takes no variables. */
  readonly system?: string | null
  /** With `{{output}}` and other variables. */
  readonly prompt: string
  readonly temperature?: number
  readonly max_tokens?: number
  readonly scale: JudgeScale
}

export type JudgeScale = RubricScale | ChoiceScale

export interface RubricScale {
  readonly type: 'rubric'
  readonly min: number
  readonly max: number
}

export interface ChoiceScale {
  readonly type: 'choice'
  /** Each label with its worth from 0 to 1. */
  readonly labels: Readonly<Record<string, number>>
}

export const defaultTemperature = 0
export const defaultTokens = 1024
/** Room for the reasoning that comes before the grade; with less, replies end in the middle. */
export const tokensMin = 256
export const tokensMax = 32_768
