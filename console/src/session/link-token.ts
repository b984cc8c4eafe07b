/** The token of a link in an email. It is removed from the URL and the history immediately. */

const { hash, pathname } = location
const isToken = (text: string): boolean => /^#sl[a-z]_/.test(text)

/** Null if the page was opened without one. */
export const linkToken = isToken(hash) ? hash.slice(1) : null
if (linkToken !== null) history.replaceState(null, '', pathname)

// Opening a second link in the same tab changes only the hash.
addEventListener('hashchange', () => {
  if (isToken(location.hash)) location.reload()
})
