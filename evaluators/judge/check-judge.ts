/** Checks the configuration of a judge when it is saved. */
import type { Violation } from '../../core/problem.ts'
import { createCheck } from '../../platform/validation/json-schema.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import { isObject, scaleViolations } from './check-scale.ts'
import { tokensMax, tokensMin } from './judge-config.ts'
import type { JudgeConfig } from './judge-config.ts'
import { isVariable, parseTemplate, plainVariables } from './template.ts'

const promptCharactersMax = 20_000

/** JSON Schema of the configuration. `checkJudgeConfig` also checks the prompts and the scale. */
export const judgeConfigSchema: JsonSchema = {
  type: 'object',
  required: ['connection_id', 'model', 'prompt', 'scale'],
  additionalProperties: false,
  properties: {
    connection_id: { type: 'string', minLength: 1, maxLength: 100 },
    model: { type: 'string', minLength: 1, maxLength: 200 },
    system: { type: ['string', 'null'], maxLength: promptCharactersMax },
    prompt: { type: 'string', minLength: 1, maxLength: promptCharactersMax },
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    max_tokens: { type: 'integer', minimum: tokensMin, maximum: tokensMax },
    scale: { type: 'object' }
  }
}

const checkMembers = createCheck(judgeConfigSchema)

/**
 * Returns an empty list if the configuration is a valid JudgeConfig. Pointers are relative to the
 * configuration.
 */
export function checkJudgeConfig(config: unknown): readonly Violation[] {
  const { prompt, system, scale } = (isObject(config) ? config : {}) as Partial<JudgeConfig>
  return [
    ...checkMembers(config),
    ...under('/prompt', typeof prompt === 'string' ? promptViolations(prompt) : []),
    ...under('/system', typeof system === 'string' ? systemViolations(system) : []),
    ...under('/scale', isObject(scale) ? scaleViolations(scale) : [])
  ]
}

function under(base: string, violations: readonly Violation[]): Violation[] {
  return violations.map(({ pointer, detail }) => ({ pointer: base + pointer, detail }))
}

function here(detail: string): Violation[] {
  return [{ pointer: '', detail }]
}

function promptViolations(prompt: string): Violation[] {
  const { variables } = parseTemplate(prompt)
  const unknown = variables.filter((name) => !isVariable(name))
  const known = `{{${plainVariables.join('}}, {{')}}} and {{metadata.…}}`
  return [
    ...unknown.flatMap((name) => here(`has the unknown variable {{${name}}}. Allowed: ${known}`)),
    ...(variables.includes('output') ? [] : here('must contain {{output}}'))
  ]
}

/**
 * Rejects variables in the system prompt, because content of the decision must not appear among the
 * instructions.
 */
function systemViolations(system: string): Violation[] {
  const isPlain = parseTemplate(system).variables.length === 0
  return isPlain ? [] : here('must not contain variables; use them in prompt')
}
