/** How much of the whole texts of decisions a page holds. */

/** Decisions on a page with their texts. */
export const payloadsMax = 50
/** Bytes of their texts; the one that goes beyond is the first of the next page. */
export const payloadBytesMax = 8 * 2 ** 20
/** Characters of a page beside those texts: a decision may have thousands of scores. */
export const otherCharactersMax = 4 * 2 ** 20
