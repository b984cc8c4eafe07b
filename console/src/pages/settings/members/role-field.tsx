/** A field for the role of a member. Only an owner can choose `owner`. */
import { userRoles } from '../../../../../core/user-role.ts'
import { useMe } from '../../../session/use-session.ts'
import { Field } from '../../../ui/form.tsx'

const hint =
  'Each role includes the ones before it. A viewer reads, a member also rates and replays, an ' +
  'admin also changes settings, keys and members, and an owner also the owners.'

export function RoleField({ value }: { readonly value: string }) {
  const isOwner = useMe().data?.role === 'owner'
  const control = (props: object) => (
    <select {...props} defaultValue={value}>
      {userRoles.map((role) => (
        <option key={role} disabled={role === 'owner' && !isOwner}>
          {role}
        </option>
      ))}
    </select>
  )
  return <Field label="Role" name="role" {...{ hint, control }} />
}
