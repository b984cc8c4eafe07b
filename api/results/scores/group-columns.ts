/** By what a summary may group, and where that stands in scores, ended runs and open runs. */

export const groupNames = [
  'name',
  'agent_id',
  'domain',
  'rule_id',
  'evaluator_id',
  'model'
] as const
export type GroupName = (typeof groupNames)[number]

/** The name that a run's score has, or would have had. */
const nameOfRun = `coalesce(v.output::json ->> 'name', s.evaluator)`

interface GroupColumn {
  readonly ofScore: string
  readonly ofRun: string
  readonly ofOpenRun: string
}

function same(column: string): GroupColumn {
  return { ofScore: column, ofRun: column, ofOpenRun: column }
}

/** Of a row that is called `s`, of its run `r`, of its evaluator's version `v`. */
export const groupColumns: Readonly<Record<GroupName, GroupColumn>> = {
  name: { ofScore: 's.name', ofRun: nameOfRun, ofOpenRun: nameOfRun },
  agent_id: same('s.agent_id'),
  domain: same('s.domain'),
  rule_id: same('s.rule_id'),
  evaluator_id: same('s.evaluator_id'),
  model: { ofScore: 'r.model', ofRun: 's.model', ofOpenRun: 'null::text' }
}

/** As JSON, so that one column tells any combination apart. */
export function keyColumn(groups: readonly GroupName[], of: keyof GroupColumn): string {
  const members = groups.flatMap((name) => [`'${name}'`, groupColumns[name][of]])
  return `json_build_object(${members.join(', ')})::text`
}
