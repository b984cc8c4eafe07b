/** Tests the chart's scaling, network policies and Kafka permissions, and the values that it
 * rejects.
 */
import { describe, expect, test } from '@jest/globals'
import { topicDefinitions } from '../../schemas/index.ts'
import { findHelm, render, renderText } from '../support/deploy/helm.ts'
import type { Rendered } from '../support/deploy/helm.ts'
import { containersOf, podsOf, variableOf } from '../support/deploy/pods.ts'

const isThere = (await findHelm()) !== null
if (!isThere) process.stderr.write('Without Helm the chart is not rendered.\n')
const describeWithHelm = isThere ? describe : describe.skip

const address = ['--values', 'test/deploy/values/default.yaml']
const production = ['--values', 'deploy/helm/examples/production.yaml']
const strimzi = ['--values', 'deploy/helm/examples/strimzi.yaml']

function one(objects: readonly Rendered[], kind: string, name: string): Rendered {
  const found = objects.find((each) => each.kind === kind && each.metadata.name === name)
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
  return found
}

describeWithHelm('scaling', () => {
  test('sets no replicas on scaled deployments, because an upgrade would reset them', async () => {
    const objects = await render(...production)
    const scaled = objects.filter(({ kind }) => /Autoscaler|ScaledObject/.test(kind))
    expect(scaled.map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(['sluice-gateway', 'sluice-reads', 'sluice-storage'])
    )
    for (const { metadata } of scaled) {
      expect(one(objects, 'Deployment', metadata.name).spec).not.toHaveProperty('replicas')
    }
    expect(one(objects, 'Deployment', 'sluice-audit').spec).toHaveProperty('replicas', 1)
  })

  test('scales groups by lag up to the partition count, ignoring paused partitions', async () => {
    const objects = await render(...strimzi)
    for (const name of ['storage', 'evaluation']) {
      const { spec } = one(objects, 'ScaledObject', `sluice-${name}`)
      expect(spec).toMatchObject({ minReplicaCount: 2, maxReplicaCount: 24 })
      const triggers = spec['triggers'] as { metadata: Record<string, string> }[]
      const topics = name === 'storage' ? ['agent-decisions', 'decision-evaluations'] : undefined
      expect(triggers.map(({ metadata }) => metadata['topic'])).toEqual(
        topics ?? ['agent-decisions']
      )
      for (const { metadata } of triggers) {
        const ofTopic = metadata['topic'] === 'decision-evaluations' ? '-evaluations' : ''
        expect(metadata).toMatchObject({
          consumerGroup: `sluice-${name}${ofTopic}`,
          excludePersistentLag: 'true',
          allowIdleConsumers: 'false',
          sasl: 'scram_sha512',
          tls: 'enable'
        })
      }
    }
    expect(one(objects, 'TriggerAuthentication', 'sluice-storage').spec).toEqual({
      secretTargetRef: [
        { parameter: 'password', name: 'sluice-storage', key: 'password' },
        { parameter: 'ca', name: 'events-cluster-ca-cert', key: 'ca.crt' }
      ],
      env: [{ parameter: 'username', name: 'KAFKA_SASL_USERNAME', containerName: 'storage' }]
    })
  })
})

