import { refused } from '../kernel/problem.ts'
import type { OpenRoom } from '../room.ts'
import { invoiceJobs } from './jobs.ts'
import { actionRoutes } from './routes/actions.ts'
import { documentRoutes, listRoutes } from './routes/invoices.ts'
import { templateConstraints, templateRoutes } from './templates/routes.ts'

/** Invoices and their templates: writing, sending, recording what was paid. */
export const openInvoices: OpenRoom = (service) => ({
  routes: [...documentRoutes(service), ...actionRoutes(service), ...listRoutes(service), ...templateRoutes(service)],
  jobs: invoiceJobs(service),
  constraints: {
    invoices_number: () =>
      refused(
        'DUPLICATE_INVOICE_NUMBER',
        'Another invoice of this merchant has this number; numbers of cancelled invoices stay taken.',
        '/detail/invoice_number',
      ),
    ...templateConstraints,
  },
})
