import type { RoomReference } from '../kernel/reference.ts'

export const accountsReference: RoomReference = {
  operations: {
    createAccessToken:
      'Every call of the API carries a token. An app proves who it is with its client id and secret, as Basic credentials or as fields of the form, and gets a token for all of its scopes or for those it names. Asking again gets the same token while it is valid.',
    terminateAccessToken:
      'Ends one token of the app at once, everywhere. An unknown token is answered in the same way, so nothing can be learned by trying.',
  },
  fields: {
    scope: 'Which scopes the token shall have, separated by spaces; all that the app has when absent.',
    client_id: 'The id of the app, where no Basic credentials are sent.',
    client_secret: 'The secret of the app, where no Basic credentials are sent.',
    ignoreCache: 'With `true` a new token is made although there is a valid one.',
    access_token: 'What goes into the header `Authorization: Bearer …`.',
    token_type: 'Always Bearer.',
    app_id: 'The id of the app.',
    nonce: 'Different for every token.',
    token: 'The token to end.',
    token_type_hint: 'Read and not used: there is one kind of token.',
  },
  issues: {},
}
