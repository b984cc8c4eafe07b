/** Tests that the chart renders valid and secure objects, and compares them with the committed
 * output.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { documentedSettings, mountable } from '../support/deploy/setting-schemas.ts'
import { chart, findHelm, helm, kubernetesVersion } from '../support/deploy/helm.ts'
import { objectsOf, render, renderText } from '../support/deploy/helm.ts'
import type { Rendered } from '../support/deploy/helm.ts'
import { findKubernetesValidate } from '../support/deploy/kubernetes-validate.ts'
import { containersOf, podsOf, variableOf } from '../support/deploy/pods.ts'

const timeoutMs = 9 * 60_000
const files = {
  default: 'test/deploy/values/default.yaml',
  minimal: 'deploy/helm/examples/minimal.yaml',
  production: 'deploy/helm/examples/production.yaml',
  strimzi: 'deploy/helm/examples/strimzi.yaml'
}
type Case = keyof typeof files
const cases = Object.keys(files) as Case[]
const folder = mkdtempSync(join(tmpdir(), 'sluice-chart-'))
const texts: Record<string, string> = {}
const isThere = (await findHelm()) !== null
const validate = await findKubernetesValidate()
if (!isThere) process.stderr.write('Without Helm the chart is not rendered.\n')
if (validate === null) process.stderr.write('Without it the chart is held against no schema.\n')

beforeAll(async () => {
  if (!isThere) return
  for (const name of cases) {
    const { code, output } = await renderText('--values', files[name])
    if (code !== 0) throw new Error(output)
    texts[name] = output
  }
}, timeoutMs)
afterAll(() => rmSync(folder, { recursive: true }))

const token = 'automountServiceAccountToken'
const usual = ['sluice-migrate', 'sluice-topics', 'sluice-schemas']
const order = {
  ...{ default: usual, production: usual, minimal: [...usual, 'sluice-bootstrap'] },
  // Strimzi's Topic Operator creates the topics, so the chart needs no job for them.
  strimzi: ['sluice-migrate', 'sluice-schemas']
}

function hookOf({ annotations }: Rendered['metadata'], what: string): string | undefined {
  return annotations?.[`helm.sh/${what}`]
}

function objects(name: Case): Rendered[] {
  return objectsOf(texts[name] ?? '')
}

test('renders every example', () => {
  const examples = readdirSync('deploy/helm/examples').map((name) => `deploy/helm/examples/${name}`)
  expect(Object.values(files).slice(1)).toEqual(examples)
})

const describeWithHelm = isThere ? describe : describe.skip

describeWithHelm.each(cases)('%s', (name) => {
  test('passes helm lint', async () => {
    const { code, output } = await helm('lint', chart, '--strict', '--values', files[name])
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringContaining(' 0 chart(s) fai')
    })
  })

  // Prometheus rules are left out, because another test compares them with their source.
  test('equals the committed output (SLUICE_UPDATE=1 writes it)', () => {
    const path = `test/deploy/rendered/${name}.yaml`
    const parts = (texts[name] ?? '').split(/^---\n/m)
    const text = parts.filter((part) => !part.includes('\nkind: PrometheusRule\n')).join('---\n')
    if (process.env['SLUICE_UPDATE'] === '1') writeFileSync(path, text)
    expect(text).toBe(readFileSync(path, 'utf8'))
  })

  const testWithSchemas = validate === null ? test.skip : test
  testWithSchemas(
    'is valid for Kubernetes, without unknown fields',
    async () => {
      const path = join(folder, `${name}.yaml`)
      writeFileSync(path, texts[name] ?? '')
      if (validate === null) throw new Error('there are no schemas')
      const { code, output } = await validate(path, kubernetesVersion)
      const lines = output.split('\n').filter((line) => line !== '')
      const own = /^WARN .* kind (\w+) with api version (keda|monitoring|kafka)[.]/
      const others = lines.filter((line) => !line.startsWith('INFO ') && !own.test(line))
      expect({ code, others }).toEqual({ code: 0, others: [] })
      const known = objects(name).filter(({ apiVersion }) => {
        return !/keda|monitoring[.]coreos|strimzi/.test(apiVersion)
      })
      expect(lines.filter((line) => line.startsWith('INFO '))).toHaveLength(known.length)
    },
    timeoutMs
  )

  test('restricts every container and mounts no token', () => {
    for (const pod of podsOf(objects(name))) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }
      })
      const kinds = pod.volumes.flatMap((volume) => Object.keys(volume))
      expect(kinds.filter((kind) => !/^(name|emptyDir|projected)$/.test(kind))).toEqual([])
    }
    const containers = containersOf(objects(name))
    expect(containers.length).toBeGreaterThanOrEqual(5)
    for (const { securityContext, resources } of containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] }
      })
      expect(Object.keys(resources.requests)).toEqual(['cpu', 'memory'])
      expect(resources.limits).toEqual({ memory: resources.requests['memory'] })
    }
    const accounts = objects(name).filter(({ kind }) => kind === 'ServiceAccount')
    expect(accounts).toHaveLength(2)
    for (const account of accounts) expect(account).toHaveProperty(token, false)
  })

  test('contains no secret, because secrets are files and every variable is a setting', () => {
    expect(objects(name).filter(({ kind }) => kind === 'Secret')).toEqual([])
    const secret = documentedSettings.filter(({ allowed }) => allowed.startsWith('secret'))
    const secretNames = secret.map((setting) => setting.name)
    const settingNames = documentedSettings.map((setting) => setting.name)
    for (const container of containersOf(objects(name))) {
      for (const { name: variable, value } of container.env) {
        const setting = variable.replace(/_FILE$/, '')
        if (variable === 'NODE_OPTIONS') continue
        expect(settingNames).toContain(setting)
        if (setting !== variable) expect(mountable()).toContain(setting)
        expect(secretNames).not.toContain(variable)
        expect(value).not.toMatch(/:\/\/[^/]*@/)
      }
    }
  })

  test('runs jobs in order after their prerequisites and before everything else', () => {
    const hooks = objects(name).filter(({ metadata }) => hookOf(metadata, 'hook') !== undefined)
    for (const { metadata } of hooks) {
      expect(hookOf(metadata, 'hook')).toBe('pre-install,pre-upgrade')
    }
    const weightOf = ({ metadata }: Rendered): number => Number(hookOf(metadata, 'hook-weight'))
    const jobs = hooks.filter(({ kind }) => kind === 'Job')
    jobs.sort((one, other) => weightOf(one) - weightOf(other))
    expect(jobs.map(({ metadata }) => metadata.name)).toEqual(order[name])
    expect(new Set(jobs.map(weightOf)).size).toBe(jobs.length)
    const earliest = Math.min(...jobs.map(weightOf))
    for (const other of hooks.filter(({ kind }) => kind !== 'Job')) {
      expect(weightOf(other)).toBeLessThan(earliest)
    }
  })

  test('gives pods enough time for a graceful shutdown', () => {
    for (const pod of podsOf(objects(name)).filter(({ of }) => of.startsWith('Deployment'))) {
      const [container] = pod.containers
      if (container === undefined) throw new Error(`${pod.of} has no container`)
      const deadlineMs = Number(variableOf(container, 'SHUTDOWN_DEADLINE_MS') ?? 25_000)
      const preStop = container.lifecycle?.preStop.sleep.seconds ?? 0
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(preStop + deadlineMs / 1000)
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
        const path = probe === 'readinessProbe' ? '/readyz' : '/livez'
        expect(container[probe]?.httpGet).toEqual({ path, port: 'management' })
      }
      // Probes connect to the pod's IP address, not to the loopback address.
      expect(variableOf(container, 'MANAGEMENT_HOST')).toBe('0.0.0.0')
    }
  })
})

describeWithHelm('Prometheus rules', () => {
  test('equal the rules in deploy/prometheus', async () => {
    const rendered = await render('--values', files.production)
    const rules = rendered.filter(({ kind }) => kind === 'PrometheusRule')
    const texts = readdirSync('deploy/prometheus')
      .filter((path) => path.endsWith('.yml'))
      .map((path) => parse(readFileSync(`deploy/prometheus/${path}`, 'utf8')) as { groups?: [] })
      .filter(({ groups }) => groups !== undefined)
    expect(texts.length).toBeGreaterThan(0)
    expect(rules.map(({ spec }) => spec)).toEqual(texts)
  })
})
