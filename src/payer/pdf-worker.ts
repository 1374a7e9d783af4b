import { parentPort } from 'node:worker_threads'
import type { Tongue } from './languages.ts'
import { invoicePdf } from './pdf.ts'
import { type SheetSource, sheetOf } from './sheet.ts'

/** What the press is asked for. */
export interface PrintOrder {
  readonly id: number
  readonly source: SheetSource
  readonly tongue: Tongue
  readonly address: string
}

export type Printed = { readonly id: number } & ({ readonly pdf: Uint8Array } | { readonly error: string })

parentPort?.on('message', async ({ id, source, tongue, address }: PrintOrder) => {
  try {
    const pdf = await invoicePdf(sheetOf(source, tongue), { address, now: source.now })
    parentPort?.postMessage({ id, pdf } satisfies Printed)
  } catch (error) {
    parentPort?.postMessage({ id, error: String(error) } satisfies Printed)
  }
})
