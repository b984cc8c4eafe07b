/** no_session_loop: the third time is too often, and a redelivery is no time at all. */
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { compileEvaluator } from '../../../../evaluators/compile-evaluator.ts'
import { builtInEvaluators } from '../../../../evaluators/default-rule-set.ts'
import { createSessionMemory } from '../../../../evaluators/heuristics/session-memory.ts'
import { aSubject } from '../a-subject.ts'
import { aVersion, found } from '../a-version.ts'

const organization_id = randomUUID()
const answer =
  'I have looked at your order and will come back to you as soon as I know more about it.'
const other =
  'The parcel left our warehouse in Hamburg on Monday and is expected at your door tomorrow.'

function createAsk(config: Record<string, unknown> = {}, sessionsMax?: number) {
  const version = aVersion('heuristic', { check: 'no_session_loop', ...config })
  const evaluator = compileEvaluator(version, { sessions: createSessionMemory(sessionsMax) })
  return (output: string, rest: object = {}) => {
    return evaluator.evaluate(aSubject({ organization_id, session_id: 's', output, ...rest }))
  }
}

const passes = expect.objectContaining({ passed: true }) as unknown
const fails = expect.objectContaining({ passed: false }) as unknown

test('the same answer for the third time fails, whatever its case, marks and white space', () => {
  const ask = createAsk()
  expect(ask(answer)).toEqual(passes)
  expect(ask(answer.toUpperCase())).toEqual(passes)
  expect(ask(answer.replaceAll(' ', '\n'))).toMatchObject({
    passed: false,
    reason: 'The session gave this answer 3 times in its last 3.'
  })
})

test('turning in a circle of two fails as well', () => {
  const ask = createAsk()
  const found = [answer, other, answer, other, answer].map((each) => ask(each))
  expect(found).toEqual([passes, passes, passes, passes, fails])
})

test('what lies more than eight answers back is forgotten', () => {
  const ask = createAsk()
  ask(answer)
  ask(answer)
  for (let turn = 0; turn < 7; turn++) ask(`${other} ${turn}`)
  expect(ask(answer)).toEqual(passes)
})

test('other sessions, and other organizations, have nothing to do with it', () => {
  const ask = createAsk()
  const asked = ['a', 'b', 'c'].map((session_id) => ask(answer, { session_id }))
  const elsewhere = [1, 2, 3].map(() => ask(answer, { organization_id: randomUUID() }))
  expect([...asked, ...elsewhere]).toEqual(Array.from({ length: 6 }, () => passes))
})

test('a decision that is delivered again is judged as it was', () => {
  const ask = createAsk()
  const ids = Array.from({ length: 4 }, () => ({ decision_id: randomUUID() }))
  const first = ids.map((id) => ask(answer, id))
  expect(first).toEqual([passes, passes, fails, fails])
  expect(ids.map((id) => ask(answer, id))).toEqual(first)
})

test('the settings count', () => {
  const ask = createAsk({ times: 2, words_min: 1 })
  expect([ask('Done.'), ask('Done.')]).toEqual([passes, fails])
})

describe('skips', () => {
  const skipped = { kind: 'skipped', status_reason: 'not_applicable' }
  test('short answers, which recur for good reasons', () => {
    expect(createAsk()('Approved: no objections.')).toEqual(skipped)
  })
  test('a decision without a session', () => {
    expect(createAsk()(answer, { session_id: null })).toEqual(skipped)
  })
  test('a process without a memory', () => {
    const builtIn = builtInEvaluators.find(({ name }) => name === 'no_session_loop')
    expect(builtIn).toBeDefined()
    if (builtIn !== undefined) expect(found(builtIn, { output: answer })).toEqual(skipped)
  })
})

test('of very many sessions the oldest is forgotten', () => {
  const ask = createAsk({}, 2)
  ask(answer, { session_id: 'a' })
  ask(answer, { session_id: 'a' })
  for (const session_id of ['b', 'c']) ask(answer, { session_id })
  expect(ask(answer, { session_id: 'a' })).toEqual(passes)
})
