/** Enables TLS in the stack's Postgres. Plain connections remain possible. */
import pg from 'pg'
import type { Issued } from './certificates.ts'
import { onEnd } from './cleanup.ts'
import { services } from './services.ts'
import { waitUntil } from './wait-until.ts'

const files = { ssl_cert_file: 'test-tls.crt', ssl_key_file: 'test-tls.key' }

/** Checks whether this run may reconfigure Postgres. It must not change an external stack. */
export function canEncryptPostgres(): boolean {
  return services().mode !== 'external'
}

export async function encryptPostgres({ cert, key }: Issued): Promise<void> {
  const client = new pg.Client({ connectionString: services().addresses.databaseUrl })
  await client.connect()
  onEnd(() => client.end())
  await write(client, files.ssl_cert_file, cert)
  await write(client, files.ssl_key_file, key)
  for (const [name, value] of Object.entries({ ...files, ssl: 'on' })) {
    await client.query(`alter system set ${name} = '${value}'`)
  }
  onEnd(async () => {
    for (const name of [...Object.keys(files), 'ssl'])
      await client.query(`alter system reset ${name}`)
    await client.query('select pg_reload_conf()')
  })
  await client.query('select pg_reload_conf()')
  await waitUntil('Postgres to use TLS', async () => {
    const { rows } = await client.query<{ ssl: string }>('show ssl')
    return rows[0]?.ssl === 'on'
  })
}

/** Writes a file through the server, because Postgres must own its key file. */
async function write(client: pg.Client, name: string, pem: string): Promise<void> {
  const lines = pem.trim().split('\n')
  if (!lines.every((line) => /^[A-Za-z0-9+/= -]+$/.test(line))) throw new Error('not a PEM file')
  const rows = lines.map((line) => `('${line}')`).join()
  await client.query(`copy (values ${rows}) to program 'umask 077 && cat > ${name}'`)
}
