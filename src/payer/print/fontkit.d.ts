/** The package has no types of its own. This declares only what we use of it. */
declare module 'fontkit' {
  export function create(file: Uint8Array): import('./layout.ts').Font
}
