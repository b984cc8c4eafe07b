/** Effective scores: selects the newest score of each source, and ranks the sources with human
 * scores first.
 */

export interface SourcedScore {
  readonly name: string
  readonly source_kind: string
  readonly score_id: string
  /** Milliseconds since 1970. */
  readonly evaluated_at: number
}

/**
 * Returns the newest scores by name and source, in the order of first appearance. Of two scores
 * with the same time, the one with the greater id counts as newer. The hourly sums follow the same
 * rule.
 */
export function newestScores<S extends SourcedScore>(
  scores: readonly S[]
): ReadonlyMap<string, ReadonlyMap<string, S>> {
  const byName = new Map<string, Map<string, S>>()
  for (const score of scores) {
    const sources = byName.get(score.name) ?? new Map<string, S>()
    const known = sources.get(score.source_kind)
    if (known === undefined || isNewer(score, known)) sources.set(score.source_kind, score)
    byName.set(score.name, sources)
  }
  return byName
}

function isNewer(score: SourcedScore, known: SourcedScore): boolean {
  if (score.evaluated_at !== known.evaluated_at) return score.evaluated_at > known.evaluated_at
  return score.score_id > known.score_id
}

const countsFirst = ['human', 'evaluator', 'api', 'end_user']

/**
 * Returns the score of the first source in `order`; other sources come last. By default, human
 * scores take precedence over automatic ones.
 * @param sources the scores of one name, by source; at least one
 */
export function effectiveOf<S>(
  sources: ReadonlyMap<string, S>,
  order: readonly string[] = countsFirst
): S {
  const kinds = [...order, ...sources.keys()]
  return sources.get(kinds.find((kind) => sources.has(kind)) ?? '') as S
}
