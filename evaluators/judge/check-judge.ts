/** What is wrong with a judge's configuration, told when it is saved and not when it runs. */
import type { ScoreDefinition } from '../../core/evaluator-definition.ts'
import type { Violation } from '../../core/problem.ts'
import { createCheck } from '../../platform/json-schema.ts'
import type { JsonSchema } from '../../platform/json-schema.ts'
import { isObject, outputViolations, scaleViolations } from './check-scale.ts'
import { tokensMax, tokensMin } from './judge-config.ts'
import type { JudgeConfig } from './judge-config.ts'
import { isVariable, parseTemplate, plainVariables } from './template.ts'

const promptCharactersMax = 20_000

/** The members that a configuration may have, each by itself. */
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
 * Every problem at once, below `/config` and `/output`. Of the output, only what is given is held
 * against the scale. Without problems, the configuration is a JudgeConfig.
 */
export function checkJudge(
  config: unknown,
  output: Partial<ScoreDefinition> = {}
): readonly Violation[] {
  const members = checkMembers(config)
  const { prompt, system, scale } = (
    members.some(({ pointer }) => pointer === '') ? {} : config
  ) as Partial<JudgeConfig>
  const wrongScale = isObject(scale) ? scaleViolations(scale) : []
  return [
    ...under('/config', members),
    ...under('/config/prompt', typeof prompt === 'string' ? promptViolations(prompt) : []),
    ...under('/config/system', typeof system === 'string' ? systemViolations(system) : []),
    ...under('/config/scale', wrongScale),
    ...(isObject(scale) && wrongScale.length === 0
      ? under('/output', outputViolations(output, scale))
      : [])
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
    ...unknown.flatMap((name) => here(`has the variable {{${name}}}; there are ${known}`)),
    ...(variables.includes('output') ? [] : here('must hold {{output}}, which is to be graded'))
  ]
}

/** What somebody else wrote has no place among our own instructions. */
function systemViolations(system: string): Violation[] {
  const isPlain = parseTemplate(system).variables.length === 0
  return isPlain ? [] : here('takes no variables; they belong into the prompt')
}
