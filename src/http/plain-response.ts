import { type IncomingMessage, ServerResponse } from 'node:http'

/**
 * Sends a text of plain ASCII as the bytes that it already is. Declared as UTF-8, which it is as well, it would be given
 * three bytes of room for each letter and be copied through that.
 */
export class PlainResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override end(...[chunk, encoding, done]: unknown[]): this {
    const isPlain = typeof chunk === 'string' && !encoding && Buffer.byteLength(chunk) === chunk.length
    return super.end(chunk, (isPlain ? 'latin1' : encoding) as BufferEncoding, done as () => void)
  }
}
