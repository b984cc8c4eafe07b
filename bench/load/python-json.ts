/** Writes JSON as Python's json.dumps does. */

/** Puts a space after each comma and colon, and escapes every character that is not ASCII. */
export function writePythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writePythonJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return escaped(JSON.stringify(value))
  const members = Object.entries(value).map(
    ([name, member]) => `${writePythonJson(name)}: ${writePythonJson(member)}`
  )
  return `{${members.join(', ')}}`
}

function escaped(text: string): string {
  return text.replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
}
