/** Lists the checks of the kind `heuristic` with their settings. */
import type { Evaluator } from '../evaluator.ts'
import { booleanOutput, shareOutput } from '../kind.ts'
import type { Kind, OutputForm } from '../kind.ts'
import { inputNotRepeated } from './input-not-repeated.ts'
import { alwaysJson, jsonValid } from './json-valid.ts'
import { language } from './language.ts'
import { length } from './length.ts'
import { createFindDisclosed, noPersonalData } from './personal-data/no-personal-data.ts'
import { noRepetition } from './no-repetition.ts'
import { sessionLoop } from './no-session-loop.ts'
import { notRefusal } from './not-refusal.ts'
import { outputComplete } from './output-complete.ts'
import { outputNotEmpty } from './output-not-empty.ts'
import { detectors, personalDataNames } from './personal-data/personal-data.ts'
import { promptLeakage } from './prompt-leakage.ts'
import { tokenBudget } from './token-budget.ts'

/** Creates a check without settings. */
function plain({ evaluate }: Evaluator, output: OutputForm): Kind<object> {
  return { properties: {}, isBounded: true, outputOf: () => output, compile: () => evaluate }
}

interface JsonConfig {
  readonly when?: 'asked' | 'always'
}

const validJson: Kind<JsonConfig> = {
  properties: { when: { enum: ['asked', 'always'], default: 'asked' } },
  isBounded: true,
  outputOf: () => booleanOutput,
  compile: ({ when }) => (when === 'always' ? alwaysJson : jsonValid.evaluate)
}

interface PersonalDataConfig {
  readonly kinds?: readonly (typeof personalDataNames)[number][]
}

const personalData: Kind<PersonalDataConfig> = {
  properties: {
    kinds: { type: 'array', items: { enum: personalDataNames }, minItems: 1, uniqueItems: true }
  },
  isBounded: true,
  outputOf: () => booleanOutput,
  compile: ({ kinds }) => {
    if (kinds === undefined) return noPersonalData.evaluate
    return createFindDisclosed(detectors.filter(({ name }) => kinds.includes(name)))
  }
}

/** Checks by name. The configuration type of each check must match its `properties`. */
export const checkTable = {
  not_empty: plain(outputNotEmpty, booleanOutput),
  complete: plain(outputComplete, booleanOutput),
  not_refusal: plain(notRefusal, booleanOutput),
  language,
  no_personal_data: personalData,
  no_prompt_leakage: promptLeakage,
  no_repetition: plain(noRepetition, shareOutput),
  input_not_repeated: plain(inputNotRepeated, shareOutput),
  no_session_loop: sessionLoop,
  json_valid: validJson,
  length,
  token_budget: tokenBudget
} as const

export type CheckName = keyof typeof checkTable

export const checkNames = Object.keys(checkTable) as readonly CheckName[]
