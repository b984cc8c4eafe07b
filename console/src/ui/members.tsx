/** Shows members of responses under the names that the API documents. */
import type { ReactNode } from 'react'
import { visible } from '../text/visible.ts'
import type { TableColumn } from './data-table.tsx'
import { isTime, Time } from './time.tsx'

const words = new Map(
  Object.entries({
    '7d': 'in 7 days',
    api: 'API',
    est: 'estimated',
    ms: 'in ms',
    s: 'in s',
    url: 'URL',
    usd: 'USD'
  })
)

export function labelOf(name: string): string {
  const text = name.split('_').map((word) => words.get(word) ?? word)
  return text.join(' ').replace(/^./, (first) => first.toUpperCase())
}

export function Value({ value }: { readonly value: unknown }): ReactNode {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = textOf(value)
  if (typeof value === 'number') return text
  return isTime(text) ? <Time iso={text} /> : <bdi>{visible(text) || '–'}</bdi>
}

/** Returns the members of an object; those of an object in it follow its name. */
function flatten(object: object, prefix = ''): (readonly [string, unknown])[] {
  return Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? flatten(value, `${prefix}${name}_`) : [[`${prefix}${name}`, value] as const]
  })
}

/** Writes a value in one line, without members that are null. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value === 'number') return value.toLocaleString('en', { maximumFractionDigits: 6 })
  if (typeof value !== 'object' || value === null) return String(value)
  const members = flatten(value).filter(([, each]) => each !== null)
  return members.map(([name, each]) => `${name}: ${textOf(each)}`).join(', ')
}

export function Members({ of }: { readonly of: object }) {
  return (
    <dl className="facts">
      {flatten(of).map(([name, value]) => (
        <div key={name}>
          <dt>{labelOf(name)}</dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

export function memberColumns<Row>(...names: (keyof Row & string)[]): readonly TableColumn<Row>[] {
  return names.map((name) => ({ name: labelOf(name), cell: (row) => <Value value={row[name]} /> }))
}
