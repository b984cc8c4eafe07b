/** Describes settings for docs/reference/settings.md: default, allowed values, and the processes
 * that read them.
 */
import { generateKeyPairSync } from 'node:crypto'
import { readConsumerConfig } from '../../consumers/config.ts'
import { readGatewayConfig } from '../../gateway/config.ts'
import { settings } from '../../platform/config/config.ts'
import type { SettingName } from '../../platform/config/config.ts'
import { kafkaSettingNames } from '../../platform/kafka/kafka-security.ts'
import type { Setting } from '../../platform/config/setting.ts'
import { code, listFiles, read } from './markdown.ts'

export const settingNames = Object.keys(settings) as SettingName[]

export function defaultOf(name: SettingName): string {
  const { default: value }: Setting<unknown> = settings[name]
  if (value === null || (Array.isArray(value) && value.length === 0)) return '(none)'
  if (value === undefined) return '(required)'
  return code(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Maps the error message of an invalid value to the description of the allowed values. */
const forms: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [/auto or a whole number from (\d+) to (\d+)$/, (min, max) => `${min} to ${max}, \`auto\``],
  [/a whole number from (\d+) to (\d+)$/, (min, max) => `${min} to ${max}`],
  [/expected one of (.+)$/, (values = '') => values.split(', ').map(code).join(', ')],
  [/expected true or false$/, () => '`true`, `false`'],
  [/expected host:port$/, () => '`host:port`, separated by commas'],
  [/expected an IP address/, () => 'addresses and networks, separated by commas'],
  [/expected an origin/, () => 'origins, separated by commas'],
  [/begins with (.+) and names/, (urls = '') => protocolsOf(urls).map(code).join(', ')],
  [/at least (\d+) are required$/, (min) => `secret, ${min} characters or more`],
  [/contains no PEM certificate$/, () => 'PEM certificates'],
  [/must contain only PEM public keys$/, () => 'PEM public keys (P-256)'],
  [/must be a PEM private key without/, () => 'secret, PEM private key'],
  [/must be a PEM private key on P-256/, () => 'secret, PEM private key (P-256)']
]

function protocolsOf(urls: string): string[] {
  return urls.split(' or ').map((url) => url.replace('//', ''))
}

export function allowedBy(name: SettingName): string {
  const message = objectionOf(settings[name])
  if (message === null) return settings[name].isSecret ? 'secret' : 'any'
  for (const [pattern, say] of forms) {
    const [whole, ...found] = pattern.exec(message) ?? []
    if (whole !== undefined) return say(...found)
  }
  throw new Error(`no description of the values of ${name} for the error "${message}"`)
}

function objectionOf(setting: Setting<unknown>): string | null {
  try {
    setting.parse('?')
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** Valid values of the settings that gateways or consumers require. */
const required = {
  KAFKA_BROKERS: 'broker:9092',
  SCHEMA_REGISTRY_URL: 'http://registry',
  REDIS_URL: 'redis://redis',
  DATABASE_URL: 'postgres://postgres',
  API_KEY_PEPPER: 'x'.repeat(32),
  SESSION_SIGNING_KEY: generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
  }).privateKey
}
const gatewayNames = Object.keys(readGatewayConfig(required))
const consumerNames = Object.keys(readConsumerConfig(required))
const commands = listFiles('cli/commands/', '**/*.ts')
  .map((name) => read(`cli/commands/${name}`))
  .join('\n')

/**
 * Checks whether a command reads a setting: its code contains the name of the setting, or
 * `kafkaSettingNames` for a Kafka setting.
 */
function isReadByCommands(name: SettingName): boolean {
  const isOfKafka = kafkaSettingNames.some((each) => each === name)
  return commands.includes(`'${name}'`) || (isOfKafka && commands.includes('kafkaSettingNames'))
}

export function readersOf(name: SettingName): string {
  const readers: [string, boolean][] = [
    ['gateway', gatewayNames.includes(name)],
    ['consumers', consumerNames.includes(name)],
    ['sluice', isReadByCommands(name)]
  ]
  return readers.flatMap(([reader, reads]) => (reads ? [reader] : [])).join(', ')
}
