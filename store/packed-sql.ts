/** SQL on a row of `evaluations` that is called `e`: what its packed runs say. */

/** The effective scores, as JSON: `{name: {value, label, passed}}`. */
export const scoresSql = `coalesce(e.scores,
              packed_scores(e.organization_id, e.run_kinds, e.score_values, e.labels, e.passed))`

/** What of it is in the sums, as JSON. */
export const countedSql = `coalesce(e.counted,
              packed_counted(e.organization_id, e.run_kinds, e.score_values, e.passed))`
