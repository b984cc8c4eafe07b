/** The pages that the rail, the palette and the shortcuts lead to. */

export const navigation = [
  { path: '/decisions', name: 'Decisions', key: 'd' },
  { path: '/live', name: 'Live', key: 'l' },
  { path: '/settings/keys', name: 'Settings', key: 's' }
] as const
