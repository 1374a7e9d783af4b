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
  issues: [
    {
      issue: 'UNSUPPORTED_GRANT_TYPE',
      status: 400,
      by: ['createAccessToken'],
      when: 'grant_type is not client_credentials. The answer has `unsupported_grant_type`.',
      mend: 'Send grant_type=client_credentials.',
    },
    {
      issue: 'INVALID_SCOPE',
      status: 400,
      by: ['createAccessToken'],
      when: 'The app has none of the scopes that were asked for. The answer has `invalid_scope`.',
      mend: 'Ask for scopes of the app, or for none.',
    },
    {
      issue: 'INVALID_REQUEST',
      status: 400,
      by: ['createAccessToken', 'terminateAccessToken'],
      when: 'The credentials came twice, in the header and in the form. The answer has `invalid_request`.',
      mend: 'Send them in one way.',
    },
    {
      issue: 'INVALID_CLIENT',
      status: 401,
      by: ['createAccessToken', 'terminateAccessToken'],
      when: 'The client id or its secret is wrong. The answer has `invalid_client`.',
      mend: 'Check both; a secret that was replaced no longer works.',
    },
  ],
}
