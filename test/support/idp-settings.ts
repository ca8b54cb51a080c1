/** A body for PUT /api/v1/security/idp that the tests' own issuer goes with. */
export const IDP_SETTINGS = {
  region: 'us-east-1',
  userPoolID: 'us-east-1_AbCdEf123',
  clientID: 'client123',
  identityPoolID: 'us-east-1:12345678-1234-1234-1234-123456789012',
  adminGroups: 'admin,root',
  accessKey: '',
  secretKey: '',
  token: '',
};
