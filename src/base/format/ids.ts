/** What ids look like, apart from the schemas: a command line is read without loading those. */

export const ID_FORM = /^[A-Za-z0-9._:@-]{1,128}$/;
export const QUEUE_NAME_FORM = /^[A-Za-z0-9._:@/ -]{1,128}$/;
export const OBJECT_ID_FORM = /^[A-Za-z0-9._:@/ -]{1,160}$/;

export function isId(text: string): boolean {
  return ID_FORM.test(text) && isNoStep(text);
}

export function isQueueName(text: string): boolean {
  return QUEUE_NAME_FORM.test(text) && isNoStep(text);
}

export function isObjectId(text: string): boolean {
  return OBJECT_ID_FORM.test(text) && isNoStep(text);
}

/** Why such an id is refused. */
export const STEP_FAULT = 'is . or .., which is no id';

/** `.` and `..` are steps in a path, which clients and proxies take before it is sent. */
export function isNoStep(id: string): boolean {
  return id !== '.' && id !== '..';
}
