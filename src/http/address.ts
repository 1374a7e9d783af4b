/** The address that reaches a listening one: whoever listens on all of them is reached at loopback. */
export function addressOf(host: string, port: number): string {
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}
