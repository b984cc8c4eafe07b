/** Assembles the full reason of a packed evaluation run, as consumers of the evaluations topic do.
 */
import type { PackedRun } from '../../core/evaluation/evaluation.ts'

type Reasoned = Pick<PackedRun, 'kind' | 'reason' | 'reason_numbers'>

export function reasonIn({ kind, reason, reason_numbers }: Reasoned): string | null {
  const numbers = (reason_numbers ?? '').split(' ').values()
  const filled = kind.reason_template?.replaceAll('#', () => numbers.next().value ?? '')
  return reason ?? filled ?? null
}
