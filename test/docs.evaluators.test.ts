/** Tests that docs/reference/evaluators.md matches the code, and that the guide's examples work. */
import { expect, test } from '@jest/globals'
import { checkEvaluator } from '../evaluators/check-evaluator.ts'
import { compileEvaluator } from '../evaluators/compile-evaluator.ts'
import { completeDraft } from '../evaluators/complete-draft.ts'
import type { EvaluatorInput } from '../evaluators/complete-draft.ts'
import { configHashOf } from '../evaluators/config-hash.ts'
import { builtInEvaluators } from '../evaluators/default-rule-set.ts'
import { judgeConfigSchema } from '../evaluators/judge/check-judge.ts'
import { subjectOf } from '../evaluators/subject.ts'
import { evaluatorKinds, isOfflineKind } from '../core/evaluation/evaluator-definition.ts'
import { checkRows, kindParameters, parameterRows, settingRows } from './docs/evaluator-tables.ts'
import { blocksIn, code, fragmentsOf, read, rowsOf, sectionOf } from './docs/pages.ts'
import { aDecision } from './support/builders.ts'

const page = 'docs/reference/evaluators.md'
const guide = 'docs/guides/own-evaluators.md'

/**
 * Returns the table rows in a section that have the given number of cells. The number of cells
 * identifies the table.
 */
function rowsIn(heading: string, cells: number): string[][] {
  return rowsOf(sectionOf(page, heading)).filter((row) => row.length === cells)
}

test('documents every built-in evaluator and no other', () => {
  const documented = rowsIn('Built-in evaluators', 5).map(([name]) => name)
  const existing = builtInEvaluators.map(({ name }) => name)
  expect(documented).toEqual(existing.map(code))
  expect(fragmentsOf(page)).toEqual(expect.arrayContaining(existing))
})

test('documents every kind and whether it needs the network', () => {
  const documented = rowsIn('Kinds', 3).map(([kind, , network]) => [kind, network])
  const existing = evaluatorKinds.map((kind) => {
    return [code(kind), isOfflineKind(kind) || kind === 'external' ? 'no' : 'yes']
  })
  expect(documented).toEqual(existing)
})

test('documents every check with its score', () => {
  const documented = rowsIn('Checks of the kind heuristic', 3).map((cells) => cells.slice(0, 2))
  expect(documented).toEqual(checkRows())
})

test('documents every setting of a check with its values and default', () => {
  const documented = rowsIn('Checks of the kind heuristic', 5).map((cells) => cells.slice(0, 4))
  expect(documented).toEqual(settingRows())
})

test.each(Object.entries(kindParameters))(
  'documents every setting of the kind %s',
  (kind, parameters) => {
    const documented = rowsIn(kind, 4).map((cells) => cells.slice(0, 3))
    expect(documented).toEqual(parameterRows(parameters))
  }
)

test('documents every setting of a judge', () => {
  const { properties } = judgeConfigSchema as { properties: Record<string, unknown> }
  const documented = rowsIn('llm_judge', 3).map(([name]) => name)
  expect(documented).toEqual(Object.keys(properties).map(code))
})

interface Example {
  readonly evaluator: EvaluatorInput
  readonly decision: Record<string, unknown> & { readonly metadata?: object }
  readonly gives: object
}

/** Converts a request body to the decision that the gateway writes to the topic. */
function decisionOf({ decision }: Example) {
  const { metadata, ...rest } = decision
  return aDecision({ ...rest, ...(metadata && { metadata: JSON.stringify(metadata) }) })
}

const examples = blocksIn(read(guide), 'json')
  .map((block) => JSON.parse(block) as Partial<Example>)
  .filter((block): block is Example => block.gives !== undefined)

test('the guide has an example of each offline kind', () => {
  const shown = new Set(examples.map(({ evaluator }) => evaluator.kind))
  expect([...shown].sort()).toEqual(evaluatorKinds.filter(isOfflineKind).toSorted())
})

test.each(examples.map((example) => [example.evaluator.name, example] as const))(
  'the example %s gives the documented score',
  (_, example) => {
    const { evaluator, gives } = example
    expect(checkEvaluator(evaluator)).toEqual([])
    const draft = completeDraft(evaluator)
    const version = {
      ...draft,
      evaluator_id: 'evl_1',
      version: 1,
      config_hash: configHashOf(draft)
    }
    const found = compileEvaluator(version).evaluate(subjectOf(decisionOf(example)))
    expect(found).toMatchObject(gives)
  }
)
