/** Finds statements in migrations that would break processes of the previous version. */

interface Migration {
  readonly name: string
  readonly sql: string
}

interface MigrationFlaw {
  readonly migration: string
  readonly statement: string
  readonly why: string
}

/** Statements that break queries of the previous version or reject the rows that it writes. */
const forbidden: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^drop (table|view|schema|type|function|procedure|sequence)\b/, 'the previous version uses it'],
  [/^truncate\b/, 'the previous version relies on the rows'],
  [/^alter (table|view|type) .*\brename\b/, 'the previous version uses the old name'],
  [/^alter table .*\bdrop (column\b|(?!constraint|default|not null)\w)/, 'it is read or written'],
  [
    /^alter table .*\balter (column )?\w+ (set data )?type\b/,
    'the previous version reads the old type'
  ],
  [/^alter table .*\bset not null\b/, 'the previous version may write null'],
  [/^alter table .*\badd (constraint \w+ )?(check|unique|primary|foreign|exclude)\b/, 'rows'],
  [/^create unique index\b/, 'the previous version may write duplicates']
]
const refusesRows = 'the previous version may write rows that it rejects'

/**
 * Finds incompatible statements. Tables that the same migration creates are exempt, because no
 * process uses them yet.
 */
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
  return demanding ? 'the previous version writes rows without it' : null
}

function tableOf(statement: string): string {
  return (
    /^(?:alter table|drop table|truncate) (\w+)/.exec(statement)?.[1] ??
    /^create unique index \w+ on (\w+)/.exec(statement)?.[1] ??
    ''
  )
}

/** Splits SQL into lower-case statements on one line each, without comments and function bodies. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((each) => each.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((each) => each !== '')
}
