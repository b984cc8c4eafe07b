/** What a caller needs to know of `/v1/evaluation/evaluators`. */
import { prefixedIdPattern } from '../../core/ids/prefixed-id.ts'
import { namePattern } from '../../evaluators/draft-schema.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { Operation } from '../../http/route.ts'
import { pageExample, pageOf, pageQuerySchema } from '../configuration/list-page.ts'
import { bodyProblems, deletedSchema, deleteProblems } from '../configuration/operation-parts.ts'
import { idParams, readProblems, writeProblems } from '../configuration/operation-parts.ts'
import { evaluatorsMax } from './evaluator-rows.ts'
import { changeBody, createBody, evaluatorExample, evaluatorSchema } from './evaluator-schema.ts'
import { testResultExample, testResultSchema } from './evaluator-schema.ts'
import { testDraftBody, testSavedBody } from './test-body.ts'

const tag = 'evaluators'
const params = idParams(
  'evaluator_id',
  `${prefixedIdPattern('evl')}|${namePattern}`,
  'As POST /v1/evaluation/evaluators answered it, or the name of a built-in one.'
)
const versionParams: JsonSchema = {
  type: 'object',
  required: ['evaluator_id', 'version'],
  properties: {
    ...(params['properties'] as object),
    version: { type: 'string', pattern: '^[1-9][0-9]{0,8}$', description: 'From 1.' }
  }
}
const shown = (description: string) => ({
  ...{ description, schema: evaluatorSchema, example: evaluatorExample }
})
const page = {
  description: 'A page.',
  schema: pageOf(evaluatorSchema),
  example: pageExample(evaluatorExample)
}

export const listEvaluatorsOperation: Operation = {
  ...{ operation_id: 'listEvaluators', tag, summary: 'List evaluators' },
  description: 'The built-in ones, which everybody has, then your own by name; latest versions.',
  query: pageQuerySchema,
  response: { 200: page },
  problems: [...readProblems, 'invalid_query']
}

const allowance =
  'Checks, trials and previews of an organization may compute for one second a minute together.'

export const createEvaluatorOperation: Operation = {
  ...{ operation_id: 'createEvaluator', tag, summary: 'Make an evaluator' },
  description:
    'Everything that is wrong with it is said at once, each with a pointer. A judge is asked ' +
    'once, and attacked, before it is saved. It scores nothing until a rule names it. An ' +
    `organization has at most ${evaluatorsMax}, beside the built-in ones. ${allowance}`,
  body: createBody,
  response: { 201: shown('Its first version.') },
  problems: [
    ...writeProblems,
    ...(['name_taken', 'limit_reached', 'compute_limited', 'secrets_key_missing'] as const),
    'changes_limited'
  ]
}

export const showEvaluatorOperation: Operation = {
  ...{ operation_id: 'showEvaluator', tag, summary: 'Read an evaluator' },
  description: 'Its latest version.',
  params,
  response: { 200: shown('The evaluator.') },
  problems: [...readProblems, 'evaluator_not_found']
}

export const listVersionsOperation: Operation = {
  ...{ operation_id: 'listEvaluatorVersions', tag, summary: 'List versions of an evaluator' },
  description: 'Newest first.',
  params,
  query: pageQuerySchema,
  response: { 200: page },
  problems: [...readProblems, 'evaluator_not_found', 'invalid_query']
}

export const showVersionOperation: Operation = {
  ...{ operation_id: 'showEvaluatorVersion', tag, summary: 'Read a version of an evaluator' },
  description: 'As it was: a version never changes.',
  params: versionParams,
  response: { 200: shown('The version.') },
  problems: [...readProblems, 'evaluator_not_found']
}

export const changeEvaluatorOperation: Operation = {
  ...{ operation_id: 'changeEvaluator', tag, summary: 'Change an evaluator' },
  description:
    'Makes the next version; a change that changes nothing makes none. What is left out stays, ' +
    'and a member that is sent replaces the old one whole. Rules that name `latest` use it for ' +
    'decisions that are planned from then on.',
  params,
  body: changeBody,
  response: { 200: shown('The evaluator as it is now.') },
  problems: [
    ...writeProblems,
    ...(['evaluator_not_found', 'name_taken', 'built_in', 'limit_reached'] as const),
    ...(['compute_limited', 'secrets_key_missing'] as const),
    'changes_limited'
  ]
}

export const deleteEvaluatorOperation: Operation = {
  ...{ operation_id: 'deleteEvaluator', tag, summary: 'Delete an evaluator' },
  description: 'Refused while a rule names it. Its scores stay.',
  params,
  response: {
    200: {
      description: 'It is deleted.',
      schema: deletedSchema('evaluator_id'),
      example: { evaluator_id: evaluatorExample.evaluator_id, deleted: true }
    }
  },
  problems: [...deleteProblems, 'evaluator_not_found', 'in_use', 'built_in']
}

const trial = {
  description: 'What each would get. Nothing of it is stored.',
  schema: testResultSchema,
  example: testResultExample
}
const howTried =
  'On decisions by id, on the newest, or on one that is made up. A judge costs what its calls ' +
  'cost; what takes longer than a minute fails with `timeout`. ' +
  allowance

export const testEvaluatorOperation: Operation = {
  ...{ operation_id: 'testEvaluator', tag, summary: 'Try an evaluator', description: howTried },
  params,
  body: testSavedBody,
  response: { 200: trial },
  problems: [
    ...readProblems,
    ...bodyProblems,
    ...(['role_missing', 'evaluator_not_found', 'compute_limited'] as const),
    'secrets_key_missing'
  ]
}

export const testDraftOperation: Operation = {
  ...{ operation_id: 'testEvaluatorDraft', tag, summary: 'Try an evaluator before it is saved' },
  description: howTried,
  body: testDraftBody,
  response: { 200: trial },
  problems: [
    ...readProblems,
    ...bodyProblems,
    ...(['role_missing', 'compute_limited', 'secrets_key_missing'] as const)
  ]
}
