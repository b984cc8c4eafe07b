/** Saves data as a file on the user's computer. */

export function saveFile(data: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(data)
  link.download = name
  link.click()
  // Waits for the next task, because the browser has begun to read the data by then.
  setTimeout(() => URL.revokeObjectURL(link.href))
}
