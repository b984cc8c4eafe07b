/** The sessions of the user, with a button that ends each. */
import type { ownSession } from '../../../../api/accounts/schemas.ts'
import type { WireOf } from '../../api/wire.ts'
import { memberColumns } from '../../ui/members.tsx'
import { RequestButton } from '../../ui/request-button.tsx'
import { ListPage } from '../evaluation/list-page.tsx'

type Session = WireOf<typeof ownSession>
const path = '/v1/auth/sessions'

export function SessionsPage() {
  const columns = memberColumns<Session>('created_at', 'last_used_at', 'address', 'user_agent')
  const table = { path, columns: [...columns, { name: 'End', cell: endCell }] }
  return <ListPage title="Sessions" {...table} keyOf={({ session_id }) => session_id} />
}

function endCell({ session_id, is_current }: Session) {
  const request = () => ({ path: `${path}/${session_id}`, method: 'DELETE' as const })
  if (is_current) return 'this session'
  return (
    <RequestButton label="End" needs="viewer" {...{ request }}>
      <p>Its tokens are refused within 5 seconds.</p>
    </RequestButton>
  )
}
