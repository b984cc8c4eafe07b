/** Parses the Prometheus alerting and recording rules in deploy/prometheus. */
import { parse } from 'yaml'
import { read } from '../docs/pages.ts'

export interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

interface RecordRule {
  readonly record: string
  readonly expr: string
  readonly labels?: Readonly<Record<string, string>>
}

interface RuleFile {
  readonly groups: readonly {
    readonly name: string
    readonly rules: readonly (AlertRule | RecordRule)[]
  }[]
}

export const ruleFiles = ['deploy/prometheus/alerts.yml', 'deploy/prometheus/slo.yml']

const rules = ruleFiles.flatMap((path) => {
  return (parse(read(path)) as RuleFile).groups.flatMap((group) => group.rules)
})
export const alertRules = rules.filter((rule): rule is AlertRule => 'alert' in rule)
export const recordRules = rules.filter((rule): rule is RecordRule => 'record' in rule)
export const recordedNames = [...new Set(recordRules.map(({ record }) => record))]
