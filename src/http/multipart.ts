/** A file of a multipart request, received whole and within the limits. Its name is the client's: never a path. */
export interface UploadedFile {
  readonly partName: string
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Buffer
}