describeWithHelm('settings', () => {
  test('keeps a large number as an integer', async () => {
    const objects = await render(...production)
    const gateway = containersOf(objects).find(({ name }) => name === 'gateway')
    expect(gateway && variableOf(gateway, 'IN_FLIGHT_BYTES_MAX')).toBe('134217728')
  })

  test('sets false values, and prefers the values of a single process', async () => {
    const set = ['--set', 'config.DOCS_ENABLED=true', '--set', 'reads.config.DOCS_ENABLED=false']
    const containers = containersOf(await render(...production, ...set))
    const [gateway, reads] = ['gateway', 'reads'].map((name) => {
      return containers.find((container) => container.name === name)
    })
    expect(gateway && variableOf(gateway, 'DOCS_ENABLED')).toBe('true')
    expect(reads && variableOf(reads, 'DOCS_ENABLED')).toBe('false')
  })

  test('gives ingest gateways no signing key, and API gateways no Kafka settings', async () => {
    const containers = containersOf(await render(...production))
    const namesOf = (component: string): string[] => {
      const found = containers.find(({ name }) => name === component)
      return found?.env.map(({ name }) => name) ?? []
    }
    expect(namesOf('gateway')).toEqual(expect.arrayContaining(['GATEWAY_ROUTES', 'KAFKA_BROKERS']))
    expect(namesOf('gateway').filter((name) => name.startsWith('SESSION_'))).toEqual([])
    expect(namesOf('reads')).toContain('SESSION_SIGNING_KEY_FILE')
    expect(namesOf('reads').filter((name) => /^KAFKA|^SCHEMA_REG/.test(name))).toEqual([])
    expect(namesOf('reads')).toContain('SECRETS_KEY_FILE')
    expect(namesOf('evaluation')).toContain('SECRETS_KEY_FILE')
    const notOfStorage = /^API_KEY|^REDIS|^SESSION|^SECRETS_KEY/
    expect(namesOf('storage').filter((name) => notOfStorage.test(name))).toEqual([])
    expect(namesOf('gateway')).not.toContain('SECRETS_KEY_FILE')
  })

  test('keeps special characters in values unchanged', async () => {
    const topic = 'x\n      injected: {{ .Release.Name }}" # \'yes'
    const set = ['--set-literal', `config.DECISIONS_TOPIC=${topic}`]
    const objects = await render(...strimzi, ...set)
    const topics = objects.filter(({ kind }) => kind === 'KafkaTopic')
    expect(topics.map(({ spec }) => spec['topicName'])).toContain(topic)
    const { spec } = one(objects, 'ScaledObject', 'sluice-evaluation')
    const [trigger] = spec['triggers'] as { metadata: Record<string, string> }[]
    expect(trigger?.metadata).toMatchObject({ topic, lagThreshold: expect.any(String) })
    expect(trigger?.metadata).not.toHaveProperty('injected')
  })

  test('extends the termination period for a longer shutdown deadline', async () => {
    const set = ['--set', 'gateway.config.SHUTDOWN_DEADLINE_MS=60500']
    const pods = podsOf(await render(...address, ...set))
    const times = pods.map(({ of, terminationGracePeriodSeconds: seconds }) => [of, seconds])
    expect(times).toEqual(
      expect.arrayContaining([
        ['Deployment sluice-gateway', 71],
        ['Deployment sluice-storage', 30]
      ])
    )
  })
})

describeWithHelm('networks', () => {
  test('denies all traffic by default and has a policy for every pod', async () => {
    const objects = await render(...production)
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy')
    const deny = one(policies, 'NetworkPolicy', 'sluice-deny').spec
    expect(Object.keys(deny).toSorted()).toEqual(['podSelector', 'policyTypes'])
    expect(deny['policyTypes']).toEqual(['Ingress', 'Egress'])
    const { matchLabels } = deny['podSelector'] as { matchLabels: Record<string, string> }
    const components = new Set(
      podsOf(objects).map(({ labels }) => {
        expect(labels).toMatchObject(matchLabels)
        return labels['app.kubernetes.io/component']
      })
    )
    const own = policies
      .map(({ metadata }) => metadata.name)
      .filter((name) => !name.endsWith('deny'))
    expect(own.toSorted()).toEqual([...components].map((name) => `sluice-${name}`).toSorted())
  })

  test('denies storage access to judges and Redis, and API gateways access to Kafka', async () => {
    const objects = await render(...address, '--set', 'reads.enabled=true')
    const portsOf = (name: string): number[] => {
      const { spec } = one(objects, 'NetworkPolicy', `sluice-${name}`)
      const rules = spec['egress'] as { ports: { port: number }[] }[]
      return rules.flatMap(({ ports }) => ports.map(({ port }) => port))
    }
    expect(portsOf('storage')).toEqual([53, 53, 9092, 9093, 8080, 8081, 5432])
    expect(portsOf('gateway')).toEqual([53, 53, 9092, 9093, 8080, 8081, 6379, 5432])
    expect(portsOf('reads')).toEqual([53, 53, 6379, 5432, 443, 465, 587])
  })
})

