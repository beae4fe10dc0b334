// What of the SDK does without the tables of hooks and events. scripts/build.ts gives it to the parts of the host that
// need no more, because making the schemas of all the tables takes longer than they do.
export { type Blame, type ErrorCode, errorCodes, messageOf, PatchbayError } from './errors.ts';
export { nearest, suggestion } from './nearest.ts';
export { fieldsOf, type Problem, problemOf, problemsOf } from './schema.ts';
