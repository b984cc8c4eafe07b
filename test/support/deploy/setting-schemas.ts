/** Derives the expected parts of the chart's values.schema.json from docs/reference/settings.md. */
import { codesIn, read, rowsOf } from '../../docs/pages.ts'

type Schema = Readonly<Record<string, unknown>>

interface DocumentedSetting {
  readonly name: string
  readonly default: string
  readonly allowed: string
  readonly readers: readonly string[]
}

/** Settings that users cannot set, because the chart derives them from its ports. */
const chosenByChart = ['GATEWAY_PORT', 'MANAGEMENT_PORT']

export const documentedSettings: readonly DocumentedSetting[] = rowsOf(
  read('docs/reference/settings.md')
)
  .map(([name = '', byDefault = '', allowed = '', readers = '']) => ({
    ...{ name: codesIn(name)[0] ?? '', default: codesIn(byDefault)[0] ?? byDefault, allowed },
    readers: readers.split(', ')
  }))
  .filter(({ name }) => !chosenByChart.includes(name))

function isUrl({ allowed }: DocumentedSetting): boolean {
  return /^`[a-z]+:`/.test(allowed)
}

/**
 * Returns the settings that can come from a Secret: secrets, certificates, the SASL username, and
 * URLs, which can contain a password.
 */
export function mountable(): string[] {
  return documentedSettings
    .filter((setting) => {
      const { name, allowed } = setting
      return isUrl(setting) || /^secret|PEM/.test(allowed) || name === 'KAFKA_SASL_USERNAME'
    })
    .map(({ name }) => name)
}

/** Returns the schema of every setting that is not a secret, by name. */
export function configProperties(): Record<string, Schema> {
  const plain = documentedSettings.filter(({ allowed }) => !allowed.startsWith('secret'))
  return Object.fromEntries(plain.map((setting) => [setting.name, schemaOf(setting)]))
}

function schemaOf(setting: DocumentedSetting): Schema {
  const { allowed } = setting
  const [, minimum, maximum] = /^(\d+) to (\d+)/.exec(allowed) ?? []
  if (minimum !== undefined) {
    const integer = { type: 'integer', minimum: Number(minimum), maximum: Number(maximum) }
    return allowed.includes('`auto`') ? { anyOf: [integer, { const: 'auto' }] } : integer
  }
  // Reject credentials in the URL, both before the host and in the query.
  if (isUrl(setting)) {
    const protocols = codesIn(allowed).map((protocol) => protocol.slice(0, -1))
    return {
      ...{ type: 'string', pattern: `^(${protocols.join('|')})://[^@\\s]*$` },
      not: { pattern: '[?&][^=&]*pass' }
    }
  }
  if (allowed === '`true`, `false`') return { type: 'boolean' }
  const isListOfWords = allowed.replaceAll(/`[^`]*`|, /g, '') === ''
  return isListOfWords ? { enum: codesIn(allowed) } : { type: 'string' }
}
