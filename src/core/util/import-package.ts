/** Imports optional packages. A file of its own, because the single executable looks for them beside itself. */

/** Resolves with all that the package exports. */
export const importPackage = (specifier: string): Promise<unknown> => import(specifier);
