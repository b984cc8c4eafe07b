/** Defines SQL expressions for the scores of a row `e` of `evaluations`. Scores that are not stored
 * are computed from the packed runs of the row.
 */

/** Effective scores as JSON: `{name: {value, label, passed}}`. */
export const scoresSql = `coalesce(e.scores,
              packed_scores(e.organization_id, e.run_kinds, e.score_values, e.labels, e.passed))`

/** Scores that the hourly sums contain, as a JSON array. */
export const countedSql = `coalesce(e.counted,
              packed_counted(e.organization_id, e.run_kinds, e.score_values, e.passed))`
