/** How a node is paid for, as its agent tells it. */

/** Whether the cloud may take the node back; clouds and agents spell it in any case. */
export function isSpot(payType: string): boolean {
  return /^spot$/i.test(payType);
}
