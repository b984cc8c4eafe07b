/** Tests the arguments of `npm test`. */
import { existsSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { helpText, planOf } from '../../../support/runner/arguments.ts'
import { phaseNames, phaseOf } from '../../../support/runner/phases.ts'

describe('planOf', () => {
  test('without arguments, runs every phase except those that must be named', () => {
    const asked = ['openapi', 'runtimes', 'compose']
    const phases = phaseNames.filter((name) => !asked.includes(name))
    expect(planOf([])).toEqual({ phases, filters: [], form: 'gate', stack: 'end' })
    expect(planOf(['--all'])).toEqual({ phases, filters: [], form: 'all', stack: 'end' })
  })

  test('runs a phase with special requirements if it is named', () => {
    expect(planOf(['openapi']).phases).toEqual(['openapi'])
  })

  test('runs the named phases in their own order', () => {
    expect(planOf(['e2e', 'unit']).phases).toEqual(['unit', 'e2e'])
  })

  test('finds the phase of a path', () => {
    const plan = planOf(['./test/e2e/ingest', 'test/unit/core', 'test/tidy.test.ts'])
    expect(plan.phases).toEqual(['unit', 'e2e'])
    expect(plan.filters).toEqual(['test/e2e/ingest', 'test/unit/core', 'test/tidy.test.ts'])
    expect(planOf(['e2e', 'test/e2e/ingest']).filters).toEqual([])
  })

  test('runs a named phase even if it is unchanged, and can keep the stack', () => {
    expect(planOf(['--keep', 'sdk'])).toMatchObject({ form: 'named', stack: 'keep' })
    expect(planOf(['--stop'])).toMatchObject({ stack: 'stop' })
  })

  test('rejects unknown arguments by name', () => {
    expect(() => planOf(['unit', 'slow', '--watch'])).toThrow('slow, --watch: neither a phase nor')
    expect(() => planOf(['toString'])).toThrow('neither a phase nor')
    expect(() => planOf(['--stop', 'unit'])).toThrow('--stop takes no other argument')
  })
})

test('the help names every phase', () => {
  for (const phase of phaseNames) expect(helpText).toContain(phase)
})

test('the gate names test files that exist', () => {
  const files = phaseNames.flatMap((name) => phaseOf(name).gateFiles ?? [])
  expect(files.filter((path) => !existsSync(path))).toEqual([])
})
