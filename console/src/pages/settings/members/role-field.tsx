/** A field for the role of a member. Only an owner can choose `owner`. */
import { userRoles } from '../../../../../core/user-role.ts'
import { useMe } from '../../../session/use-session.ts'
import { Field } from '../../../ui/form.tsx'

const hint =
  'Each role includes the ones before it. A viewer can read. A member can also rate and replay. ' +
  'An admin can also change settings, keys and members. An owner can also manage owners.'

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
