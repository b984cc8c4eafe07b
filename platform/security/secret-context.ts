/** Secret context: identifies the owner of a sealed secret. It is required to open the secret. */

/** @param id the connection ID or webhook ID */
export function secretContextOf(organizationId: string, id: string): string {
  return `${organizationId}/${id}`
}
