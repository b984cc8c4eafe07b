/** The names that people choose: neither links nor characters that nobody sees. */

/**
 * A regular expression (flag `u`). It leaves out control characters, halves of surrogate pairs, and
 * what is invisible or turns the direction of text: names stand in emails to people who did not
 * choose them.
 */
export const displayNamePattern =
  '^(?!.*(?:://|[wW]{3}\\.))[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\ud800-\\udfff\\ufeff\\ufff9-\\ufffb]*$'
