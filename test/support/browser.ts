import { createRequire } from 'node:module'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const ACTION_MS_MAX = 300_000

/** A Chromium that reaches nothing but our own pages. */
export async function openBrowser() {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
    ],
  })
  return {
    async context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
      const context = await browser.newContext(options)
      // For what hangs: a busy machine takes half a minute for a click.
      context.setDefaultTimeout(ACTION_MS_MAX)
      return context
    },
    close: () => browser.close(),
  }
}

export const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, locale: 'en-US' }
export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
  locale: 'en-US',
}

type Decode = (data: Uint8ClampedArray, width: number, height: number) => { data: string } | null
// The package has one function, and types that hide it from this kind of import.
const decode = createRequire(import.meta.url)('jsqr') as Decode

/** What a QR code in these pixels says. */
export const qrTextOf = ({ data, width, height }: Pixels): string | undefined =>
  decode(Uint8ClampedArray.from(data), width, height)?.data

export interface Pixels {
  readonly width: number
  readonly height: number
  readonly data: number[]
}

/** The pixels of a picture, read by the browser itself on an empty page. */
export async function pixelsOf(context: BrowserContext, png: Buffer): Promise<Pixels> {
  const page = await context.newPage()
  try {
    // The text of a function that runs in the browser, where these names exist.
    const pixels = await page.evaluate(`(async () => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(png.toString('base64'))}), (c) => c.charCodeAt(0))
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
      const canvas = new OffscreenCanvas(image.width, image.height)
      const pen = canvas.getContext('2d')
      pen.drawImage(image, 0, 0)
      const { width, height, data } = pen.getImageData(0, 0, image.width, image.height)
      return { width, height, data: [...data] }
    })()`)
    return pixels as Pixels
  } finally {
    await page.close()
  }
}

/** Whatever a page complains about: errors in scripts, refused loads, breaches of its policy. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return complaints
}
