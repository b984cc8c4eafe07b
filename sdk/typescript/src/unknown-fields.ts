/** Fields that no decision has: they are left out, and told of once each. */
import { quietly } from './quietly.ts'
import { tellUnknown } from './tell-unknown.ts'

const names = 'input output agentId sessionId domain metadata inputTokens outputTokens decisionId'
const known = names.split(' ')
/** Whoever logs objects with ever other members is told of so many. */
const passedMax = 20 + known.length

/** Calls `tell` for each name that was not told of before. */
export function createUnknownFields(tell: (problem: string) => void): (given: unknown) => void {
  const passed = new Set(known)
  return function lookFor(given) {
    if (typeof given !== 'object') return
    for (const name of quietly(() => Object.keys(given as object)) ?? []) {
      if (passed.has(name) || passed.size >= passedMax) continue
      tell(tellUnknown('field', name, known))
      passed.add(name)
    }
  }
}
