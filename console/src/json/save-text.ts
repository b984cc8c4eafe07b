/** Copies a text to the clipboard, and saves it as a file. */

/** Returns false if the browser refuses, as it does on a page without HTTPS. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Saves the text as UTF-8, under a name of letters, digits and hyphens. */
export function downloadText(text: string, label: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }))
  const ending = /^\s*[[{"]/.test(text) ? 'json' : 'txt'
  link.download = `${label.replaceAll(/\W+/g, '-').toLowerCase()}.${ending}`
  link.click()
  // The browser has begun to read it when the next task runs.
  setTimeout(() => URL.revokeObjectURL(link.href))
}