describeWithHelm('Strimzi', () => {
  test('creates the topics of schemas/topics.json', async () => {
    const objects = await render(...strimzi, '--set', 'config.DECISIONS_TOPIC=choices')
    const topics = objects.filter(({ kind }) => kind === 'KafkaTopic').map(({ spec }) => spec)
    const extra = { 'min.insync.replicas': '2', 'unclean.leader.election.enable': 'false' }
    const expected = topicDefinitions.map(({ name, config }) => ({
      topicName: name.replace('agent-decisions', 'choices'),
      ...{ partitions: 24, replicas: 3, config: { ...config, ...extra } }
    }))
    expect(topics).toEqual(expected)
  })

  test('grants each Kafka user exactly the permissions of its process', async () => {
    const objects = await render(...strimzi)
    const users = objects.filter(({ kind }) => kind === 'KafkaUser')
    const rights = users.map(({ metadata, spec }) => {
      const { type, acls } = spec['authorization'] as { type: string; acls: Acl[] }
      expect(type).toBe('simple')
      const lines = acls.map(({ resource, operations }) => {
        expect(resource.patternType).toBe('literal')
        return `${resource.type} ${resource.name}: ${operations.join(' ')}`
      })
      return [metadata.name, lines]
    })
    expect(Object.fromEntries(rights)).toMatchObject({
      'sluice-gateway': ['topic agent-decisions: Describe Write'],
      'sluice-storage': [
        'topic agent-decisions: Describe Read Write',
        'topic agent-decisions.dead-letter: Describe Read Write',
        'topic decision-evaluations: Describe Read Write',
        'topic decision-evaluations.dead-letter: Describe Read Write',
        'group sluice-storage: Read',
        'group sluice-storage-evaluations: Read'
      ],
      'sluice-evaluation': [
        'topic agent-decisions: Describe Read',
        'topic agent-decisions.dead-letter: Describe Write',
        'topic decision-evaluations: Describe Write',
        'group sluice-evaluation: Read'
      ]
    })
  })
})

interface Acl {
  readonly resource: Readonly<Record<'type' | 'name' | 'patternType', string>>
  readonly operations: readonly string[]
}

describeWithHelm('rejects', () => {
  test.each([
    ['no address', [], /KAFKA_BROKERS is neither in config nor in secrets/],
    [
      'a secret in plain',
      [...address, '--set', `config.API_KEY_PEPPER=${'x'.repeat(32)}`],
      /API_KEY_PEPPER/
    ],
    [
      'a password in a URL',
      [...address, '--set', 'config.MAIL_URL=smtp://me:pass@mail.example'],
      /MAIL_URL.*pattern/s
    ],
    [
      'a password among the parameters of a URL',
      [...address, '--set', 'config.MAIL_URL=smtp://mail.example?auth.pass=x'],
      /MAIL_URL/
    ],
    [
      'a registry that no policy lets through',
      [...address, '--set', 'config.SCHEMA_REGISTRY_URL=https://registry.example/apis'],
      /registry[.]ports lacks 443/
    ],
    [
      'a label by which pods are chosen',
      [...address, '--set', 'pod.labels.app\\.kubernetes\\.io/component=x'],
      /app.kubernetes.io.component/
    ],
    ['a misspelt setting', [...address, '--set', 'config.LOG_LEVLE=debug'], /LOG_LEVLE/],
    ['a wrong value', [...address, '--set', 'config.LOG_LEVEL=loud'], /LOG_LEVEL/],
    ['a wrong number', [...address, '--set', 'config.REQUESTS_MAX=0'], /REQUESTS_MAX/],
    ['a misspelt value', [...address, '--set', 'gateway.replica=3'], /replica/],
    [
      'one setting twice',
      [...address, '--set', 'config.REDIS_URL=redis://redis:6379'],
      /REDIS_URL is in config and in secrets/
    ],
    [
      'more members than partitions',
      [...address, '--set', 'storage.replicas=13'],
      /storage: 13 members for 12 partitions/
    ],
    [
      'a topic of one process alone',
      [...address, '--set', 'storage.config.DECISIONS_TOPIC=other'],
      /DECISIONS_TOPIC/
    ],
    [
      'users without topics',
      [...strimzi, '--set', 'strimzi.topics.enabled=false'],
      /strimzi[.]users needs strimzi[.]topics/
    ]
  ])('%s', async (_, values, message) => {
    const { code, output } = await renderText(...values)
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(message) })
  })
})
