/** What the routes of disputes share. */
export const tag = 'Disputes'

/** JSON, or a multipart body of JSON and documents. */
export const withFiles = {
  accepts: ['application/json', 'multipart'],
  fileParts: [
    'evidence-file',
    'accept-claim-document',
    'message_document',
    'acknowledgement_document',
    'supporting document',
    'supporting_document',
    'supporting-document',
    'file',
  ],
} as const
