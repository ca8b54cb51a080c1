/** What is wrong with a form, where a field that is needed was left empty. Pure. */

/** The faults by field; of one without a value, that it is missing. `exampleOf`: the form of its value, where that has one. */
export function withMissing(
  faults: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
  exampleOf: (name: string) => string | undefined,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(faults).map(([name, fault]) => {
      if (values[name] !== '') return [name, fault];
      const example = exampleOf(name);
      return [name, example === undefined ? 'is missing' : `is missing, such as ${example}`];
    }),
  );
}
