import QRCode from 'qrcode'
import { Html } from '../../http/html.ts'
import { RecentMap } from '../../kernel/recent-map.ts'

const QUIET_ZONE = 4
const KEPT_MAX = 2_000
const kept = new RecentMap<string, Html>(KEPT_MAX)

/** The modules of the code that says `text`, row by row. */
export function qrModules(text: string): { size: number; isDark(row: number, column: number): boolean } {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' })
  return { size: modules.size, isDark: (row, column) => modules.get(row, column) === 1 }
}

/** A code as a drawing: sharp at every size, on screen and in print, and always black on white, even in dark mode. */
export function qrDrawing(text: string, label: string): Html {
  const key = `${label}\n${text}`
  const known = kept.get(key)
  if (known) return known
  const { size, isDark } = qrModules(text)
  let path = ''
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      let length = 0
      while (column + length < size && isDark(row, column + length)) length++
      if (length > 0) path += `M${column + QUIET_ZONE} ${row + QUIET_ZONE}h${length}v1h-${length}z`
      column += length
    }
  const side = size + 2 * QUIET_ZONE
  const drawing = new Html(
    `<svg class="qr" viewBox="0 0 ${side} ${side}" role="img" aria-label="${label.replace(/[&<>"]/g, '')}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${path}"/></svg>`,
  )
  kept.set(key, drawing)
  return drawing
}
