/** A grade on the scale, and what of it passes; or that it is not on the scale. */
import type { ScoreDefinition } from '../../core/evaluator-definition.ts'
import type { Finding } from '../evaluator.ts'
import type { JudgeScale } from './judge-config.ts'
import type { Grade } from './read-reply.ts'

export type OffScale = 'out_of_range' | 'unknown_label'

const reasonCharactersMax = 2000

/** Never puts a grade right: one that is not on the scale is no score at all. */
export function findingOf(
  { grade, reasoning }: Grade,
  scale: JudgeScale,
  output: ScoreDefinition
): Finding | OffScale {
  const reason = storable(reasoning)
  if (scale.type === 'choice') {
    const label = String(grade)
    if (!Object.hasOwn(scale.labels, label)) return 'unknown_label'
    const value = scale.labels[label] ?? null
    const passed = output.pass === null ? null : output.pass.includes(label)
    return { kind: 'finding', data_type: 'categorical', value, label, passed, reason }
  }
  const value = Number(grade)
  const isInRange = value >= scale.min && value <= scale.max
  if (!isInRange) return 'out_of_range'
  const passed = passedOf(value, output)
  return { kind: 'finding', data_type: 'numeric', value, label: null, passed, reason }
}

function passedOf(value: number, { threshold, direction }: ScoreDefinition): boolean | null {
  if (threshold === null) return null
  return direction === 'lower' ? value <= threshold : value >= threshold
}

/** Postgres takes no U+0000, and UTF-8 no half characters. */
function storable(text: string): string {
  return text.slice(0, reasonCharactersMax).replaceAll('\u0000', '').toWellFormed()
}
