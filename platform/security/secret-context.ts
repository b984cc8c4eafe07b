/** What a sealed secret belongs to, in the one spelling that opens it again. */

/** @param id of the connection or webhook */
export function secretContextOf(organizationId: string, id: string): string {
  return `${organizationId}/${id}`
}
