/** Which of the scores of a decision count: the newest of each source, and people's word first. */

export interface GivenScore {
  readonly name: string
  readonly source_kind: string
  readonly score_id: string
  /** Milliseconds since 1970. */
  readonly evaluated_at: number
}

/**
 * By name and source, in the order in which they were first given. Of one instant the one with the
 * greater id is the newest, as sums of scores have it.
 */
export function newestScores<S extends GivenScore>(
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

function isNewer(score: GivenScore, known: GivenScore): boolean {
  if (score.evaluated_at !== known.evaluated_at) return score.evaluated_at > known.evaluated_at
  return score.score_id > known.score_id
}

const countsFirst = ['human', 'evaluator', 'api', 'end_user']

/**
 * What counts of a name: a person's word before the machine's. A source that `order` does not name
 * comes behind those that it does.
 * @param sources at least one
 */
export function effectiveOf<S>(
  sources: ReadonlyMap<string, S>,
  order: readonly string[] = countsFirst
): S {
  const kinds = [...order, ...sources.keys()]
  return sources.get(kinds.find((kind) => sources.has(kind)) ?? '') as S
}
