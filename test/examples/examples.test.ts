import { expect, it } from 'vitest'
import { recordExamples } from './record.ts'

it('The examples of the reference are what the service answers now', async () => {
  const recorded = await recordExamples()

  // To fix this: npm run examples, and commit the result.
  await expect(recorded).toMatchFileSnapshot('../../src/reference/examples.json')
})
