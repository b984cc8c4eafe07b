/** What the sessions of late have answered; a bounded memory of one process. */
import { createCache } from '../../platform/process/cache.ts'
import type { SessionMemory } from '../kind.ts'
import { rememberedAnswers } from './no-session-loop.ts'

/** Some 10 MB when all of them are long. */
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
      // Delivered again, it is judged by what came before it, as it was the first time.
      if (known >= 0) return answers.slice(0, known + 1).map((each) => each.answer)
      answers.push({ decisionId, answer })
      if (answers.length > rememberedAnswers) answers.shift()
      return answers.map((each) => each.answer)
    }
  }
}
