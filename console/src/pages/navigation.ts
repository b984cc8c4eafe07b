/** The pages that the rail, the palette and the shortcuts lead to. */

export const navigation = [
  { path: '/decisions', name: 'Decisions', key: 'd' },
  { path: '/live', name: 'Live', key: 't' },
  { path: '/agents', name: 'Agents', key: 'a' },
  { path: '/evaluation/rules', name: 'Evaluation', key: 'e' },
  { path: '/health', name: 'Health', key: 'h' },
  { path: '/dead-letters', name: 'Dead-letter records', key: 'l' },
  { path: '/settings/keys', name: 'Settings', key: 's' }
] as const
