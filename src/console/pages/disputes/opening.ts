import { plainlyNamed } from '../../../disputes/documents.ts'
import { reasons } from '../../../disputes/schema/enums.ts'
import { html } from '../../../http/html.ts'
import { bodyFrom, type Field, form, type Typed } from '../../forms/fields.ts'
import { mendable, type Operations, type Refusal } from '../../operate.ts'
import { heading } from '../../parts/parts.ts'
import type { Pages } from '../../visit.ts'
import { reasonWords } from '../../words.ts'

interface Left {
  readonly typed: Typed
  readonly refusal: Refusal
}

const openingFields: readonly Field[] = [
  {
    kind: 'select',
    at: '/reason',
    label: 'What is wrong',
    choices: reasons.map((value) => ({ value, label: reasonWords(value) })),
  },
  {
    kind: 'text',
    at: '/disputed_transactions/0/buyer_transaction_id',
    label: 'The payment',
    value: 'BUYERPAYMENT01',
    hint: 'Its id as the buyer has it. In a sandbox, an id that is unknown is taken for a new payment to the merchant.',
  },
  {
    kind: 'pair',
    fields: [
      {
        kind: 'text',
        at: '/dispute_amount/value',
        label: 'Amount',
        value: '20.00',
        hint: 'All that was paid when empty.',
      },
      {
        kind: 'text',
        at: '/dispute_amount/currency_code',
        label: 'Currency',
        value: 'USD',
        hint: 'The one it was paid in.',
      },
    ],
  },
  { kind: 'long', at: '/messages/0/content', label: 'Message to the seller' },
  { kind: 'files', label: 'Files' },
]

const opening = (operations: Operations, left?: Left) => ({
  title: 'Open a dispute',
  ...(left && { status: 422 }),
  content: html`${heading('Open a dispute', { back: ['Disputes', '/console/disputes'] })}<section class="sheet">${form({
    name: 'open',
    action: '/console/disputes/new',
    route: operations.route('createDispute'),
    fields: openingFields,
    button: 'Open the dispute',
    ...left,
  })}</section>`,
})

export const disputeOpeningPages = ({ page, form: formRoute }: Pages, operations: Operations) => [
  page({
    url: '/console/disputes/new',
    operation: 'consoleNewDispute',
    summary: 'Open a dispute: the form',
    draw: async () => opening(operations),
  }),
  formRoute({
    url: '/console/disputes/new',
    operation: 'consoleOpenDispute',
    summary: 'Open a dispute',
    async take(sent) {
      const { typed, files } = sent
      const outcome = await sent.operate('createDispute', {
        body: bodyFrom(typed),
        files: plainlyNamed(files),
        requestId: typed['request-id'],
      })
      const refusal = mendable(outcome)
      if (refusal) return sent.again(opening(operations, { typed, refusal }))
      const { links } = outcome.body as { links: { href: string }[] }
      return sent.lead(`/console/disputes/${links[0]!.href.split('/').at(-1)}`, 'The dispute was opened.')
    },
  }),
]
