/** Session memory: keeps a limited number of recent answers per session in one process. */
import { createCache } from '../../platform/process/cache.ts'
import type { SessionMemory } from '../kind.ts'
import { rememberedAnswers } from './no-session-loop.ts'

/** Default maximum number of sessions, which together use about 10 MB. */
const sessionsMaxDefault = 10_000

interface Answer {
  readonly decisionId: string
  readonly answer: number
}

export function createSessionMemory(sessionsMax = sessionsMaxDefault): SessionMemory {
  const sessions = createCache<Answer[]>(sessionsMax)

  return {
    remember(sessionKey, decisionId, answer) {
      const answers = sessions.get(sessionKey) ?? []
      if (answers.length === 0) sessions.set(sessionKey, answers)
      const known = answers.findIndex((each) => each.decisionId === decisionId)
      // Compares a redelivered decision only with the answers before it, as on first delivery.
      if (known >= 0) return answers.slice(0, known + 1).map((each) => each.answer)
      answers.push({ decisionId, answer })
      if (answers.length > rememberedAnswers) answers.shift()
      return answers.map((each) => each.answer)
    }
  }
}
