export const cookieOf = (cookies: string | undefined, name: string): string | undefined =>
  (cookies ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
