import { createHash } from 'node:crypto'
import QRCode from 'qrcode'
import { acceptable } from '../../http/body/media-type.ts'
import { Answer } from '../../http/route.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { png } from './png.ts'

const SIDE_MIN = 150
const SIDE_MAX = 500
const side = Type.Optional(Type.Integer({ minimum: SIDE_MIN, maximum: SIDE_MAX, default: SIDE_MAX }))

export const QrInput = Type.Object({
  width: side,
  height: side,
  action: Type.Optional(Type.String({ maxLength: 7, pattern: '^(?:[pP][aA][yY]|[dD][eE][tT][aA][iI][lL][sS])$' })),
})
export type QrInput = Static<typeof QrInput>

/** A PNG of exactly the requested size: the code as large as fits, surrounded by white. */
export function drawQrCode(text: string, width: number, height: number): Buffer {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' })
  const quiet = 4
  const scale = Math.max(1, Math.floor(Math.min(width, height) / (modules.size + 2 * quiet)))
  const left = Math.floor((width - modules.size * scale) / 2)
  const top = Math.floor((height - modules.size * scale) / 2)
  const isDark = (x: number, y: number) => {
    const column = Math.floor((x - left) / scale)
    const row = Math.floor((y - top) / scale)
    if (column < 0 || row < 0 || column >= modules.size || row >= modules.size) return false
    return modules.get(row, column) === 1
  }
  return png(width, height, isDark)
}

/** The forms in which the image can come. The first one is used if the caller does not mind. */
export const imageForms = ['multipart/form-data', 'application/json', 'image/png'] as const

/** The image as the caller wants it: a form part with Base64 unless JSON or the picture itself is asked for. */
export function answerImage(image: Buffer, accept: string | undefined): Answer {
  const form = acceptable(accept, imageForms)
  if (form === 'image/png') return new Answer(200, image, { 'content-type': form })
  const base64 = image.toString('base64')
  if (form === 'application/json') return new Answer(200, { image: base64 })
  const boundary = uuidOf(image)
  const body = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="image"',
    'Content-Type: application/octet-stream',
    '',
    base64,
    `--${boundary}--`,
    '',
  ].join('\r\n')
  return new Answer(200, body, { 'content-type': `multipart/form-data; boundary=${boundary}` })
}

/** A boundary in the form of a UUID that follows from the image, so that the same call gives the same answer. */
function uuidOf(image: Buffer): string {
  const hex = createHash('sha256').update(image).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
