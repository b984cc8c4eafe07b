/** Generates the example and the table of costs in docs/guides/operations/sizing.md. */
import { sizing as printSizing } from '../../cli/commands/sizing.ts'
import { coefficients } from '../../cli/sizing/coefficients.ts'
import type { Coefficient } from '../../cli/sizing/coefficients.ts'
import { code, formatTable } from './markdown.ts'
import type { GeneratedPage } from './markdown.ts'

/** Options of `sluice sizing --rate 2000`, including defaults. */
const example = {
  rate: 2000,
  peak: 3,
  size: 1200,
  batch: 1,
  retentionDays: 30,
  topicDays: 7,
  copies: 3,
  evaluation: true
}

function formatExample(): string {
  const lines: string[] = []
  printSizing(example, (line) => lines.push(line))
  return `\`\`\`\n${lines.join('\n')}\n\`\`\`\n`
}

function formatCosts(): string {
  const rows = Object.values<Coefficient>(coefficients).map(({ what, value, unit, measuredBy }) => {
    return [what, String(value), unit, code(measuredBy)]
  })
  const head = ['part', 'value', 'for one decision, unless stated otherwise', 'measured by']
  return formatTable(head, rows)
}

export const sizing: GeneratedPage = {
  path: 'docs/guides/operations/sizing.md',
  parts: () => ({ example: formatExample(), costs: formatCosts() })
}
