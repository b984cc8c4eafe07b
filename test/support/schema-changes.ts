/** Changes of an Avro schema, each with its verdict: may it follow what was before? */

export type AvroField = {
  readonly name: string
  readonly type: unknown
  readonly default?: unknown
  readonly aliases?: readonly string[]
  readonly doc?: string
}

export type RecordSchema = {
  readonly type: 'record'
  readonly name: string
  readonly namespace?: string
  readonly aliases?: readonly string[]
  readonly fields: readonly AvroField[]
}

/**
 * Who takes a change: all, nobody, or a registry and not we, because somebody would lose values
 * without a word.
 */
export type Verdict = 'taken' | 'refused' | 'refused by us alone'

export type SchemaChange = {
  readonly title: string
  readonly verdict: Verdict
  readonly change: (schema: RecordSchema) => RecordSchema
}

/** What the changes begin with: one field of each kind that our contracts have, and some more. */
export const changing: RecordSchema = {
  type: 'record',
  name: 'Thing',
  namespace: 'sluice',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'at', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'attempts', type: 'int', default: 1 },
    { name: 'note', type: ['null', 'string'], default: null },
    { name: 'kind', type: { type: 'enum', name: 'Kind', symbols: ['A', 'B'] } },
    { name: 'digest', type: { type: 'fixed', name: 'Digest', size: 16 } },
    {
      name: 'parts',
      type: {
        type: 'array',
        items: { type: 'record', name: 'Part', fields: [{ name: 'part_id', type: 'string' }] }
      }
    }
  ]
}

const withField =
  (field: AvroField) =>
  (schema: RecordSchema): RecordSchema => ({ ...schema, fields: [...schema.fields, field] })

const without =
  (name: string) =>
  (schema: RecordSchema): RecordSchema => ({
    ...schema,
    fields: schema.fields.filter((field) => field.name !== name)
  })

const withChanged =
  (name: string, members: Partial<AvroField>) =>
  (schema: RecordSchema): RecordSchema => ({
    ...schema,
    fields: schema.fields.map((field) => (field.name === name ? { ...field, ...members } : field))
  })

function partsOf(fields: readonly AvroField[], name = 'Part'): Partial<AvroField> {
  return { type: { type: 'array', items: { type: 'record', name, fields } } }
}

const partId: AvroField = { name: 'part_id', type: 'string' }
const enumOf = (symbols: string[], members: object = {}): Partial<AvroField> => ({
  type: { type: 'enum', name: 'Kind', symbols, ...members }
})

type Rows = Record<string, SchemaChange['change']>

const taken: Rows = {
  nothing: (schema) => schema,
  'an optional field more': withField({ name: 'new', type: ['null', 'long'], default: null }),
  'an optional field more, inside': withChanged(
    'parts',
    partsOf([partId, { name: 'new', type: ['null', 'int'], default: null }])
  ),
  'another order of fields': (schema) => ({ ...schema, fields: schema.fields.toReversed() }),
  'a default where there was none': withChanged('id', { default: '' }),
  'other words about it': withChanged('id', { doc: 'What it is.' })
}

const refusedByUsAlone: Rows = {
  'an optional field less': without('note'),
  'an optional field under another name': (schema) =>
    withField({ name: 'remark', type: ['null', 'string'], default: null, aliases: ['note'] })(
      without('note')(schema)
    ),
  'a new field that is never null': withField({ name: 'new', type: 'string', default: '' }),
  'bytes for a string': withChanged('id', { type: 'bytes' }),
  'a time that is a number': withChanged('at', { type: 'long' }),
  'another default, and null no longer first': withChanged('note', {
    type: ['string', 'null'],
    default: ''
  }),
  'a default less': withChanged('note', { default: undefined }),
  // Its records would be read by nobody: our codec takes names in full, the registry does not.
  'another namespace': (schema) => ({ ...schema, namespace: 'elsewhere' })
}

const refused: Rows = {
  'a field more without a default': withField({ name: 'new', type: 'string' }),
  'a nullable field more without a default': withField({ name: 'new', type: ['null', 'int'] }),
  'a field more with a default that is none': withField({ name: 'new', type: 'int', default: 'x' }),
  'a required field less': without('id'),
  'a required field less, inside': withChanged('parts', partsOf([])),
  'a required field more, inside': withChanged(
    'parts',
    partsOf([partId, { name: 'new', type: 'int' }])
  ),
  'a required field under another name': (schema) =>
    withField({ name: 'identity', type: 'string', aliases: ['id'] })(without('id')(schema)),
  'another type': withChanged('id', { type: 'long' }),
  'a wider number': withChanged('attempts', { type: 'long' }),
  'a narrower number': withChanged('at', { type: 'int' }),
  'null where there was none': withChanged('id', { type: ['null', 'string'] }),
  'no null where there was one': withChanged('note', { type: 'string', default: '' }),
  'another type beside null': withChanged('note', { type: ['null', 'long'] }),
  'one more type beside null': withChanged('note', { type: ['null', 'string', 'long'] }),
  'a symbol more': withChanged('kind', enumOf(['A', 'B', 'C'])),
  'a symbol more, and one to fall back on': withChanged(
    'kind',
    enumOf(['A', 'B', 'C'], { default: 'A' })
  ),
  'a symbol less': withChanged('kind', enumOf(['A'])),
  'an enumeration for a string': withChanged('id', enumOf(['A'], { name: 'Id' })),
  'another size': withChanged('digest', { type: { type: 'fixed', name: 'Digest', size: 32 } }),
  'another name of the record': (schema) => ({ ...schema, name: 'ThingTwo' }),
  'another name of the record, the old an alias': (schema) => ({
    ...schema,
    name: 'ThingTwo',
    aliases: ['Thing']
  }),
  'another name of a record inside': withChanged('parts', partsOf([partId], 'Piece')),
  'a record for an array': withChanged('parts', {
    type: { type: 'record', name: 'Part', fields: [partId] }
  })
}

function changesOf(verdict: Verdict, rows: Rows): SchemaChange[] {
  return Object.entries(rows).map(([title, change]) => ({ title, verdict, change }))
}

export const schemaChanges: readonly SchemaChange[] = [
  ...changesOf('taken', taken),
  ...changesOf('refused by us alone', refusedByUsAlone),
  ...changesOf('refused', refused)
]
