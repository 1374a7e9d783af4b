/** What the routes of disputes share. */
export const tag = 'Disputes'
export const withFiles = ['application/json', 'multipart'] as const
