/** Checks the score definition (`output`) of an evaluator. */
import type { ScoreDefinition } from '../core/evaluation/evaluator-definition.ts'
import type { Violation } from '../core/problem.ts'
import type { OutputForm } from './kind.ts'

/** Members that a caller cannot change if the kind defines its own score. */
const fixedMembers = ['data_type', 'min', 'max', 'labels', 'pass', 'direction'] as const

/** Checks the output of a kind that defines its own score. Pointers are relative to `output`. */
export function checkFixedOutput(
  given: Partial<ScoreDefinition>,
  natural: OutputForm
): readonly Violation[] {
  const differing = fixedMembers.filter((name) => {
    const value = given[name] ?? null
    return value !== null && value !== natural[name]
  })
  const flaws = differing.map((name) =>
    violation(name, `must be ${describeValue(natural[name])} for this kind`)
  )
  const threshold = given.threshold ?? null
  if (threshold === null) return flaws
  if (natural.data_type !== 'numeric' || natural.direction === 'none') {
    return [
      ...flaws,
      violation('threshold', 'must be omitted; this kind determines whether a score passes')
    ]
  }
  return [...flaws, ...thresholdFlaws(threshold, natural)]
}

function describeValue(value: unknown): string {
  return value === null ? 'omitted' : JSON.stringify(value)
}

/** Checks the output of a kind that allows any score. */
export function checkFreeOutput(output: ScoreDefinition): readonly Violation[] {
  const { data_type } = output
  if (data_type === 'numeric')
    return [...numericFlaws(output), ...unsupportedMembers(output, labelMembers)]
  if (data_type === 'categorical') {
    return [...labelFlaws(output), ...unsupportedMembers(output, numberMembers)]
  }
  return unsupportedMembers(output, [...labelMembers, ...numberMembers])
}

const labelMembers = ['labels', 'pass'] as const
const numberMembers = ['min', 'max', 'threshold'] as const

function unsupportedMembers(
  output: ScoreDefinition,
  names: readonly (keyof ScoreDefinition)[]
): readonly Violation[] {
  return names
    .filter((name) => output[name] !== null)
    .map((name) => violation(name, `is not supported for a ${output.data_type} score`))
}

function numericFlaws({ min, max, threshold, direction }: ScoreDefinition): readonly Violation[] {
  if (min !== null && max !== null && min >= max) {
    return [violation('max', `must be greater than min (${min})`)]
  }
  if (threshold === null) return []
  if (direction === 'none') {
    return [violation('threshold', 'must be omitted if direction is none')]
  }
  return thresholdFlaws(threshold, { min, max })
}

function thresholdFlaws(
  threshold: number,
  { min, max }: Pick<ScoreDefinition, 'min' | 'max'>
): readonly Violation[] {
  if (min !== null && threshold < min) return [violation('threshold', `must be at least ${min}`)]
  if (max !== null && threshold > max) return [violation('threshold', `must be at most ${max}`)]
  return []
}

function labelFlaws({ labels, pass }: ScoreDefinition): readonly Violation[] {
  if (labels === null)
    return [violation('labels', 'is required; give each label a value from 0 to 1')]
  const names = Object.keys(labels)
  if (names.length < 2) return [violation('labels', 'must have at least 2 labels')]
  if (pass === null)
    return [violation('pass', `is required; list the labels that pass, of ${names.join(', ')}`)]
  return pass.flatMap((label, at) => {
    const isKnown = Object.hasOwn(labels, label)
    return isKnown ? [] : [violation(`pass/${at}`, `must be one of ${names.join(', ')}`)]
  })
}

function violation(place: string, detail: string): Violation {
  return { pointer: `/${place}`, detail }
}
