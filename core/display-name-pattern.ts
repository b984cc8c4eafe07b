/** Pattern for display names of users and organizations. Excludes links and invisible characters.
 */

/**
 * Regular expression with the flag `u`. Names appear in emails to other people, so the pattern
 * excludes links, control characters, unpaired surrogates, and characters that are invisible or
 * change the direction of text.
 */
export const displayNamePattern =
  '^(?!.*(?:://|[wW]{3}\\.))[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\ud800-\\udfff\\ufeff\\ufff9-\\ufffb]*$'
