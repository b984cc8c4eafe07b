/** Defines changes to an Avro schema and whether each is compatible. */

type AvroField = {
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
 * Expected result. `rejected by the check only` means that a schema registry accepts the change,
 * although it can harm readers. For example, they would lose values without an error.
 */
export type Compatibility = 'accepted' | 'rejected' | 'rejected by the check only'

type SchemaChange = {
  readonly title: string
  readonly compatibility: Compatibility
  readonly change: (schema: RecordSchema) => RecordSchema
}

/** Schema that the changes start from. It has a field of every type that Sluice's schemas use. */
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

const accepted: Rows = {
  nothing: (schema) => schema,
  'a new optional field': withField({ name: 'new', type: ['null', 'long'], default: null }),
  'a new optional field, nested': withChanged(
    'parts',
    partsOf([partId, { name: 'new', type: ['null', 'int'], default: null }])
  ),
  'another order of fields': (schema) => ({ ...schema, fields: schema.fields.toReversed() }),
  'a default added': withChanged('id', { default: '' }),
  'another documentation': withChanged('id', { doc: 'What it is.' })
}

const rejectedByCheck: Rows = {
  'a removed optional field': without('note'),
  'a renamed optional field': (schema) =>
    withField({ name: 'remark', type: ['null', 'string'], default: null, aliases: ['note'] })(
      without('note')(schema)
    ),
  'a new field that is never null': withField({ name: 'new', type: 'string', default: '' }),
  'bytes instead of a string': withChanged('id', { type: 'bytes' }),
  'a timestamp that becomes a number': withChanged('at', { type: 'long' }),
  'another default, and null no longer first': withChanged('note', {
    type: ['string', 'null'],
    default: ''
  }),
  'a removed default': withChanged('note', { default: undefined }),
  // Readers could not decode records with another namespace, because the codec compares full names.
  // A schema registry accepts the change.
  'another namespace': (schema) => ({ ...schema, namespace: 'elsewhere' })
}

const rejected: Rows = {
  'a new field without a default': withField({ name: 'new', type: 'string' }),
  'a new nullable field without a default': withField({ name: 'new', type: ['null', 'int'] }),
  'a new field with an invalid default': withField({ name: 'new', type: 'int', default: 'x' }),
  'a removed required field': without('id'),
  'a removed required field, nested': withChanged('parts', partsOf([])),
  'a new required field, nested': withChanged(
    'parts',
    partsOf([partId, { name: 'new', type: 'int' }])
  ),
  'a renamed required field': (schema) =>
    withField({ name: 'identity', type: 'string', aliases: ['id'] })(without('id')(schema)),
  'another type': withChanged('id', { type: 'long' }),
  'a wider number': withChanged('attempts', { type: 'long' }),
  'a narrower number': withChanged('at', { type: 'int' }),
  'null added': withChanged('id', { type: ['null', 'string'] }),
  'null removed': withChanged('note', { type: 'string', default: '' }),
  'another type next to null': withChanged('note', { type: ['null', 'long'] }),
  'one more type next to null': withChanged('note', { type: ['null', 'string', 'long'] }),
  'a new symbol': withChanged('kind', enumOf(['A', 'B', 'C'])),
  'a new symbol with a default symbol': withChanged(
    'kind',
    enumOf(['A', 'B', 'C'], { default: 'A' })
  ),
  'a removed symbol': withChanged('kind', enumOf(['A'])),
  'an enum instead of a string': withChanged('id', enumOf(['A'], { name: 'Id' })),
  'another size': withChanged('digest', { type: { type: 'fixed', name: 'Digest', size: 32 } }),
  'a renamed record': (schema) => ({ ...schema, name: 'ThingTwo' }),
  'a renamed record with the old name as alias': (schema) => ({
    ...schema,
    name: 'ThingTwo',
    aliases: ['Thing']
  }),
  'a renamed nested record': withChanged('parts', partsOf([partId], 'Piece')),
  'a record instead of an array': withChanged('parts', {
    type: { type: 'record', name: 'Part', fields: [partId] }
  })
}

function changesOf(compatibility: Compatibility, rows: Rows): SchemaChange[] {
  return Object.entries(rows).map(([title, change]) => ({ title, compatibility, change }))
}

export const schemaChanges: readonly SchemaChange[] = [
  ...changesOf('accepted', accepted),
  ...changesOf('rejected by the check only', rejectedByCheck),
  ...changesOf('rejected', rejected)
]
