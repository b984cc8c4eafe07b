/** Matches rules: checks whether a rule applies to a decision, and names the condition that fails.
 */
import type { Decision } from '../../core/decision/decision.ts'
import type { RuleMatch } from '../../core/evaluation/rule.ts'
import type { RuleReason } from '../../core/evaluation/status-reason.ts'
import type { MetadataTexts } from './metadata-texts.ts'

/** Condition of a rule that a decision does not meet. */
type Mismatch = Extract<RuleReason, 'domain' | 'agent_id' | 'session_id' | 'metadata'>

export type Match = (
  decision: Pick<Decision, 'domain' | 'agent_id' | 'session_id'>,
  metadata: MetadataTexts
) => Mismatch | null

type Matches = (text: string | null) => boolean

/**
 * Compiles the patterns of a rule once, because they are compared with every decision of the
 * organization.
 */
export function createMatch(match: RuleMatch): Match {
  const isDomain = anyOf(match.domains)
  const isAgent = anyOf(match.agent_ids)
  const isSession = anyOf(match.session_ids)
  const members = Object.entries(match.metadata ?? {})

  return function mismatchOf({ domain, agent_id, session_id }, metadata) {
    if (!isDomain(domain)) return 'domain'
    if (!isAgent(agent_id)) return 'agent_id'
    if (!isSession(session_id)) return 'session_id'
    const isAsSaid = members.every(([name, texts]) => texts.includes(metadata(name) ?? ''))
    return isAsSaid ? null : 'metadata'
  }
}

function anyOf(patterns: readonly string[] | undefined): Matches {
  if (patterns === undefined || patterns.includes('*')) return () => true
  const matchers = patterns.map(matcherOf)
  return (text) => text !== null && matchers.some((matches) => matches(text))
}

/**
 * Compiles a pattern that must match the whole text, where `*` matches any text. Each part between
 * two `*` matches at its leftmost position.
 */
function matcherOf(pattern: string): (text: string) => boolean {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return (text) => text === first
  return (text) => {
    if (text.length < first.length + last.length) return false
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    const end = text.length - last.length
    let at = first.length
    for (const piece of others) {
      const found = text.indexOf(piece, at)
      if (found < 0 || found + piece.length > end) return false
      at = found + piece.length
    }
    return true
  }
}
