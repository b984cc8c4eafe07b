/** A field for the token of an email, unless a link has brought it. */
import { Field } from '../../ui/form.tsx'

export function TokenField({ token }: { readonly token: string | null }) {
  if (token !== null) return null
  const hint = 'Or open the link of the email again.'
  return (
    <Field label="Token from the email" name="token" required autoComplete="off" {...{ hint }} />
  )
}
