/**
 * fast-check as the tests use it: what has a greatest length reaches it. By itself it makes lists of ten elements at most,
 * whatever `maxLength` says, so that a law about sixty steps would be asked about ten.
 */
import fc from 'fast-check';

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });

export default fc;
