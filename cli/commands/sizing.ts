/** `sluice sizing`: how much hardware an amount of decisions needs; asks nothing and nobody. */
import { layOut } from '../../core/lay-out.ts'
import { sizeInstallation } from '../sizing/size-installation.ts'
import type { Need, Workload } from '../sizing/size-installation.ts'

export interface SizingOptions extends Omit<Workload, 'isEvaluated'> {
  readonly evaluation: boolean
  readonly json?: boolean
}

export function sizing(options: SizingOptions, write: (line: string) => void): void {
  const { evaluation: isEvaluated, json, ...workload } = options
  const needs = sizeInstallation({ ...workload, isEvaluated })
  if (json === true) return write(JSON.stringify({ ...workload, isEvaluated, needs }))
  for (const line of layOut([['what', 'how much', 'because'], ...needs.map(cellsOf)])) write(line)
  write('Measured on one machine: docs/sizing.md says where, and how to measure yours.')
}

function cellsOf({ what, value, unit, because }: Need): string[] {
  const isMuch = unit === 'GB' && value >= teraPerGiga
  const amount = isMuch ? `${roundedOf(value / teraPerGiga)} TB` : `${roundedOf(value)} ${unit}`
  return [what, amount, because]
}

const teraPerGiga = 1000

/** Two digits that say something: more would promise what a model does not know. */
function roundedOf(value: number): string {
  if (Number.isInteger(value)) return String(value)
  return value >= 10 ? String(Math.round(value)) : value.toPrecision(2)
}
