/** What the audit log tells of a change: what it is of, and which members were sent. */

/** Names of members only: a value may be a secret, or longer than a log is for. */
export function changeOf(after: { readonly name: string }, body: object) {
  return { name: after.name, changed: Object.keys(body).sort() }
}
