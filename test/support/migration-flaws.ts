/** Finds what a migration does that processes of the version before it cannot live with. */

export interface Migration {
  readonly name: string
  readonly sql: string
}

export interface MigrationFlaw {
  readonly migration: string
  readonly statement: string
  readonly why: string
}

/** What breaks queries of the version before, or refuses the rows that it writes. */
const forbidden: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^drop (table|view|schema|type|function|procedure|sequence)\b/, 'the version before uses it'],
  [/^truncate\b/, 'the version before relies on the rows'],
  [/^alter (table|view|type) .*\brename\b/, 'the version before knows the old name'],
  [/^alter table .*\bdrop (column\b|(?!constraint|default|not null)\w)/, 'it is read or written'],
  [/^alter table .*\balter (column )?\w+ (set data )?type\b/, 'it is read as the old type'],
  [/^alter table .*\bset not null\b/, 'the version before may write null'],
  [/^alter table .*\badd (constraint \w+ )?(check|unique|primary|foreign|exclude)\b/, 'rows'],
  [/^create unique index\b/, 'the version before may write two of them']
]
const refusesRows = 'the version before may write rows that it refuses'

/** Of tables that an earlier migration made: one that this migration makes is used by nobody. */
export function findMigrationFlaws(migrations: readonly Migration[]): MigrationFlaw[] {
  return migrations.flatMap(({ name, sql }) => {
    const statements = statementsOf(sql)
    const own = statements.flatMap((each) => /^create table (\w+)/.exec(each)?.[1] ?? [])
    const old = statements.filter((each) => !own.includes(tableOf(each)))
    return old.flatMap((statement) => {
      const why = flawOf(statement)
      return why === null ? [] : [{ migration: name, statement, why }]
    })
  })
}

function flawOf(statement: string): string | null {
  const [, why] = forbidden.find(([pattern]) => pattern.test(statement)) ?? []
  if (why !== undefined) return why === 'rows' ? refusesRows : why
  if (!statement.startsWith('alter table')) return null
  const added = statement.split(/\badd column /).slice(1)
  const demanding = added.some((column) => / not null/.test(column) && !/ default /.test(column))
  return demanding ? 'the version before writes rows without it' : null
}

function tableOf(statement: string): string {
  return (
    /^(?:alter table|drop table|truncate) (\w+)/.exec(statement)?.[1] ??
    /^create unique index \w+ on (\w+)/.exec(statement)?.[1] ??
    ''
  )
}

/** In lower case and on one line each, without comments and without the bodies of functions. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((each) => each.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((each) => each !== '')
}
