/** Builds the AsyncAPI 3 document of the topics from the contracts in schemas/. */
import {
  avroContracts,
  schemaCompatibility,
  subjectOf,
  topicDefinitions
} from '../../schemas/index.ts'
import type { TopicDefinition } from '../../schemas/index.ts'
import type { TopicNames } from '../topic-names.ts'
import { asyncapiMessages } from './asyncapi-messages.ts'

type Role = TopicDefinition['role']

const descriptions: Readonly<Record<Role, string>> = {
  decisions:
    'Every acknowledged decision, at least once. Ordered within an agent as the gateways ' +
    'wrote them.',
  evaluations:
    'Results of evaluation runs, written as the runs end: within moments, or days later.',
  decisions_dead_letter: 'Messages of the decisions topic that a consumer group cannot process.',
  evaluations_dead_letter: 'Messages of the evaluations topic that a consumer group cannot process.'
}

const senders: Readonly<Record<Role, string>> = {
  decisions: 'Gateways send it before they respond with 202.',
  evaluations: 'Evaluation processes send it, including scores that users and programs pushed.',
  decisions_dead_letter: 'The storage and evaluation groups each send their own records.',
  evaluations_dead_letter: 'The storage group sends it.'
}

/**
 * Builds the document with the topic names of an installation. `schemas/asyncapi.json` has the
 * default names.
 */
export function asyncapiDocumentOf(names: TopicNames): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Sluice topics',
      // Built from the schema file names, so that it changes with every schema version.
      version: avroContracts.map(({ file }) => file.replace('.avsc', '')).join('+'),
      description:
        `Subjects are <topic>-value, and their compatibility is ${schemaCompatibility}: ` +
        'every version can read what every other version wrote. To read the topics, see ' +
        'docs/guides/read-topics.md.',
      license: { name: 'Apache-2.0' }
    },
    defaultContentType: 'application/vnd.apache.avro+binary',
    channels: Object.fromEntries(
      topicDefinitions.map((topic) => [topic.role, channelOf(topic, names)])
    ),
    operations: Object.fromEntries(
      topicDefinitions.map(({ role }) => [`send_${role}`, operationOf(role)])
    ),
    components: {
      messages: Object.fromEntries(
        topicDefinitions.map(({ role }) => [asyncapiMessages[role].name, asyncapiMessages[role]])
      )
    }
  }
}

function channelOf({ role, partitions, config }: TopicDefinition, names: TopicNames) {
  const { name } = asyncapiMessages[role]
  const isInWireFormat = role === 'decisions' || role === 'evaluations'
  return {
    address: names[role],
    description: descriptions[role],
    messages: { [name]: { $ref: `#/components/messages/${name}` } },
    bindings: {
      kafka: { partitions, topicConfiguration: configurationOf(config), bindingVersion: '0.5.0' }
    },
    ...(isInWireFormat ? { 'x-subject': subjectOf(names[role]) } : {})
  }
}

/**
 * Converts topic settings to the types that AsyncAPI expects: numbers, and lists for settings with
 * several values.
 */
function configurationOf(config: TopicDefinition['config']) {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, settingOf(name, value)])
  )
}

function settingOf(name: string, value: string): string | number | string[] {
  if (name === 'cleanup.policy') return value.split(',')
  return /^\d+$/.test(value) ? Number(value) : value
}

function operationOf(role: Role) {
  const channel = `#/channels/${role}`
  const { name } = asyncapiMessages[role]
  return {
    action: 'send',
    summary: senders[role],
    channel: { $ref: channel },
    messages: [{ $ref: `${channel}/messages/${name}` }]
  }
}
