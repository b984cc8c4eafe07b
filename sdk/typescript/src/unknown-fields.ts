/** Fields that no decision has: they are left out, and told of once each. */
import { quietly } from './quietly.ts'
import { tellUnknown } from './tell-unknown.ts'

const known = [
  ...['input', 'output', 'agentId', 'sessionId', 'domain', 'metadata'],
  ...['inputTokens', 'outputTokens', 'decisionId']
]
/** Whoever logs objects with ever other members is told of so many. */
const toldMax = 20

/** Calls `tell` for each name that was not told of before. */
export function createUnknownFields(tell: (problem: string) => void): (given: unknown) => void {
  const passed = new Set(known)
  return function lookFor(given) {
    if (typeof given !== 'object' || given === null) return
    for (const name of quietly(() => Object.keys(given)) ?? []) {
      if (passed.has(name) || passed.size >= known.length + toldMax) continue
      passed.add(name)
      tell(tellUnknown('field', name, known))
    }
  }
}
