/** Creates JSON Schemas with the TypeScript types of TypeBox.
 *
 * Arrays are read-only. A time in a response can be a Date, because JSON.stringify converts it.
 * Only the types of TypeBox are imported: its code would cost each process 23 MB.
 */
import type { Static, TObject, TOptional, TProperties, TSchema, TUnsafe } from 'typebox'

export type { Static, TObject, TProperties, TSchema } from 'typebox'

/**
 * Keywords of JSON Schema in addition to the type, for example `description`. `example` becomes the
 * result of `exampleOf`.
 */
type Keywords = Readonly<Record<string | symbol, unknown>>

/** Key of the example of a schema. It is a symbol, so that JSON.stringify omits it. */
const exampleKey = Symbol('example')
/** Marks a schema of a member that can be absent. */
const optionalKey = Symbol('optional')

/** Creates a schema whose values have the TypeScript type `T`. */
export function schemaFor<T>({ example, ...schema }: Keywords): TUnsafe<T> {
  const marked = example === undefined ? schema : { ...schema, [exampleKey]: example }
  return marked as unknown as TUnsafe<T>
}

/** Returns the schema with an example. Tests check that the example matches. */
export function withExample<T extends TSchema>(schema: T, example: Static<T>): T {
  return { ...schema, [exampleKey]: example }
}

/**
 * Returns the example of the schema, or creates one from its parts. Optional members appear only if
 * they have an example of their own.
 */
export function exampleOf<T extends TSchema>(schema: T): Static<T> {
  return createExample(schema as Keywords) as Static<T>
}

function createExample(schema: Keywords): unknown {
  if (exampleKey in schema) return schema[exampleKey]
  const [first] = (schema['enum'] ?? [schema['const']]) as readonly unknown[]
  const [type] = [schema['type']].flat()
  return first ?? examples[String(type)]?.(schema)
}

/** Functions that create an example, by the type of the schema. */
const examples: Readonly<Record<string, (schema: Keywords) => unknown>> = {
  object: ({ properties = {} }) => exampleOfMembers(properties as Record<string, Keywords>),
  array: ({ items }) => [createExample(items as Keywords)],
  string: ({ format }) => textExamples[String(format)] ?? 'text',
  boolean: () => true,
  integer: ({ minimum = 1 }) => Math.max(1, Number(minimum)),
  number: ({ minimum = 1 }) => Math.max(1, Number(minimum))
}

const textExamples: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  uuid: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
}

function exampleOfMembers(members: Readonly<Record<string, Keywords>>): object {
  const shown = Object.entries(members).filter(
    ([, schema]) => exampleKey in schema || !(optionalKey in schema)
  )
  return Object.fromEntries(shown.map(([name, schema]) => [name, createExample(schema)]))
}

export function text(keywords: Keywords = {}): TUnsafe<string> {
  return schemaFor({ type: 'string', ...keywords })
}

export function integer(keywords: Keywords = {}): TUnsafe<number> {
  return schemaFor({ type: 'integer', ...keywords })
}

export function number(keywords: Keywords = {}): TUnsafe<number> {
  return schemaFor({ type: 'number', ...keywords })
}

export function boolean(keywords: Keywords = {}): TUnsafe<boolean> {
  return schemaFor({ type: 'boolean', ...keywords })
}

/** Creates the schema of a time in a response. */
export function timeWith(keywords: Keywords = {}): TUnsafe<Date | string> {
  return schemaFor({ type: 'string', format: 'date-time', ...keywords })
}

export function oneOf<const V extends readonly (string | number | boolean | null)[]>(
  values: V,
  keywords: Keywords = {}
): TUnsafe<V[number]> {
  return schemaFor({ enum: values, ...keywords })
}

export function listOf<T extends TSchema>(
  items: T,
  keywords: Keywords = {}
): TUnsafe<readonly Static<T>[]> {
  return schemaFor({ type: 'array', items, ...keywords })
}

/** Creates the schema of an object with any keys, whose values match `values`. */
export function mapOf<T extends TSchema>(
  values: T,
  keywords: Keywords = {}
): TUnsafe<Readonly<Record<string, Static<T>>>> {
  return schemaFor({ type: 'object', additionalProperties: values, ...keywords })
}

/** Extends a schema to accept null. */
export function orNull<T extends TSchema>(
  schema: T,
  keywords: Keywords = {}
): TUnsafe<Static<T> | null> {
  const type = [(schema as Keywords)['type'], 'null'].flat()
  return schemaFor({ ...(schema as Keywords), ...keywords, type })
}

/**
 * Creates the schema of an object in a response. It allows other members, because later versions
 * can add some.
 */
export function objectOf<P extends TProperties>(
  properties: P,
  keywords: Keywords = {}
): TObject<P> {
  const required = Object.keys(properties).filter(
    (name) => !(optionalKey in (properties[name] as Keywords))
  )
  const schema = { type: 'object', ...(required.length > 0 && { required }), properties }
  return schemaFor({ ...schema, ...keywords }) as unknown as TObject<P>
}

/** Creates the schema of an object in a request. It rejects other members. */
export function closed<P extends TProperties>(properties: P, keywords: Keywords = {}): TObject<P> {
  return objectOf(properties, { ...keywords, additionalProperties: false })
}

/** Marks a member that can be absent. */
export function optional<T extends TSchema>(schema: T): TOptional<T> {
  return { ...schema, [optionalKey]: true } as unknown as TOptional<T>
}

/** Marks a parameter that can be absent from the request, because its schema has a default. */
export function withDefault<T extends TSchema>(schema: T): T {
  return optional(schema)
}

/** Marks all members as optional. */
export function allOptional<P extends TProperties>(
  properties: P
): { readonly [Name in keyof P]: TOptional<P[Name]> } {
  const entries = Object.entries(properties).map(([name, schema]) => [name, optional(schema)])
  return Object.fromEntries(entries) as { readonly [Name in keyof P]: TOptional<P[Name]> }
}
