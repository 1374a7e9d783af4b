/** The package brings no types; this is all of it that is used. */
declare module 'fontkit' {
  export function create(file: Uint8Array): import('./layout.ts').Font
}
