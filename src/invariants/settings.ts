import { setting, whole } from '../config.ts'

/** How often what is stored is checked. */
export const invariantSettings = {
  invariantCheckHours: setting<number>({
    variable: 'INVARIANT_CHECK_HOURS',
    initial: 24,
    ...whole(0, 8_760),
    description: 'How often a live service checks its stored data against `invariants.sql`; 0 is never.',
  }),
} as const
