/** Response headers: pairs, because a name may come twice. */
export type Headers = readonly (readonly [name: string, value: string])[];
