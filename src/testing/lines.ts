import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'

/**
 * Reads the messages of the other half of this room, each a line of JSON. A line that was cut off does not count. A connection
 * that is reset is only closed: a reader of lines would pass the error on, and end a process that has nothing to do with it.
 */
export function onMessages<Message>(socket: Socket, take: (message: Message) => void): void {
  const lines = createInterface({ input: socket })
  lines.on('error', () => {})
  lines.on('line', (line) => {
    // What is left when the connection closes comes as a line too.
    if (line.endsWith('}')) take(JSON.parse(line) as Message)
  })
}
