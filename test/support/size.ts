/** Whether this is `npm run test:long`, which takes its time. */
export const isLong = process.env['TEST_SIZE'] === 'long'

/** How often something random or racing is tried: as often as a guard that is gone shows, or as we promise in a long run. */
export const times = (usual: number, long: number): number => (isLong ? long : usual)
