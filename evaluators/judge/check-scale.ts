/** Checks the scale of a judge, and score definitions against that scale. */
import type { ScoreDefinition } from '../../core/evaluation/evaluator-definition.ts'
import { pointerTo } from '../../core/json/json-pointer.ts'
import type { Violation } from '../../core/problem.ts'
import type { JudgeScale } from './judge-config.ts'

const labelsMax = 20
const labelCharactersMax = 100

export type Members = Readonly<Record<string, unknown>>

/** Checks a scale. Pointers are relative to the scale. */
export function scaleViolations(scale: Members): Violation[] {
  switch (scale['type']) {
    case 'rubric':
      return [...unsupportedMembers(scale, ['type', 'min', 'max']), ...rangeViolations(scale)]
    case 'choice':
      return [
        ...unsupportedMembers(scale, ['type', 'labels']),
        ...labelsViolations(scale['labels'])
      ]
    default:
      return [{ pointer: '/type', detail: 'must be one of rubric, choice' }]
  }
}

function unsupportedMembers(members: Members, known: readonly string[]): Violation[] {
  return Object.keys(members)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      pointer: pointerTo(name),
      detail: `is not supported. Allowed: ${known.join(', ')}`
    }))
}

function rangeViolations({ min, max }: Members): Violation[] {
  const wrong = Object.entries({ min, max }).filter(([, bound]) => !Number.isFinite(bound))
  if (wrong.length > 0) {
    return wrong.map(([name]) => ({ pointer: pointerTo(name), detail: 'must be a number' }))
  }
  return (min as number) < (max as number)
    ? []
    : [{ pointer: '/max', detail: 'must be greater than min' }]
}

function labelsViolations(labels: unknown): Violation[] {
  if (!isObject(labels)) {
    return [{ pointer: '/labels', detail: 'must be an object that gives each label a value' }]
  }
  const entries = Object.entries(labels)
  const isFit = entries.length >= 2 && entries.length <= labelsMax
  const number: Violation = { pointer: '/labels', detail: `must have 2 to ${labelsMax} labels` }
  return [...(isFit ? [] : [number]), ...entries.flatMap(labelViolations)]
}

function labelViolations([label, worth]: [string, unknown]): Violation[] {
  const pointer = `/labels${pointerTo(label)}`
  const isNamed = label.trim() === label && label !== '' && label.length <= labelCharactersMax
  const isWorth = typeof worth === 'number' && worth >= 0 && worth <= 1
  const lengths = `1 to ${labelCharactersMax} characters`
  const name = `must have a name of ${lengths} without surrounding spaces`
  return [
    ...(isNamed ? [] : [{ pointer, detail: name }]),
    ...(isWorth ? [] : [{ pointer, detail: 'must be a number from 0 to 1' }])
  ]
}

/**
 * Checks that a score definition does not contradict the scale, which determines the possible
 * grades. Ignores omitted members. Pointers are relative to the output.
 */
export function checkJudgeOutput(output: Partial<ScoreDefinition>, scale: JudgeScale): Violation[] {
  const wanted = scale.type === 'choice' ? 'categorical' : 'numeric'
  const type = output.data_type ?? wanted
  return [
    ...(type === wanted
      ? []
      : [
          {
            pointer: '/data_type',
            detail: `must be ${wanted} because the scale is a ${scale.type}`
          }
        ]),
    ...(scale.type === 'choice' ? choiceViolations(output, scale.labels) : []),
    ...(scale.type === 'rubric' ? rubricViolations(output, scale) : [])
  ]
}

function rubricViolations(
  output: Partial<ScoreDefinition>,
  { min, max }: { readonly min: number; readonly max: number }
): Violation[] {
  const { threshold } = output
  const isWithin = (threshold ?? min) >= min && (threshold ?? min) <= max
  return [
    ...sameViolation('min', output.min, min),
    ...sameViolation('max', output.max, max),
    ...(isWithin ? [] : [{ pointer: '/threshold', detail: `must be from ${min} to ${max}` }]),
    ...absentViolation('labels', output.labels, 'rubric'),
    ...absentViolation('pass', output.pass, 'rubric')
  ]
}

function choiceViolations(
  { labels, pass, threshold }: Partial<ScoreDefinition>,
  own: Readonly<Record<string, number>>
): Violation[] {
  const isSame = !isObject(labels) || JSON.stringify(sorted(labels)) === JSON.stringify(sorted(own))
  const strange = (pass ?? []).flatMap((label, index) =>
    Object.hasOwn(own, label)
      ? []
      : [{ pointer: `/pass/${index}`, detail: 'must be one of the labels of the scale' }]
  )
  return [
    ...(isSame ? [] : [{ pointer: '/labels', detail: 'must be the labels of the scale' }]),
    ...strange,
    ...absentViolation('threshold', threshold, 'choice')
  ]
}

function sameViolation(name: string, given: unknown, own: number): Violation[] {
  const isSame = given === undefined || given === null || given === own
  return isSame ? [] : [{ pointer: `/${name}`, detail: `must be ${own}, as in the scale` }]
}

function absentViolation(name: string, given: unknown, scale: string): Violation[] {
  const isAbsent = given === undefined || given === null
  return isAbsent ? [] : [{ pointer: `/${name}`, detail: `is not supported for a ${scale} scale` }]
}

function sorted(labels: Readonly<Record<string, unknown>>): unknown[] {
  return Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
