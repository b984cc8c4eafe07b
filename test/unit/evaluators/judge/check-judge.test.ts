/** Configurations of judges: what is refused when it is saved, each with its place and reason. */
import { describe, expect, test } from '@jest/globals'
import { checkEvaluator } from '../../../../evaluators/check-evaluator.ts'
import { createPromptWriter } from '../../../../evaluators/judge/prompt.ts'
import { aDecision } from '../../../support/builders.ts'
import { aJudgeConfig, choice, rubric } from '../../../support/judges.ts'

type Told = readonly string[]

function told(change: object, output: object = {}): Told {
  const config = { ...aJudgeConfig(), ...change }
  const draft = { name: 'helpful', kind: 'llm_judge', config, output }
  return checkEvaluator(draft).map(({ pointer, detail }) => `${pointer} ${detail}`)
}

test.each([
  ['the least', {}],
  ['all there is', { system: 'You know the law.', temperature: 2, max_tokens: 256, scale: choice }],
  ['no system', { system: null }],
  [
    'every variable',
    { prompt: '{{input}} {{ output }} {{domain}} {{reference}} {{metadata.a.b}}' }
  ],
  ['braces', { prompt: '{{output}} {not} a { variable }, nor is {this}' }],
  ['a range below zero', { scale: { type: 'rubric', min: -1, max: 1 } }]
])('fine: %s', (_, change) => expect(told(change)).toEqual([]))

test('what passes writes a prompt', () => {
  for (const scale of [rubric, choice]) {
    const config = aJudgeConfig({ scale })
    expect(told(config)).toEqual([])
    expect(createPromptWriter(config).write(aDecision())).toHaveProperty('nonce')
  }
})

describe('refused', () => {
  const variables = '{{input}}, {{output}}, {{domain}}, {{reference}} and {{metadata.…}}'
  const labels = (given: object) => ({ scale: { type: 'choice', labels: given } })
  const cases: [object, Told][] = [
    [{ model: '' }, ['/config/model must have at least 1 character']],
    [{ model: undefined }, ['/config/model is required']],
    [{ temperature: -1 }, ['/config/temperature must be at least 0']],
    [{ max_tokens: 255 }, ['/config/max_tokens must be at least 256']],
    [{ max_tokens: 300.5 }, ['/config/max_tokens must be a whole number']],
    [
      { votes: 3 },
      [
        '/config/votes is not known here; known are connection_id, model, system, prompt, ' +
          'temperature, max_tokens, scale'
      ]
    ],
    [{ prompt: 'Grade.' }, ['/config/prompt must hold {{output}}, which is to be graded']],
    [
      { prompt: '{{output}} {{answer}} {{metadata.}} {{}}' },
      ['answer', 'metadata.', ''].map(
        (name) => `/config/prompt has the variable {{${name}}}; there are ${variables}`
      )
    ],
    [
      { system: 'Grade {{output}}.' },
      ['/config/system takes no variables; they belong into the prompt']
    ],
    [{ scale: 5 }, ['/config/scale must be an object']],
    [{ scale: {} }, ['/config/scale/type must be one of rubric, choice']],
    [{ scale: { ...rubric, max: 1 } }, ['/config/scale/max must be greater than min']],
    [
      { scale: { type: 'rubric', min: '1', steps: 5 } },
      [
        '/config/scale/steps is not known here; known are type, min, max',
        '/config/scale/min must be a number',
        '/config/scale/max must be a number'
      ]
    ],
    [
      { scale: { type: 'choice' } },
      ['/config/scale/labels must be an object of labels, each with its worth']
    ],
    [labels({ yes: 1 }), ['/config/scale/labels must have 2 to 20 labels']],
    [
      labels({ yes: 2, 'a/b': 'no' }),
      [
        '/config/scale/labels/yes must be a number from 0 to 1, the worth of the label',
        '/config/scale/labels/a~1b must be a number from 0 to 1, the worth of the label'
      ]
    ],
    [
      labels({ ' yes': 1, '': 0 }),
      ['/config/scale/labels/ yes', '/config/scale/labels/'].map(
        (place) => `${place} must have a name of 1 to 100 characters without spaces around it`
      )
    ]
  ]
  test.each(cases)('%j', (change, expected) => expect(told(change)).toEqual(expected))

  test('every problem at once', () => {
    const all = { model: 5, prompt: '{{x}}', system: '{{output}}', scale: { type: 'stars' } }
    const pointers = told(all).map((line) => line.split(' ')[0])
    expect(pointers).toEqual([
      '/config/model',
      '/config/prompt',
      '/config/prompt',
      '/config/system',
      '/config/scale/type'
    ])
  })
})

describe('a score that is not the scale’s', () => {
  const ranged: [object, Told][] = [
    [{ min: 1, max: 5, threshold: 3, direction: 'lower' }, []],
    [{ data_type: 'boolean' }, ['/output/data_type must be numeric, as the scale is a rubric']],
    [{ min: 0 }, ['/output/min must be 1, as the scale says']],
    [{ max: 10 }, ['/output/max must be 5, as the scale says']],
    [{ threshold: 6 }, ['/output/threshold must be from 1 to 5']],
    [{ labels: {} }, ['/output/labels has no meaning for a rubric']],
    [{ pass: ['yes'] }, ['/output/pass has no meaning for a rubric']]
  ]
  test.each(ranged)('of a rubric: %j', (output, expected) => {
    expect(told({}, output)).toEqual(expected)
  })
  const labelled: [object, Told][] = [
    [{ labels: { violation: 0, partly: 0.5, compliant: 1 }, pass: ['compliant', 'partly'] }, []],
    [{ labels: null, pass: null }, []],
    [{ data_type: 'numeric' }, ['/output/data_type must be categorical, as the scale is a choice']],
    [{ labels: { compliant: 1, violation: 0 } }, ['/output/labels must be those of the scale']],
    [{ pass: ['partly', 'fine'] }, ['/output/pass/1 must be one of the labels of the scale']],
    [{ threshold: 0.5 }, ['/output/threshold has no meaning for a choice']]
  ]
  test.each(labelled)('of a choice: %j', (output, expected) => {
    expect(told({ scale: choice }, output)).toEqual(expected)
  })
})
