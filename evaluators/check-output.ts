/** Whether what is said of a score makes sense. */
import type { ScoreDefinition } from '../core/evaluation/evaluator-definition.ts'
import type { Violation } from '../core/problem.ts'
import type { OutputForm } from './kind.ts'

/** What an evaluator that finds its own score has no say in. */
const fixedMembers = ['data_type', 'min', 'max', 'labels', 'pass', 'direction'] as const

/** Of an evaluator whose kind gives one score; pointers begin at `output`. */
export function checkFixedOutput(
  given: Partial<ScoreDefinition>,
  natural: OutputForm
): readonly Violation[] {
  const differing = fixedMembers.filter((name) => {
    const value = given[name] ?? null
    return value !== null && value !== natural[name]
  })
  const flaws = differing.map((name) => violation(name, `must be ${told(natural[name])} here`))
  const threshold = given.threshold ?? null
  if (threshold === null) return flaws
  if (natural.data_type !== 'numeric' || natural.direction === 'none') {
    return [...flaws, violation('threshold', 'must be left out: the evaluator itself tells pass')]
  }
  return [...flaws, ...thresholdFlaws(threshold, natural)]
}

function told(value: unknown): string {
  return value === null ? 'left out' : JSON.stringify(value)
}

/** Of an evaluator that may give any score. */
export function checkFreeOutput(output: ScoreDefinition): readonly Violation[] {
  const { data_type } = output
  if (data_type === 'numeric') return [...numericFlaws(output), ...strangers(output, labelMembers)]
  if (data_type === 'categorical') {
    return [...labelFlaws(output), ...strangers(output, numberMembers)]
  }
  return strangers(output, [...labelMembers, ...numberMembers])
}

const labelMembers = ['labels', 'pass'] as const
const numberMembers = ['min', 'max', 'threshold'] as const

function strangers(
  output: ScoreDefinition,
  names: readonly (keyof ScoreDefinition)[]
): readonly Violation[] {
  return names
    .filter((name) => output[name] !== null)
    .map((name) => violation(name, `is not for a score that is ${output.data_type}`))
}

function numericFlaws({ min, max, threshold, direction }: ScoreDefinition): readonly Violation[] {
  if (min !== null && max !== null && min >= max) {
    return [violation('max', `must be more than min, which is ${min}`)]
  }
  if (threshold === null) return []
  if (direction === 'none') {
    return [violation('threshold', 'must be left out where no direction is better')]
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
  if (labels === null) return [violation('labels', 'is required: each label with 0 to 1')]
  const names = Object.keys(labels)
  if (names.length < 2) return [violation('labels', 'must have at least 2 labels')]
  if (pass === null)
    return [violation('pass', `is required: those of ${names.join(', ')} that pass`)]
  return pass.flatMap((label, at) => {
    const isKnown = Object.hasOwn(labels, label)
    return isKnown ? [] : [violation(`pass/${at}`, `must be one of ${names.join(', ')}`)]
  })
}

function violation(place: string, detail: string): Violation {
  return { pointer: `/${place}`, detail }
}
