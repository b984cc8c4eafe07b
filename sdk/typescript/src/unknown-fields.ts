/** Reports unknown decision fields, which are not sent, once per name. */
import { suppressErrors } from './suppress-errors.ts'
import { describeUnknown } from './describe-unknown.ts'

const names = 'input output agentId sessionId domain metadata inputTokens outputTokens decisionId'
const known = names.split(' ')
/** Limits the number of reports, in case the host keeps logging new names. */
const passedMax = 20 + known.length

/** Returns a function that calls `report` for each unknown name not yet reported. */
export function createUnknownFields(report: (problem: string) => void): (given: unknown) => void {
  const passed = new Set(known)
  return function lookFor(given) {
    if (typeof given !== 'object') return
    for (const name of suppressErrors(() => Object.keys(given as object)) ?? []) {
      if (passed.has(name) || passed.size >= passedMax) continue
      report(describeUnknown('field', name, known))
      passed.add(name)
    }
  }
}
