/** Generates the tables of docs/reference/errors.md from the table of problems. */
import { STATUS_CODES } from 'node:http'
import { problems } from '../../core/problem.ts'
import type { ProblemCode } from '../../core/problem.ts'
import { errorAdvice, sometimesRetryable } from '../source/error-advice.ts'
import { code, formatTable } from './markdown.ts'
import type { GeneratedPage } from './markdown.ts'

const codes = Object.keys(problems) as ProblemCode[]
const head = ['code', 'title', 'retry', 'cause, and what to do']

function retryOf(name: ProblemCode, retryable: boolean): string {
  if (sometimesRetryable.has(name)) return 'if `retryable`'
  return retryable ? 'yes' : 'no'
}

function formatStatus([status, group]: [number, readonly ProblemCode[]]): string {
  const rows = group.map((name) => {
    const { title, retryable } = problems[name]
    return [code(name), title, retryOf(name, retryable), errorAdvice[name]]
  })
  return `### ${status} ${STATUS_CODES[status] ?? ''}\n\n${formatTable(head, rows)}`
}

export const errors: GeneratedPage = {
  path: 'docs/reference/errors.md',
  parts: () => {
    const byStatus = Map.groupBy(codes, (name) => problems[name].status)
    return { errors: [...byStatus].map(formatStatus).join('\n') }
  }
}
