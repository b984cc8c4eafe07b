/** Generates the tables of alerts, for the reference page and the index of runbooks. */
import { parse } from 'yaml'
import { alertConditions } from '../source/alert-conditions.ts'
import { code, formatTable, read } from './markdown.ts'
import type { GeneratedPage } from './markdown.ts'

interface AlertRule {
  readonly alert: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook_url: string }
}

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly (AlertRule | { record: string })[] }[]
}

const ruleFiles = ['deploy/prometheus/alerts.yml', 'deploy/prometheus/slo.yml']
const operations = 'docs/guides/operations/'

function readAlerts(): AlertRule[] {
  const rules = ruleFiles.flatMap((path) =>
    (parse(read(path)) as RuleFile).groups.flatMap((group) => group.rules)
  )
  return rules.filter((rule): rule is AlertRule => 'alert' in rule)
}

/**
 * Lists all alerts with their conditions.
 * @throws if an alert has no condition, or a condition has no alert
 */
function listAlerts(): (AlertRule & { condition: string })[] {
  const alerts = readAlerts()
  const names = alerts.map(({ alert }) => alert)
  const others = Object.keys(alertConditions).filter((name) => !names.includes(name))
  if (others.length > 0) throw new Error(`no such alert: ${others.join(', ')}`)
  return alerts.map((rule) => {
    const condition = alertConditions[rule.alert]
    if (condition === undefined) throw new Error(`docs/source has no condition for ${rule.alert}`)
    return { ...rule, condition }
  })
}

/** Replaces Prometheus template variables with words. */
function plainSummary(summary: string): string {
  return summary
    .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => label.toUpperCase())
    .replaceAll(/\{\{ \$value \| humanizePercentage \}\}/g, 'N%')
    .replaceAll(/\{\{ \$value [^}]*\}\}/g, 'N')
}

function formatReference(): string {
  const rows = listAlerts().map(({ alert, condition, labels, annotations }) => {
    const runbook = annotations.runbook_url.replace('docs/', '../')
    return [code(alert), condition, labels.severity, `[runbook](${runbook})`]
  })
  return formatTable(['alert', 'fires when', 'severity', 'what to do'], rows)
}

function formatIndex(): string {
  const rows = listAlerts().map(({ alert, labels, annotations }) => {
    const runbook = annotations.runbook_url.replace(`${operations}runbooks/`, '')
    return [`[${alert}](${runbook})`, plainSummary(annotations.summary), labels.severity]
  })
  return formatTable(['alert', 'summary', 'severity'], rows)
}

export const alerts: GeneratedPage = {
  path: 'docs/reference/alerts.md',
  parts: () => ({ alerts: formatReference() })
}

export const runbookIndex: GeneratedPage = {
  path: `${operations}runbooks/README.md`,
  parts: () => ({ alerts: formatIndex() })
}
