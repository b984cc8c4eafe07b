/** Makes Postgres read-only, even in open sessions, as a failover does. */
import pg from 'pg'
import { onEnd } from '../../../support/cleanup.ts'
import { services } from '../../../support/services.ts'
import type { StorageFault } from '../fault.ts'

async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  const client = new pg.Client({ connectionString: services().addresses.databaseUrl })
  await client.connect()
  try {
    await client.query(`alter system set default_transaction_read_only = ${value}`)
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
}

export const postgresReadOnly: StorageFault = {
  done: ({ seconds }) => `default_transaction_read_only on for ${seconds} s`,
  inject: async ({ installation, last, recover, ledger }) => {
    onEnd(() => setReadOnly('off'))
    await setReadOnly('on')
    const [shown] = await installation.database.query('show transaction_read_only')
    if (shown?.['transaction_read_only'] !== 'on') ledger.complain('Postgres is still writable')
    await last()
    await setReadOnly('off')
    await recover()
    return 1
  }
}
