/** `sluice sizing`: estimates the hardware for a rate of decisions, without contacting any service.
 */
import { formatTable } from '../../core/format-table.ts'
import { sizeInstallation } from '../sizing/size-installation.ts'
import type { ResourceNeed, Workload } from '../sizing/size-installation.ts'

export interface SizingOptions extends Omit<Workload, 'isEvaluated'> {
  readonly evaluation: boolean
  readonly json?: boolean
}

export function sizing(options: SizingOptions, write: (line: string) => void): void {
  const { evaluation: isEvaluated, json, ...workload } = options
  const needs = sizeInstallation({ ...workload, isEvaluated })
  if (json === true) return write(JSON.stringify({ ...workload, isEvaluated, needs }))
  for (const line of formatTable([['resource', 'amount', 'basis'], ...needs.map(cellsOf)]))
    write(line)
  write(
    'Based on measurements of one machine: see docs/guides/operations/sizing.md for how to ' +
      'measure yours.'
  )
}

function cellsOf({ resource, value, unit, basis }: ResourceNeed): string[] {
  const isLarge = unit === 'GB' && value >= teraPerGiga
  const amount = isLarge ? `${roundedOf(value / teraPerGiga)} TB` : `${roundedOf(value)} ${unit}`
  return [resource, amount, basis]
}

const teraPerGiga = 1000

/**
 * Rounds to a whole number, or to two significant digits below 10, because the model is not more
 * precise.
 */
function roundedOf(value: number): string {
  if (Number.isInteger(value)) return String(value)
  return value >= 10 ? String(Math.round(value)) : value.toPrecision(2)
}
