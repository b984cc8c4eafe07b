/** Tests that the check of a judge's configuration reports every violation with its pointer. */
import { describe, expect, test } from '@jest/globals'
import { checkEvaluator } from '../../../../evaluators/check-evaluator.ts'
import { createPromptWriter } from '../../../../evaluators/judge/prompt.ts'
import { aDecision } from '../../../support/builders.ts'
import { aJudgeConfig, choice, rubric } from '../../../support/judges.ts'

type Violations = readonly string[]

function violationsOf(change: object, output: object = {}): Violations {
  const config = { ...aJudgeConfig(), ...change }
  const draft = { name: 'helpful', kind: 'llm_judge', config, output }
  return checkEvaluator(draft).map(({ pointer, detail }) => `${pointer} ${detail}`)
}

test.each([
  ['the minimum', {}],
  ['all members', { system: 'You know the law.', temperature: 2, max_tokens: 256, scale: choice }],
  ['no system', { system: null }],
  [
    'every variable',
    { prompt: '{{input}} {{ output }} {{domain}} {{reference}} {{metadata.a.b}}' }
  ],
  ['braces', { prompt: '{{output}} {not} a { variable }, nor is {this}' }],
  ['a range below zero', { scale: { type: 'rubric', min: -1, max: 1 } }]
])('accepts %s', (_, change) => expect(violationsOf(change)).toEqual([]))

test('accepts a configuration from which a prompt can be written', () => {
  for (const scale of [rubric, choice]) {
    const config = aJudgeConfig({ scale })
    expect(violationsOf(config)).toEqual([])
    expect(createPromptWriter(config).write(aDecision())).toHaveProperty('nonce')
  }
})

describe('rejects', () => {
  const variables = '{{input}}, {{output}}, {{domain}}, {{reference}} and {{metadata.…}}'
  const labels = (given: object) => ({ scale: { type: 'choice', labels: given } })
  const cases: [object, Violations][] = [
    [{ model: '' }, ['/config/model must have at least 1 character']],
    [{ model: undefined }, ['/config/model is required']],
    [{ temperature: -1 }, ['/config/temperature must be at least 0']],
    [{ max_tokens: 255 }, ['/config/max_tokens must be at least 256']],
    [{ max_tokens: 300.5 }, ['/config/max_tokens must be a whole number']],
    [
      { votes: 3 },
      [
        '/config/votes is an unknown property. Allowed: connection_id, model, system, prompt, ' +
          'temperature, max_tokens, scale'
      ]
    ],
    [{ prompt: 'Grade.' }, ['/config/prompt must contain {{output}}']],
    [
      { prompt: '{{output}} {{answer}} {{metadata.}} {{}}' },
      ['answer', 'metadata.', ''].map(
        (name) => `/config/prompt has the unknown variable {{${name}}}. Allowed: ${variables}`
      )
    ],
    [
      { system: 'Grade {{output}}.' },
      ['/config/system must not contain variables; use them in prompt']
    ],
    [{ scale: 5 }, ['/config/scale must be an object']],
    [{ scale: {} }, ['/config/scale/type must be one of rubric, choice']],
    [{ scale: { ...rubric, max: 1 } }, ['/config/scale/max must be greater than min']],
    [
      { scale: { type: 'rubric', min: '1', steps: 5 } },
      [
        '/config/scale/steps is not supported. Allowed: type, min, max',
        '/config/scale/min must be a number',
        '/config/scale/max must be a number'
      ]
    ],
    [
      { scale: { type: 'choice' } },
      ['/config/scale/labels must be an object that gives each label a value']
    ],
    [labels({ yes: 1 }), ['/config/scale/labels must have 2 to 20 labels']],
    [
      labels({ yes: 2, 'a/b': 'no' }),
      [
        '/config/scale/labels/yes must be a number from 0 to 1',
        '/config/scale/labels/a~1b must be a number from 0 to 1'
      ]
    ],
    [
      labels({ ' yes': 1, '': 0 }),
      ['/config/scale/labels/ yes', '/config/scale/labels/'].map(
        (place) => `${place} must have a name of 1 to 100 characters without surrounding spaces`
      )
    ]
  ]
  test.each(cases)('%j', (change, expected) => expect(violationsOf(change)).toEqual(expected))

  test('reports all violations together', () => {
    const all = { model: 5, prompt: '{{x}}', system: '{{output}}', scale: { type: 'stars' } }
    const pointers = violationsOf(all).map((line) => line.split(' ')[0])
    expect(pointers).toEqual([
      '/config/model',
      '/config/prompt',
      '/config/prompt',
      '/config/system',
      '/config/scale/type'
    ])
  })
})

describe('compares a score definition with the scale', () => {
  const ranged: [object, Violations][] = [
    [{ min: 1, max: 5, threshold: 3, direction: 'lower' }, []],
    [{ data_type: 'boolean' }, ['/output/data_type must be numeric because the scale is a rubric']],
    [{ min: 0 }, ['/output/min must be 1, as in the scale']],
    [{ max: 10 }, ['/output/max must be 5, as in the scale']],
    [{ threshold: 6 }, ['/output/threshold must be from 1 to 5']],
    [{ labels: {} }, ['/output/labels is not supported for a rubric scale']],
    [{ pass: ['yes'] }, ['/output/pass is not supported for a rubric scale']]
  ]
  test.each(ranged)('rubric: %j', (output, expected) => {
    expect(violationsOf({}, output)).toEqual(expected)
  })
  const labelled: [object, Violations][] = [
    [{ labels: { violation: 0, partly: 0.5, compliant: 1 }, pass: ['compliant', 'partly'] }, []],
    [{ labels: null, pass: null }, []],
    [
      { data_type: 'numeric' },
      ['/output/data_type must be categorical because the scale is a choice']
    ],
    [
      { labels: { compliant: 1, violation: 0 } },
      ['/output/labels must be the labels of the scale']
    ],
    [{ pass: ['partly', 'fine'] }, ['/output/pass/1 must be one of the labels of the scale']],
    [{ threshold: 0.5 }, ['/output/threshold is not supported for a choice scale']]
  ]
  test.each(labelled)('choice: %j', (output, expected) => {
    expect(violationsOf({ scale: choice }, output)).toEqual(expected)
  })
})
