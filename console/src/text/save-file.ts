/** Saves data as a file of the user. */

export function saveFile(data: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(data)
  link.download = name
  link.click()
  // The browser has begun to read it when the next task runs.
  setTimeout(() => URL.revokeObjectURL(link.href))
}
