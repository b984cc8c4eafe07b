/** The pages that the rail, the palette and the shortcuts lead to. */

export const navigation = [{ path: '/decisions', name: 'Decisions', key: 'd' }] as const
